import { expect, it } from '@jest/globals';
import type { EventLog, StreamRetention } from '#platform/eventlog';
import { collect, until, idsOf, newEvents, refusalOf, unique } from './log-driver.js';

/** Streams that forget, and streams that end. */
export function retentionBehaviour(log: () => EventLog): void {
  const revisions = async (stream: string) => (await collect(log().readStream(stream))).map((event) => event.revision);

  it.each<StreamRetention>([{}, { maxCount: 3 }, { maxAgeSeconds: 3600 }, { maxCount: 7, maxAgeSeconds: 60 }])(
    'tells a stream its retention back: %j',
    async (retention) => {
      const stream = unique('stream');
      await log().append(stream, newEvents(1), 'none');
      await log().setRetention(stream, retention);
      expect(await log().retentionOf(stream)).toEqual(retention);
    },
  );

  it('has none until it is set, and the last one set counts', async () => {
    const stream = unique('stream');
    expect(await log().retentionOf(stream)).toEqual({});
    await log().append(stream, newEvents(1), 'none');
    expect(await log().retentionOf(stream)).toEqual({});
    await log().setRetention(stream, { maxCount: 2, maxAgeSeconds: 10 });
    await log().setRetention(stream, { maxCount: 5 });
    expect(await log().retentionOf(stream)).toEqual({ maxCount: 5 });
    await log().setRetention(stream, {});
    expect(await log().retentionOf(stream)).toEqual({});
  });

  it('can be set before the first event', async () => {
    const stream = unique('stream');
    await log().setRetention(stream, { maxCount: 2 });
    await log().append(stream, newEvents(5), 'none');
    expect(await revisions(stream)).toEqual([3, 4]);
  });

  it('shows only the last events of a stream with a maximal count, in both directions', async () => {
    const stream = unique('stream');
    await log().append(stream, newEvents(6), 'none');
    await log().setRetention(stream, { maxCount: 3 });
    expect(await revisions(stream)).toEqual([3, 4, 5]);
    await log().append(stream, newEvents(1), 5);
    expect(await revisions(stream)).toEqual([4, 5, 6]);
    const backward = await collect(log().readStream(stream, { direction: 'backward' }));
    expect(backward.map((event) => event.revision)).toEqual([6, 5, 4]);
    expect((await collect(log().readStream(stream, { from: 0, limit: 2 }))).map((event) => event.revision)).toEqual([
      4, 5,
    ]);
  });

  it('hides events over their age, and goes on counting revisions', async () => {
    const stream = unique('stream');
    await log().append(stream, newEvents(3), 'none');
    await log().setRetention(stream, { maxAgeSeconds: 1 });
    await until(async () => (await revisions(stream)).length === 0, 'events over their age are hidden');

    await log().setRetention(stream, { maxAgeSeconds: 3600 });
    const appended = await log().append(stream, newEvents(1), 2);
    expect(appended.revision).toBe(3);
    expect((await revisions(stream)).at(-1)).toBe(3);
  });

  it('closes a tombstoned stream for good', async () => {
    const type = unique('Type');
    const stream = unique('stream');
    const events = newEvents(2, type);
    await log().append(stream, events, 'none');
    await log().tombstone(stream, 1);

    for (const expected of ['any', 'none', 'exists', 1, 2] as const) {
      const refusal = await refusalOf(log().append(stream, newEvents(1), expected));
      expect(refusal).toMatchObject({ code: 'STREAM_TOMBSTONED', kind: 'conflict', details: { stream } });
    }
    expect(await revisions(stream)).toEqual([]);
    expect(await collect(log().readStream(stream, { direction: 'backward' }))).toEqual([]);
    expect(idsOf(await collect(log().readAll({ types: [type] })))).toEqual(idsOf(events));
  });

  it('tombstones only at the expected revision', async () => {
    const stream = unique('stream');
    await log().append(stream, newEvents(2), 'none');
    const refusal = await refusalOf(log().tombstone(stream, 0));
    expect(refusal).toMatchObject({ code: 'WRONG_REVISION', details: { stream, expected: 0, actual: 1 } });
    expect(await revisions(stream)).toEqual([0, 1]);
  });

  it('tombstones whatever is there when any revision will do', async () => {
    const stream = unique('stream');
    await log().append(stream, newEvents(2), 'none');
    await log().tombstone(stream, 'any');
    expect(await revisions(stream)).toEqual([]);
    const refusal = await refusalOf(log().append(stream, newEvents(1), 'any'));
    expect(refusal.code).toBe('STREAM_TOMBSTONED');
  });
}
