/** The sorts of failure a caller can meet. Each surface maps them, totally, to its own words. */
export const KINDS = [
  'invalid',
  'unauthenticated',
  'forbidden',
  'not_found',
  'conflict',
  'blocked',
  'overloaded',
  'timeout',
  'cancelled',
  'unavailable',
  'internal',
] as const;
export type Kind = (typeof KINDS)[number];

export interface RefusalSpec {
  readonly kind: Kind;
  /** One sentence: what is wrong. */
  readonly message: string;
  /** One sentence: what the caller can do about it. */
  readonly hint: string;
}

/** An expected "no": a stable code, a sentence, and a hint the caller can act on. Everything else is a fault. */
export class Refusal extends Error {
  readonly kind: Kind;
  readonly hint: string;

  constructor(
    readonly code: string,
    spec: RefusalSpec,
    readonly details: Readonly<Record<string, unknown>> = {},
    options?: ErrorOptions,
  ) {
    super(spec.message, options);
    this.name = 'Refusal';
    this.kind = spec.kind;
    this.hint = spec.hint;
  }
}

export interface RefusalFactory<Code extends string> {
  /** Makes the refusal; `message` replaces the general sentence with one that names the case at hand. */
  (code: Code, details?: Readonly<Record<string, unknown>>, message?: string, cause?: unknown): Refusal;
  readonly specs: Readonly<Record<Code, RefusalSpec>>;
}

/** Declares a family of refusals: `const refuse = defineRefusals({ NAME_TAKEN: { kind, message, hint } })`. */
export function defineRefusals<Code extends string>(specs: Readonly<Record<Code, RefusalSpec>>): RefusalFactory<Code> {
  const make = (code: Code, details: Readonly<Record<string, unknown>> = {}, message?: string, cause?: unknown) =>
    new Refusal(
      code,
      message === undefined ? specs[code] : { ...specs[code], message },
      details,
      cause === undefined ? undefined : { cause },
    );
  return Object.assign(make, { specs });
}

/** True for a Refusal with this code, or any Refusal when no code is given. */
export function isRefusal(error: unknown, code?: string): error is Refusal {
  return error instanceof Refusal && (code === undefined || error.code === code);
}
