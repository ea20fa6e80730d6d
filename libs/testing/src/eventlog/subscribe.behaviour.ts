import { expect, it } from '@jest/globals';
import { comparePositions, START, type EventLog, type StoredEvent } from '#platform/eventlog';
import { collect, follow, idsOf, newEvents, unique, type Followed } from './log-driver.js';

/** Following the log. */
export function subscribeBehaviour(log: () => EventLog): void {
  const enough = (count: number) => (seen: Followed) => seen.events.length >= count;
  const write = async (type: string, count: number, stream = unique('stream')) => {
    const events = newEvents(count, type);
    return { stream, events, ...(await log().append(stream, events, 'any')) };
  };

  it('starts at the beginning, sees everything in order and says when it has caught up', async () => {
    const { events, stream, position } = await write(unique('Type'), 5);
    const seen = await follow(log(), {}, (soFar) => soFar.caughtUp && soFar.through >= position);

    expect(idsOf(seen.events.filter((event) => event.stream === stream))).toEqual(idsOf(events));
    for (let n = 1; n < seen.events.length; n += 1) {
      expect(comparePositions(seen.events[n - 1]!.position, seen.events[n]!.position)).toBe(-1);
    }
    expect(seen.events.some((event) => event.type.startsWith('$'))).toBe(false);
  });

  it('goes on after a checkpoint, with no event twice and none left out', async () => {
    const type = unique('Type');
    const { events } = await write(type, 20);
    const first = await follow(log(), { types: [type], batchSize: 7 }, enough(7));
    const second = await follow(log(), { types: [type], after: first.through }, enough(20 - first.events.length));

    expect(idsOf([...first.events, ...second.events])).toEqual(idsOf(events));
  });

  it('goes on after the position of any event', async () => {
    const type = unique('Type');
    const { events, stream } = await write(type, 4);
    const stored = await collect(log().readStream(stream));
    for (const [n, event] of stored.slice(0, -1).entries()) {
      const seen = await follow(log(), { types: [type], after: event.position }, enough(3 - n));
      expect(idsOf(seen.events)).toEqual(idsOf(events.slice(n + 1)));
    }
  });

  it('hands over what is written while it waits', async () => {
    const type = unique('Type');
    const after = await log().head();
    const live: StoredEvent['id'][] = [];
    let rounds = 0;
    const seen = await follow(log(), { types: [type], after }, enough(6), async (soFar) => {
      if (!soFar.caughtUp || rounds === 3 || soFar.events.length < rounds * 2) return;
      rounds += 1;
      live.push(...idsOf((await write(type, 2)).events));
    });
    expect(idsOf(seen.events)).toEqual(live);
  });

  it('says so when there is nothing to catch up with', async () => {
    const seen = await follow(
      log(),
      { after: await log().head(), types: [unique('Never')] },
      (soFar) => soFar.caughtUp,
    );
    expect(seen.events).toEqual([]);
  });

  it('does not claim to have caught up while there is more', async () => {
    const type = unique('Type');
    await write(type, 30);
    const seen = await follow(log(), { types: [type], batchSize: 10 }, enough(30));
    const beforeTheLast = seen.batches.filter((batch) => batch.events.length > 0).slice(0, -1);
    expect(beforeTheLast.length).toBeGreaterThanOrEqual(2);
    expect(beforeTheLast.some((batch) => batch.caughtUp)).toBe(false);
  });

  it('gives only the types asked for', async () => {
    const [wanted, other] = [unique('Type.x'), unique('Type')];
    const stream = unique('stream');
    const expected: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      await write(other, 2, stream);
      await write(`${wanted}y`, 1, stream);
      expected.push(...idsOf((await write(wanted, 1, stream)).events));
    }
    const seen = await follow(log(), { types: [wanted] }, enough(5));
    expect(idsOf(seen.events)).toEqual(expected);
  });

  it('moves its checkpoint past events of other types, also when its own never come', async () => {
    const { position } = await write(unique('Other'), 40);
    const seen = await follow(log(), { types: [unique('Never')] }, (soFar) => soFar.through >= position);
    expect(seen.events).toEqual([]);

    const later = await write(unique('Other'), 3);
    const live = await follow(
      log(),
      { types: [unique('Never')], after: seen.through },
      (soFar) => soFar.through >= later.position,
    );
    expect(live.events).toEqual([]);
  });

  it('moves its checkpoint only forward, and never past an event it has not handed over', async () => {
    const type = unique('Type');
    for (let n = 0; n < 10; n += 1) {
      await write(unique('Other'), 3);
      await write(type, 1);
    }
    const seen = await follow(log(), { types: [type], batchSize: 3 }, enough(10));
    let through = START;
    for (const batch of seen.batches) {
      expect(batch.through >= through).toBe(true);
      for (const event of batch.events) expect(event.position > through).toBe(true);
      for (const event of batch.events) expect(event.position <= batch.through).toBe(true);
      through = batch.through;
    }
  });

  it('keeps each batch within its size and waits for a slow consumer without losing anything', async () => {
    const type = unique('Type');
    const stream = unique('stream');
    const { events } = await write(type, 60, stream);
    const seen = await follow(log(), { types: [type], batchSize: 8 }, enough(120), async (soFar) => {
      // While a batch is in hand the log grows: what is fetched next must still begin where this batch ended.
      if (soFar.batches.length <= 6) events.push(...(await write(type, 10, stream)).events);
      await new Promise((resolve) => setTimeout(resolve, 10));
    });

    expect(Math.max(...seen.batches.map((batch) => batch.events.length))).toBeLessThanOrEqual(8);
    expect(idsOf(seen.events)).toEqual(idsOf(events));
  });

  it('hands over nothing that was not asked for', async () => {
    const type = unique('Type');
    await write(type, 40);
    const stop = new AbortController();
    const following = log().subscribe({ types: [type], batchSize: 4, signal: stop.signal });
    const batches = following[Symbol.asyncIterator]();
    let received = 0;
    for (let asked = 1; asked <= 5; asked += 1) {
      const { value } = (await batches.next()) as IteratorYieldResult<{ events: readonly StoredEvent[] }>;
      received += value.events.length;
      expect(received).toBeLessThanOrEqual(asked * 4);
    }
    stop.abort();
    expect((await batches.next()).done).toBe(true);
  });

  it('serves several subscribers, each on its own', async () => {
    const type = unique('Type');
    const { events } = await write(type, 12);
    const all = await Promise.all(
      [1, 5, 100].map((batchSize) => follow(log(), { types: [type], batchSize }, enough(12))),
    );
    for (const seen of all) expect(idsOf(seen.events)).toEqual(idsOf(events));
  });

  it('ends promptly, without an error, when the signal aborts while it waits', async () => {
    const stop = new AbortController();
    const finished = (async () => {
      for await (const batch of log().subscribe({
        after: await log().head(),
        types: [unique('Never')],
        signal: stop.signal,
      })) {
        // Caught up: nothing will come any more, so the abort meets a waiting subscription.
        if (batch.caughtUp) setTimeout(() => stop.abort(), 50);
      }
      return Date.now();
    })();
    const aborted = new Promise<number>((resolve) => stop.signal.addEventListener('abort', () => resolve(Date.now())));
    expect((await finished) - (await aborted)).toBeLessThan(2_000);
  });

  it('ends at once when the signal was aborted before', async () => {
    const batches = [];
    for await (const batch of log().subscribe({ signal: AbortSignal.abort() })) batches.push(batch);
    expect(batches).toEqual([]);
  });
}
