import { expect } from '@jest/globals';
import type { StoredEvent } from '#platform/eventlog';
import { acknowledged, type Attempt } from './race.model.js';

/**
 * Holds what the log says against what the writers were told. The revisions are the sequential order: every
 * acknowledged append must have found the stream as it expected it, every refused one must name a state that the stream
 * really had and that its expectation excludes.
 */
export function judgeStream(stream: string, stored: readonly StoredEvent[], attempts: readonly Attempt[]): void {
  expect(stored.map((event) => event.revision)).toEqual(stored.map((_, n) => n));
  const ends = new Set<number>();
  let written = 0;
  for (const attempt of attempts) {
    const appended = acknowledged(attempt);
    if (appended === undefined) {
      expect(stored.filter((event) => attempt.events.some(({ id }) => id === event.id))).toEqual([]);
      continue;
    }
    const first = appended.revision - attempt.events.length + 1;
    const there = stored.slice(first, appended.revision + 1);
    expect(there.map((event) => event.id)).toEqual(attempt.events.map((event) => event.id));
    expect(there.at(-1)?.position).toBe(appended.position);
    expectAllowed(attempt, first);
    ends.add(appended.revision);
    written += attempt.events.length;
  }
  expect(stored).toHaveLength(written);
  expect(new Set(stored.map((event) => event.id)).size).toBe(written);
  for (const attempt of attempts) judgeAnswers(stream, attempt, ends);
}

function expectAllowed({ expected }: Attempt, first: number): void {
  if (expected === 'none') expect(first).toBe(0);
  else if (expected === 'exists') expect(first).toBeGreaterThan(0);
  else if (expected !== 'any') expect(first).toBe(expected + 1);
}

function judgeAnswers(stream: string, attempt: Attempt, ends: ReadonlySet<number>): void {
  const { expected } = attempt;
  const appended = acknowledged(attempt);
  for (const outcome of attempt.outcomes) {
    if ('appended' in outcome) {
      expect(outcome.appended).toEqual(appended);
      continue;
    }
    const { code, details } = outcome.refused;
    const actual = details.actual as number | 'none';
    expect({ code, details }).toEqual({ code: 'WRONG_REVISION', details: { stream, expected, actual } });
    expect(actual).not.toBe(expected);
    expect(expected).not.toBe('any');
    if (expected === 'exists') expect(actual).toBe('none');
    // Refused and acknowledged: only if the stream had not come so far yet. A repeated append is not refused.
    if (appended !== undefined)
      expect(actual === 'none' ? -1 : actual).toBeLessThan(typeof expected === 'number' ? expected : 0);
    if (actual === 'none') expect(attempt.floor).toBe(-1);
    else {
      expect(ends).toContain(actual);
      expect(actual).toBeGreaterThanOrEqual(attempt.floor);
    }
  }
}

/** A tailing reader saw everything acknowledged, in order, once, each append in one piece. */
export function judgeTail(tail: readonly StoredEvent[], attempts: readonly Attempt[]): void {
  const written = attempts.flatMap((attempt) => (acknowledged(attempt) === undefined ? [] : attempt.events));
  expect(tail.map((event) => event.id).sort()).toEqual(written.map((event) => event.id).sort());
  for (let n = 1; n < tail.length; n += 1) expect(tail[n]!.position > tail[n - 1]!.position).toBe(true);
  const place = new Map(tail.map((event, n) => [event.id, n]));
  for (const attempt of attempts) {
    const start = place.get(attempt.events[0]!.id);
    if (start === undefined) continue;
    expect(attempt.events.map((event) => place.get(event.id))).toEqual(attempt.events.map((_, n) => start + n));
  }
}
