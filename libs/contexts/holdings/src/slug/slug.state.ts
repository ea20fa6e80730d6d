export const MAX_NAME_LENGTH = 200;

const NAME = /^[A-Za-z0-9_-]+(\/[A-Za-z0-9_-]+)?$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** A uuid is never a name, because callers name a container by either. */
export function isContainerName(text: string): boolean {
  return text.length <= MAX_NAME_LENGTH && NAME.test(text) && !isUuid(text);
}

/**
 * What must be unique about a name: the collection name it is shown by. `a/b-c`, `a-b/c` and `proj-a-b-c` are one slug,
 * because as collections they could not be told apart.
 */
export function slugOf(name: string): string {
  return name.includes('/') ? `proj-${name.replace('/', '-')}` : name;
}

/** Who has the slug, by which claim. */
export type Slug =
  { readonly status: 'free' } | { readonly status: 'held'; readonly containerId: string; readonly claimId: string };
