import { expect, it } from '@jest/globals';
import { comparePositions, type EventLog, type ExpectedRevision } from '#platform/eventlog';
import { collect, idsOf, newEvent, newEvents, refusalOf, unique } from './log-driver.js';

/** What an append may expect of a stream, and what it hears when it is wrong. */
export function appendBehaviour(log: () => EventLog): void {
  const filled = async (count: number): Promise<string> => {
    const stream = unique('stream');
    await log().append(stream, newEvents(count), 'none');
    return stream;
  };

  it.each<ExpectedRevision>(['any', 'none'])('starts a stream when %p is expected', async (expected) => {
    const stream = unique('stream');
    const events = newEvents(2);
    const appended = await log().append(stream, events, expected);

    const stored = await collect(log().readStream(stream));
    expect(appended.revision).toBe(1);
    expect(idsOf(stored)).toEqual(idsOf(events));
    expect(stored.map((event) => event.revision)).toEqual([0, 1]);
    expect(stored[1]?.position).toBe(appended.position);
  });

  it.each<ExpectedRevision>(['any', 'exists', 2])('goes on with a stream when %p is expected', async (expected) => {
    const stream = await filled(3);
    const appended = await log().append(stream, newEvents(2), expected);

    const stored = await collect(log().readStream(stream));
    expect(appended.revision).toBe(4);
    expect(stored.map((event) => event.revision)).toEqual([0, 1, 2, 3, 4]);
    expect(stored[4]?.position).toBe(appended.position);
  });

  it.each<[ExpectedRevision, number, number | 'none']>([
    ['none', 1, 0],
    ['none', 3, 2],
    ['exists', 0, 'none'],
    [0, 0, 'none'],
    [0, 3, 2],
    [1, 3, 2],
    [7, 3, 2],
  ])('refuses %p on a stream of %d events and names %p as the actual revision', async (expected, count, actual) => {
    const stream = count === 0 ? unique('stream') : await filled(count);
    const refusal = await refusalOf(log().append(stream, newEvents(2), expected));

    expect(refusal.code).toBe('WRONG_REVISION');
    expect(refusal.kind).toBe('conflict');
    expect(refusal.details).toMatchObject({ stream, expected, actual });
    expect(await collect(log().readStream(stream))).toHaveLength(count);
  });

  it('stores stream, type, data, metadata, revision, position and time', async () => {
    const stream = unique('stream');
    const before = Date.now();
    const event = { ...newEvent('Measured', { value: 1 }), metadata: { by: 'ann', roles: ['owner'] } };
    const { position } = await log().append(stream, [event], 'none');

    const [stored] = await collect(log().readStream(stream));
    expect(stored).toMatchObject({ ...event, stream, revision: 0, position });
    // The engine's clock is not ours.
    expect(Math.abs((stored?.recordedAt.getTime() ?? 0) - before)).toBeLessThan(60_000);
  });

  it('gives later appends later positions', async () => {
    const [one, other] = [unique('stream'), unique('stream')];
    const positions = [];
    for (const stream of [one, other, one, other])
      positions.push((await log().append(stream, newEvents(2), 'any')).position);
    for (let n = 1; n < positions.length; n += 1) expect(comparePositions(positions[n - 1]!, positions[n]!)).toBe(-1);
  });

  it('lets exactly one of many racing writers win a revision, and tells the others the actual one', async () => {
    const stream = await filled(1);
    const race = await Promise.allSettled(Array.from({ length: 12 }, () => log().append(stream, newEvents(2), 0)));

    const lost = race.filter((outcome) => outcome.status === 'rejected');
    expect(lost).toHaveLength(11);
    for (const { reason } of lost) {
      expect(reason).toMatchObject({ code: 'WRONG_REVISION', details: { stream, expected: 0, actual: 2 } });
    }
    expect(await collect(log().readStream(stream))).toHaveLength(3);
  });

  it('commits the neighbours of an append that is refused', async () => {
    const taken = await filled(1);
    const streams = Array.from({ length: 16 }, () => unique('stream'));
    const [refused, ...others] = await Promise.allSettled([
      log().append(taken, newEvents(3), 'none'),
      ...streams.map((stream) => log().append(stream, newEvents(2), 'none')),
    ]);

    expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'WRONG_REVISION' } });
    expect(others.every((outcome) => outcome.status === 'fulfilled')).toBe(true);
    for (const stream of streams) expect(await collect(log().readStream(stream))).toHaveLength(2);
    expect(await collect(log().readStream(taken))).toHaveLength(1);
  });

  it('numbers concurrent appends to one stream without a gap and keeps each batch together', async () => {
    const stream = unique('stream');
    const batches = Array.from({ length: 10 }, () => newEvents(3));
    await Promise.all(batches.map((events) => log().append(stream, events, 'any')));

    const stored = await collect(log().readStream(stream));
    expect(stored.map((event) => event.revision)).toEqual(stored.map((_, n) => n));
    for (const events of batches) {
      const at = stored.findIndex((event) => event.id === events[0]?.id);
      expect(idsOf(stored.slice(at, at + 3))).toEqual(idsOf(events));
    }
  });

  it('throws and writes nothing when the signal was aborted before', async () => {
    const stream = unique('stream');
    await expect(log().append(stream, newEvents(1), 'any', AbortSignal.abort())).rejects.toBeDefined();
    expect(await collect(log().readStream(stream))).toEqual([]);
  });

  it('takes a signal that is not aborted', async () => {
    const stream = unique('stream');
    await expect(log().append(stream, newEvents(1), 'any', new AbortController().signal)).resolves.toMatchObject({
      revision: 0,
    });
  });
}
