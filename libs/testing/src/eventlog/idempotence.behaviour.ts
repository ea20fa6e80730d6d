import { expect, it } from '@jest/globals';
import type { EventLog, ExpectedRevision } from '#platform/eventlog';
import { collect, idsOf, newEvent, newEvents, refusalOf, unique } from './log-driver.js';

/** The same append made twice happens once. */
export function idempotenceBehaviour(log: () => EventLog): void {
  it.each<[ExpectedRevision, number]>([
    ['none', 0],
    ['any', 0],
    ['any', 2],
    ['exists', 2],
    [1, 2],
  ])('answers a repeated append expecting %p on %d events as it did the first time', async (expected, count) => {
    const stream = unique('stream');
    if (count > 0) await log().append(stream, newEvents(count), 'none');
    const events = newEvents(3);
    const first = await log().append(stream, events, expected);
    const again = await log().append(stream, events, expected);

    expect(again).toEqual(first);
    expect(await collect(log().readStream(stream))).toHaveLength(count + 3);
  });

  it.each<[ExpectedRevision, number]>([
    ['none', 0],
    ['any', 0],
    ['exists', 2],
    [1, 2],
  ])('does so for %p on %d events also after the stream has moved on', async (expected, count) => {
    const stream = unique('stream');
    if (count > 0) await log().append(stream, newEvents(count), 'none');
    const events = newEvents(2);
    const first = await log().append(stream, events, expected);
    await log().append(stream, newEvents(1), first.revision);
    await log().append(stream, newEvents(2), 'any');
    const again = await log().append(stream, events, expected);

    expect(again).toEqual(first);
    expect(await collect(log().readStream(stream))).toHaveLength(count + 5);
  });

  it('writes once when the same append is made many times at once', async () => {
    const stream = unique('stream');
    const events = newEvents(2);
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => log().append(stream, events, 'none')));

    for (const outcome of outcomes) expect(outcome).toEqual(outcomes[0]);
    expect(idsOf(await collect(log().readStream(stream)))).toEqual(idsOf(events));
  });

  it.each<ExpectedRevision>(['any', 'exists'])(
    'refuses a part of an old append with something new under %p',
    async (expected) => {
      const stream = unique('stream');
      const old = newEvents(2);
      await log().append(stream, old, 'none');

      for (const mixed of [
        [...old, newEvent()],
        [newEvent(), old[1]!],
      ]) {
        const refusal = await refusalOf(log().append(stream, mixed, expected));
        expect(refusal.code).toBe('EVENT_IDS_REUSED');
        expect(refusal.kind).toBe('conflict');
      }
      expect(idsOf(await collect(log().readStream(stream)))).toEqual(idsOf(old));
    },
  );

  it('takes an id that stands twice in a stream for one', async () => {
    const stream = unique('stream');
    const twice = newEvent();
    await log().append(stream, [twice], 'none');
    await log().append(stream, [twice], 0);
    const refusal = await refusalOf(log().append(stream, [twice, newEvent()], 'any'));

    expect(refusal.code).toBe('EVENT_IDS_REUSED');
  });

  it('refuses a part of an old append with something new at its revision', async () => {
    const stream = unique('stream');
    const [first, second] = [newEvent(), newEvent()];
    await log().append(stream, [first, second], 'none');
    const refusal = await refusalOf(log().append(stream, [first, newEvent()], 'none'));

    expect(['EVENT_IDS_REUSED', 'WRONG_REVISION']).toContain(refusal.code);
    expect(idsOf(await collect(log().readStream(stream)))).toEqual([first.id, second.id]);
  });

  it('does not take other ids at an old revision for a repetition', async () => {
    const stream = unique('stream');
    await log().append(stream, newEvents(2), 'none');
    await log().append(stream, newEvents(1), 1);
    const refusal = await refusalOf(log().append(stream, newEvents(1), 1));
    expect(refusal).toMatchObject({ code: 'WRONG_REVISION', details: { expected: 1, actual: 2 } });
  });

  it.each<ExpectedRevision>(['any', 'none'])('lets an event id stand in several streams under %p', async (expected) => {
    const [one, other] = [unique('stream'), unique('stream')];
    const events = newEvents(2);
    const first = await log().append(one, events, expected);
    const second = await log().append(other, events, expected);

    expect(second.position > first.position).toBe(true);
    expect(idsOf(await collect(log().readStream(one)))).toEqual(idsOf(events));
    expect(idsOf(await collect(log().readStream(other)))).toEqual(idsOf(events));
  });

  it('lets an event id stand in several streams appended at once, and harms no neighbour', async () => {
    const shared = newEvents(2);
    const twins = Array.from({ length: 6 }, () => unique('twin'));
    const neighbours = Array.from({ length: 10 }, () => unique('neighbour'));
    await Promise.all([
      ...twins.map((stream) => log().append(stream, shared, 'none')),
      ...neighbours.map((stream) => log().append(stream, newEvents(1), 'none')),
    ]);

    for (const stream of twins) expect(idsOf(await collect(log().readStream(stream)))).toEqual(idsOf(shared));
    for (const stream of neighbours) expect(await collect(log().readStream(stream))).toHaveLength(1);
  });
}
