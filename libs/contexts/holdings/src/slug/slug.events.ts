import type { DomainEvent } from '#kernel';

/** A container holds a slug, or is about to: it claims first and takes the name up afterwards. */
export type SlugClaimed = DomainEvent<
  'SlugClaimed',
  { readonly slug: string; readonly name: string; readonly container_id: string; readonly claim_id: string }
>;

export type SlugReleased = DomainEvent<'SlugReleased', { readonly container_id: string; readonly claim_id: string }>;

export type SlugEvent = SlugClaimed | SlugReleased;
