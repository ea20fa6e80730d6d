import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  comparePositions,
  parsePosition,
  START,
  type EventLog,
  type NewEvent,
  type ReadAllOptions,
  type ReadStreamOptions,
  type StoredEvent,
} from '#platform/eventlog';
import { collect, idsOf, newEvent, newEvents, unique } from './log-driver.js';

/** Reading one stream, and reading everything. */
export function readBehaviour(log: () => EventLog): void {
  describe('of one stream', () => {
    const stream = unique('stream');
    beforeAll(async () => {
      await log().append(stream, newEvents(10), 'none');
    });

    it.each<[ReadStreamOptions | undefined, number[]]>([
      [undefined, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]],
      [{ from: 7 }, [7, 8, 9]],
      [{ from: 0, limit: 2 }, [0, 1]],
      [{ limit: 3 }, [0, 1, 2]],
      [{ from: 8, limit: 50 }, [8, 9]],
      [{ from: 10 }, []],
      [{ from: 1_000_000 }, []],
      [{ limit: 0 }, []],
      [{ direction: 'backward' }, [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]],
      [{ direction: 'backward', limit: 2 }, [9, 8]],
      [{ direction: 'backward', from: 2 }, [2, 1, 0]],
      [{ direction: 'backward', from: 0 }, [0]],
      [{ direction: 'backward', from: 6, limit: 2 }, [6, 5]],
      [{ direction: 'backward', from: 1_000_000, limit: 1 }, [9]],
    ])('with %j gives revisions %j', async (options, revisions) => {
      const events = await collect(log().readStream(stream, options));
      expect(events.map((event) => event.revision)).toEqual(revisions);
    });

    it.each<ReadStreamOptions>([{}, { from: 3 }, { direction: 'backward' }, { direction: 'backward', from: 3 }])(
      'is empty with %j when there is no such stream',
      async (options) => {
        expect(await collect(log().readStream(unique('missing'), options))).toEqual([]);
      },
    );

    it('can be left early and read again', async () => {
      const events = log().readStream(stream);
      for await (const event of events) {
        expect(event.revision).toBe(0);
        break;
      }
      expect(await collect(log().readStream(stream))).toHaveLength(10);
    });

    it('gives a long stream whole and in order', async () => {
      const long = unique('long');
      for (let round = 0; round < 5; round += 1)
        await log().append(long, newEvents(300), round === 0 ? 'none' : round * 300 - 1);
      const forward = await collect(log().readStream(long));
      const backward = await collect(log().readStream(long, { direction: 'backward' }));

      expect(forward.map((event) => event.revision)).toEqual(Array.from({ length: 1500 }, (_, n) => n));
      expect(idsOf(backward)).toEqual(idsOf(forward).reverse());
    });
  });

  describe('of everything', () => {
    // The dot and the longer name catch a filter that takes types for patterns or prefixes.
    const types = { one: unique('One.Done'), two: unique('Two'), never: unique('Never') };
    const near = [types.one.replace('.', 'x'), `${types.two}Longer`, `Longer${types.two}`, types.two.toLowerCase()];
    const streams = [unique('a'), unique('b'), unique('c')];
    const written: NewEvent[] = [];
    const mine = (events: readonly StoredEvent[]) => events.filter((event) => streams.includes(event.stream));
    const all = async (options?: ReadAllOptions) => mine(await collect(log().readAll(options)));

    beforeAll(async () => {
      for (let n = 0; n < 12; n += 1) {
        const batch = [newEvent(types.one, { n }), newEvent(near[n % near.length]), newEvent(types.two, { n })];
        await log().append(streams[n % streams.length]!, batch, 'any');
        written.push(...batch);
      }
    });
    const ofTypes = (...wanted: string[]) => written.filter((event) => wanted.includes(event.type));

    it('gives every event in the order of the appends, with strictly increasing positions', async () => {
      const events = await collect(log().readAll());
      for (let n = 1; n < events.length; n += 1) {
        expect(comparePositions(events[n - 1]!.position, events[n]!.position)).toBe(-1);
      }
      expect(idsOf(mine(events))).toEqual(idsOf(written));
      expect(events.some((event) => event.type.startsWith('$'))).toBe(false);
    });

    it('backward gives the same in reverse', async () => {
      expect(idsOf(await all({ direction: 'backward' }))).toEqual(idsOf(written).reverse());
    });

    it('finds exactly the types asked for', async () => {
      expect(idsOf(await all({ types: [types.one] }))).toEqual(idsOf(ofTypes(types.one)));
      expect(idsOf(await all({ types: [types.two] }))).toEqual(idsOf(ofTypes(types.two)));
      expect(idsOf(await all({ types: [types.two, types.one] }))).toEqual(idsOf(ofTypes(types.one, types.two)));
      expect(idsOf(await all({ types: [types.two], direction: 'backward' }))).toEqual(
        idsOf(ofTypes(types.two)).reverse(),
      );
      expect(await all({ types: [types.never] })).toEqual([]);
      expect(await all({ types: [types.two.slice(0, -1)] })).toEqual([]);
    });

    it('stops at the limit', async () => {
      expect(idsOf(await all({ types: [types.one], limit: 5 }))).toEqual(idsOf(ofTypes(types.one).slice(0, 5)));
      expect(idsOf(await all({ types: [types.one], limit: 2, direction: 'backward' }))).toEqual(
        idsOf(ofTypes(types.one).slice(-2).reverse()),
      );
      expect(await collect(log().readAll({ limit: 0 }))).toEqual([]);
      expect(await collect(log().readAll({ limit: 3 }))).toHaveLength(3);
      expect(await collect(log().readAll({ limit: 3, direction: 'backward' }))).toHaveLength(3);
    });

    it('resumes after each position with exactly the rest, and before it with exactly what came before', async () => {
      const wanted = { types: [types.one, types.two] };
      const events = await all(wanted);
      for (const [n, event] of events.entries()) {
        expect(idsOf(await all({ ...wanted, after: event.position }))).toEqual(idsOf(events.slice(n + 1)));
        expect(idsOf(await all({ ...wanted, after: event.position, direction: 'backward', limit: 4 }))).toEqual(
          idsOf(events.slice(Math.max(0, n - 4), n)).reverse(),
        );
        expect(idsOf(await all({ ...wanted, after: event.position, limit: 1 }))).toEqual(
          idsOf(events.slice(n + 1, n + 2)),
        );
      }
    });

    it('takes START as the beginning', async () => {
      expect(idsOf(await all({ after: START }))).toEqual(idsOf(written));
    });

    it('has positions that survive being written down', async () => {
      const [event] = await all({ types: [types.one], limit: 1 });
      const revived = parsePosition(String(JSON.parse(JSON.stringify(event!.position))));
      expect(revived).toBe(event!.position);
      expect(idsOf(await all({ types: [types.one], after: revived, limit: 1 }))).toEqual(
        idsOf(ofTypes(types.one).slice(1, 2)),
      );
    });

    it('tells the same event the same way by stream and by everything', async () => {
      const [inAll] = await all({ types: [types.two], limit: 1 });
      const inStream = await collect(log().readStream(inAll!.stream));
      expect(inStream.find((event) => event.id === inAll!.id)).toEqual(inAll);
    });

    it('ends at the moment of the call', async () => {
      const type = unique('Growing');
      const stream = unique('growing');
      await log().append(stream, newEvents(3, type), 'none');
      let seen = 0;
      for await (const event of log().readAll({ types: [type] })) {
        seen += 1;
        if (event.revision < 20) await log().append(stream, newEvents(1, type), 'any');
      }
      expect(seen).toBeGreaterThanOrEqual(3);
      expect(seen).toBeLessThan(20);
    });
  });

  describe('of the end', () => {
    it('names the last event', async () => {
      const { position } = await log().append(unique('stream'), newEvents(2), 'none');
      const head = await log().head();
      expect(head >= position).toBe(true);
      const [last] = await collect(log().readAll({ direction: 'backward', limit: 1 }));
      expect(last!.position >= head).toBe(true);
    });

    it('counts what stands after a position, up to a limit', async () => {
      const stream = unique('stream');
      const { position } = await log().append(stream, newEvents(1), 'none');
      await log().append(stream, newEvents(6), 0);

      const counted = await log().countAfter(position, 10_000);
      expect(counted).toBeGreaterThanOrEqual(6);
      expect(await log().countAfter(position, 4)).toBe(4);
      expect(await log().countAfter(START, 7)).toBe(7);
      expect(await log().countAfter(START, 100_000)).toBeGreaterThan(6);
      const after = await collect(log().readAll({ after: position }));
      expect(after.length).toBeGreaterThanOrEqual(counted);
    });

    it('counts nothing after the head of a log at rest', async () => {
      // Others may write to a shared engine meanwhile, but not for ever.
      let counted = 1;
      for (let attempt = 0; attempt < 50 && counted !== 0; attempt += 1)
        counted = await log().countAfter(await log().head(), 10);
      expect(counted).toBe(0);
    });
  });
}
