import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { Appended, ExpectedRevision, NewEvent } from '#platform/eventlog';
import type { Refusal } from '#kernel';

/** What one writer does at one step, before it is known what the stream will look like. */
export interface Step {
  readonly stream: number;
  readonly size: number;
  /** 'known' is the revision this writer last heard of; a number is taken as it is. */
  readonly expected: 'any' | 'none' | 'exists' | 'known' | number;
  /** Once; once more after the answer; or twice at the same time: a client that lost patience. */
  readonly made: 'once' | 'again' | 'twice at once';
}

/** Several writers, each a list of steps. */
export type Race = readonly (readonly Step[])[];

const step = fc.record<Step>({
  stream: fc.nat({ max: 2 }),
  size: fc.integer({ min: 1, max: 4 }),
  expected: fc.oneof(
    { weight: 4, arbitrary: fc.constant('known' as const) },
    { weight: 2, arbitrary: fc.constant('any' as const) },
    { weight: 1, arbitrary: fc.constantFrom('none' as const, 'exists' as const) },
    { weight: 1, arbitrary: fc.nat({ max: 6 }) },
  ),
  made: fc.constantFrom('once', 'once', 'again', 'twice at once'),
});

export const races: fc.Arbitrary<Race> = fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), {
  minLength: 2,
  maxLength: 5,
});

export type Outcome = { readonly appended: Appended } | { readonly refused: Refusal };

/** One append as it was made, with every answer it got. */
export interface Attempt {
  readonly stream: string;
  readonly events: readonly NewEvent[];
  readonly expected: ExpectedRevision;
  /** The lowest revision the stream can have had, as far as its writer knew. */
  readonly floor: number;
  readonly outcomes: Outcome[];
}

export function eventsFor(type: string, size: number): NewEvent[] {
  return Array.from({ length: size }, (_, part) => ({ id: randomUUID(), type, data: { part, size }, metadata: {} }));
}

export function acknowledged(attempt: Attempt): Appended | undefined {
  for (const outcome of attempt.outcomes) if ('appended' in outcome) return outcome.appended;
  return undefined;
}
