import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { defineRefusals, SYSTEM, type Decider } from '#kernel';
import { InMemoryEventLog, InMemoryKeys } from '#testing';
import type { EventContext } from './codec-metadata.js';
import { runDecider, type DeciderRun } from './decider-runner.js';
import { EventCatalog } from './event-catalog.js';
import { EventStore } from './event-store.js';

type Taken = { readonly type: 'SeatTaken'; readonly data: { readonly by: string } };
type Room = { readonly taken: readonly string[] };
interface TakeSeat {
  readonly by: string;
}

const refuse = defineRefusals({ FULL: { kind: 'conflict', message: 'The room is full.', hint: 'Take another room.' } });
const SEATS = 3;

const room: Decider<Room, TakeSeat, Taken> = {
  initial: () => ({ taken: [] }),
  decide: ({ by }, { taken }) => {
    if (taken.includes(by)) return [];
    if (taken.length === SEATS) throw refuse('FULL');
    return [{ type: 'SeatTaken', data: { by } }];
  },
  evolve: ({ taken }, event) => ({ taken: [...taken, event.data.by] }),
};

const context = (more: Partial<EventContext> = {}): EventContext => ({
  caller: SYSTEM,
  correlationId: 'c',
  executionId: randomUUID(),
  operation: 'take_seat',
  at: new Date(0),
  ...more,
});

/** A log whose streams grow between reading and appending, as often as asked. */
class BusyLog extends InMemoryEventLog {
  appends = 0;
  meddle: (() => Promise<void>) | undefined;

  override async append(...args: Parameters<InMemoryEventLog['append']>) {
    this.appends += 1;
    const { meddle } = this;
    this.meddle = undefined;
    await meddle?.();
    return super.append(...args);
  }
}

function set() {
  const log = new BusyLog();
  const catalog = new EventCatalog([{ type: 'SeatTaken', version: 1 }]);
  const store = new EventStore({ log, catalog, keys: new InMemoryKeys() });
  const take = (by: string, more: Partial<DeciderRun<TakeSeat>> = {}) =>
    runDecider(store, room, { stream: 'room-1', command: { by }, context: context(), ...more });
  /** Lets somebody else take a seat just before each of the next appends. */
  const outrun = (...others: string[]) => {
    const [next, ...rest] = others;
    if (next === undefined) return;
    log.meddle = async () => {
      await store.append('room-1', [{ type: 'SeatTaken', data: { by: next } }], 'any', context());
      outrun(...rest);
    };
  };
  const seated = async () => {
    const names: string[] = [];
    for await (const event of store.read<Taken>('room-1')) names.push(event.data.by);
    return names;
  };
  return { log, store, take, outrun, seated };
}

