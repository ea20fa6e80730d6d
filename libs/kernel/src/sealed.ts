/** What stands where a sealed value stood, once the key of its subject is gone. */
export const ERASED = Object.freeze({ erased: true as const });
export type Erased = typeof ERASED;

/** A value that may have been erased since it was written. */
export type Sealable<T> = T | Erased;

export function isErased(value: unknown): value is Erased {
  return typeof value === 'object' && value !== null && (value as { erased?: unknown }).erased === true;
}

/** The text a read model shows: the value, or the word "erased". */
export function shown(value: Sealable<string>): string {
  return isErased(value) ? 'erased' : value;
}