describe('The decider runner', () => {
  it('appends what was decided and tells where it stands', async () => {
    const { take, log } = set();
    expect(await take('ann')).toEqual({
      events: [{ type: 'SeatTaken', data: { by: 'ann' } }],
      state: { taken: ['ann'] },
      revision: 0,
      position: await log.head(),
    });
    expect(await take('bob')).toMatchObject({
      state: { taken: ['ann', 'bob'] },
      revision: 1,
      position: await log.head(),
    });
  });

  it('appends nothing when nothing changes', async () => {
    const { take, log } = set();
    const { position } = await take('ann');
    const appends = log.appends;
    expect(await take('ann')).toEqual({ events: [], state: { taken: ['ann'] }, revision: 0, position });
    expect(log.appends).toBe(appends);
  });

  it('says none for a stream that does not exist and was not started', async () => {
    const { store } = set();
    const quiet: Decider<Room, TakeSeat, Taken> = { ...room, decide: () => [] };
    const run = { stream: 'room-2', command: { by: 'ann' }, context: context() };
    expect(await runDecider(store, quiet, run)).toEqual({ events: [], state: { taken: [] }, revision: 'none' });
  });

  it('decides afresh after a lost race', async () => {
    const { take, outrun, seated } = set();
    outrun('bob');
    expect(await take('ann')).toMatchObject({ state: { taken: ['bob', 'ann'] }, revision: 1 });
    expect(await seated()).toEqual(['bob', 'ann']);
  });

  it('refuses by what it finds after a lost race', async () => {
    const { take, outrun, seated } = set();
    await take('ann');
    await take('bob');
    outrun('cleo');
    await expect(take('dan')).rejects.toMatchObject({ code: 'FULL' });
    expect(await seated()).toEqual(['ann', 'bob', 'cleo']);
  });

  it('stays quiet when the one that was faster did the same', async () => {
    const { take, outrun, seated } = set();
    outrun('ann');
    expect(await take('ann')).toMatchObject({ events: [], revision: 0 });
    expect(await seated()).toEqual(['ann']);
  });

  it('gives up after the bound, and has changed nothing', async () => {
    const { store, take, log, outrun, seated } = set();
    outrun('a', 'b');
    await expect(take('ann', { attempts: 2 })).rejects.toMatchObject({
      code: 'STREAM_BUSY',
      kind: 'conflict',
      details: { stream: 'room-1', attempts: 2 },
      cause: { code: 'WRONG_REVISION' },
    });
    expect(await seated()).toEqual(['a', 'b']);

    const always: Decider<Room, TakeSeat, Taken> = {
      ...room,
      decide: ({ by }) => [{ type: 'SeatTaken', data: { by } }],
    };
    outrun('c', 'd', 'e', 'f', 'g', 'h');
    const before = log.appends;
    const run = { stream: 'room-1', command: { by: 'ann' }, context: context() };
    await expect(runDecider(store, always, run)).rejects.toMatchObject({ details: { attempts: 5 } });
    expect(log.appends - before).toBe(10);
  });

  it('lets racing commands all through, one after the other', async () => {
    const { take, seated } = set();
    const names = ['ann', 'bob', 'cleo', 'dan', 'eve'];
    const outcomes = await Promise.allSettled(names.map((by) => take(by, { attempts: 20 })));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(SEATS);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'FULL' });
    expect(new Set(await seated()).size).toBe(SEATS);
  });

  it('lets other failures of the log through', async () => {
    const { take, log } = set();
    await log.tombstone('room-1', 'any');
    await expect(take('ann')).rejects.toMatchObject({ code: 'STREAM_TOMBSTONED' });
  });

  it('stops when it is cancelled', async () => {
    const { take, seated } = set();
    await expect(take('ann', { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' });
    expect(await seated()).toEqual([]);
  });

  it('does not decide on events it does not understand', async () => {
    const { take, store } = set();
    const newer = new EventStore({
      log: store.log,
      catalog: new EventCatalog([{ type: 'RoomClosed', version: 1 }]),
      keys: new InMemoryKeys(),
    });
    await newer.append('room-1', [{ type: 'RoomClosed', data: {} }], 'any', context());
    await expect(take('ann')).rejects.toMatchObject({ code: 'EVENT_TOO_NEW', details: { type: 'RoomClosed' } });
  });

  describe('with derived ids', () => {
    it('writes once, however often and however late the same execution runs', async () => {
      const { take, seated, log } = set();
      const same = { context: context({ deterministicIds: true }) };
      const first = await take('ann', same);
      await take('bob');
      const head = await log.head();
      const again = await take('cleo', same);

      expect(again.events).toMatchObject([{ type: 'SeatTaken', data: { by: 'ann' }, revision: 0 }]);
      expect(first.events).toEqual([{ type: 'SeatTaken', data: { by: 'ann' } }]);
      expect(again).toMatchObject({ revision: 1, position: head });
      expect(await seated()).toEqual(['ann', 'bob']);
    });

    it('writes once when the same execution runs twice at the same time', async () => {
      const { take, seated } = set();
      const same = { context: context({ deterministicIds: true }) };
      const both = await Promise.all([take('ann', same), take('ann', same)]);
      expect(both.map(({ revision }) => revision)).toEqual([0, 0]);
      expect(await seated()).toEqual(['ann']);
    });

    it('gives other streams other ids', async () => {
      const { store, take } = set();
      const same = { context: context({ deterministicIds: true }) };
      await take('ann', same);
      await take('ann', { ...same, stream: 'room-2' });
      const ids: string[] = [];
      for (const stream of ['room-1', 'room-2']) for await (const { id } of store.read(stream)) ids.push(id);
      expect(new Set(ids).size).toBe(2);
    });
  });
});

describe('The event store', () => {
  it('gives events ids that grow with time', async () => {
    const { store } = set();
    for (let n = 0; n < 3; n += 1)
      await store.append('room-1', [{ type: 'SeatTaken', data: { by: `${n}` } }], 'any', context());
    const ids: string[] = [];
    for await (const event of store.read('room-1')) ids.push(event.id);
    expect(ids).toEqual([...ids].sort());
    expect(ids.every((id) => id[14] === '7')).toBe(true);
  });

  it('takes ids as given, one for each event', async () => {
    const { store } = set();
    const event = { type: 'SeatTaken', data: { by: 'ann' } };
    const id = randomUUID();
    await store.append('room-1', [event], 'none', context(), [id]);
    for await (const read of store.read('room-1')) expect(read.id).toBe(id);
    await expect(store.append('room-1', [event], 'any', context(), [])).rejects.toThrow('1 events need as many ids');
  });

  it('reads more events than it opens at a time, in both directions', async () => {
    const { store } = set();
    const events = Array.from({ length: 600 }, (_, n) => ({ type: 'SeatTaken', data: { by: `${n}` } }));
    await store.append('long', events, 'none', context());
    const read = async (direction: 'forward' | 'backward') => {
      const revisions: number[] = [];
      for await (const { revision } of store.read('long', { direction })) revisions.push(revision);
      return revisions;
    };
    const all = events.map((_, n) => n);
    expect(await read('forward')).toEqual(all);
    expect(await read('backward')).toEqual([...all].reverse());
  });
});
