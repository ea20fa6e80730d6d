import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ERASED, SYSTEM, type Decider } from '#kernel';
import {
  EventCatalog,
  EventStore,
  Keyring,
  PostgresSnapshots,
  runDecider,
  type EventContext,
  type EventSpec,
  type PostgresSnapshotsOptions,
  type Snapshots,
} from '#platform/eventlog';
import type { Database } from '#platform/postgres';
import type { TestDatabase } from '../postgres/databases.js';
import { InMemoryEventLog } from './in-memory-log.js';
import { unique } from './log-driver.js';

type Added = { readonly type: 'LineAdded'; readonly data: { readonly note: string; readonly text: unknown } };
interface Note {
  readonly lines: readonly unknown[];
}
interface AddLines {
  readonly note: string;
  readonly texts: readonly string[];
}

const decider: Decider<Note, AddLines, Added> = {
  initial: () => ({ lines: [] }),
  decide: ({ note, texts }) => texts.map((text) => ({ type: 'LineAdded', data: { note, text } })),
  evolve: ({ lines }, event) => ({ lines: [...lines, event.data.text] }),
};

const lineAdded: EventSpec = {
  type: 'LineAdded',
  version: 1,
  sealed: { subject: (data) => data['note'] as string, fields: ['text'] },
};

/** Counts how many events a load has read. */
class MeteredLog extends InMemoryEventLog {
  read = 0;

  override async *readStream(...args: Parameters<InMemoryEventLog['readStream']>) {
    for await (const event of super.readStream(...args)) {
      this.read += 1;
      yield event;
    }
  }
}

/** What snapshots promise on every engine. */
export function snapshotsBehaviour(name: string, open: () => Promise<TestDatabase>): void {
  describe(`Snapshots on ${name}`, () => {
    let opened: TestDatabase;
    let database: Database;
    const master = createSecretKey(randomBytes(32));
    const keysOf = () => new Keyring({ database, master });

    beforeAll(async () => {
      opened = await open();
      database = opened.database;
      await keysOf().claim();
    });
    afterAll(async () => {
      await opened.close();
    });

    function set(options: Partial<PostgresSnapshotsOptions> = {}, specs: EventSpec[] = [lineAdded]) {
      const log = new MeteredLog();
      const keys = keysOf();
      const store = new EventStore({ log, catalog: new EventCatalog(specs), keys });
      const errors: unknown[] = [];
      const snapshots = new PostgresSnapshots({
        database,
        every: 10,
        onError: (error) => errors.push(error),
        ...options,
      });
      const stream = unique('note');
      const add = async (
        texts: readonly string[],
        more: { foldVersion?: number; using?: typeof decider; snapshots?: Snapshots } = {},
      ) => {
        const { using = decider, ...rest } = more;
        log.read = 0;
        const run = { stream, command: { note: stream, texts }, context: circumstances(), snapshots, ...rest };
        const decided = await runDecider(store, using, run);
        await snapshots.settled();
        return decided;
      };
      const taken = async () =>
        (
          await database.query<{ revision: string }>('select revision::text from snapshots.states where stream = $1', [
            stream,
          ])
        ).rows.map(({ revision }) => Number(revision));
      return { log, keys, store, snapshots, stream, add, taken, errors };
    }

    it('make no difference to any state', async () => {
      const batches = fc.array(fc.array(fc.string({ unit: 'binary' }), { maxLength: 4 }), { maxLength: 12 });
      await fc.assert(
        fc.asyncProperty(batches, fc.integer({ min: 1, max: 6 }), async (appends, every) => {
          const { add } = set({ every });
          for (const texts of appends) await add(texts);
          const without = await add([], { snapshots: undefined });
          expect(await add([])).toEqual(without);
          expect(without.state.lines).toEqual(appends.flat());
        }),
        { numRuns: 15 },
      );
    });

    it('are taken every so many events and make loading short', async () => {
      const { add, taken, log, errors } = set();
      await add(lines(9));
      expect(await taken()).toEqual([]);
      await add(lines(1));
      expect(await taken()).toEqual([9]);
      await add(lines(5));
      expect(log.read).toBe(1);
      await add(lines(4));
      expect(await taken()).toEqual([9]);
      await add(lines(3));
      expect(log.read).toBe(1 + 9);
      expect(await taken()).toEqual([21]);
      expect((await add([])).state.lines).toHaveLength(22);
      expect(errors).toEqual([]);
    });

    it('are not waited for', async () => {
      const { store, stream, taken } = set();
      let release: () => void = () => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      const slow = new PostgresSnapshots({ database: heldBack(database, held), every: 1 });
      const run = { stream, command: { note: stream, texts: ['a'] }, context: circumstances(), snapshots: slow };
      await runDecider(store, decider, run);
      expect(await taken()).toEqual([]);
      release();
      await slow.settled();
      expect(await taken()).toEqual([0]);
    });

    it.each<[string, { foldVersion?: number; using?: typeof decider }]>([
      ['the fold', { using: { ...decider, evolve: ({ lines: all }, { data }) => ({ lines: [data.text, ...all] }) } }],
      ['the initial state', { using: { ...decider, initial: () => ({ lines: ['first'] }) } }],
      ['its declared version', { foldVersion: 2 }],
    ])('are not met when %s changes', async (_, change) => {
      const { add, log } = set();
      await add(lines(12));
      const { state } = await add([], change);
      expect(log.read).toBe(12);
      expect(state).toEqual((await add([], { ...change, snapshots: undefined })).state);
    });

    it('are not met when an upcast changes what stored events say', async () => {
      const { add, log, snapshots, keys, stream } = set();
      await add(lines(12));
      const newer = new EventStore({
        log,
        keys,
        catalog: new EventCatalog([
          {
            ...lineAdded,
            version: 2,
            upcasts: { 1: ({ note, text }) => ({ note: note!, text: `${text as string}!` }) },
          },
        ]),
      });
      const run = { stream, command: { note: stream, texts: [] }, context: circumstances(), snapshots };
      expect((await runDecider(newer, decider, run)).state.lines[0]).toBe('line 0!');
    });

    it.each<[string, string]>([
      ['changed state', `state = '{"lines":["forged"]}'`],
      ['no state at all', `state = 'null'`],
    ])('are left aside when corrupt: %s', async (_, damage) => {
      const { add, log, stream, errors, snapshots } = set();
      await add(lines(10));
      await database.query(`update snapshots.states set ${damage} where stream = $1`, [stream]);
      expect((await add([])).state.lines).toEqual(lines(10));
      expect(log.read).toBe(10);
      expect(errors).toHaveLength(1);
      expect(snapshots.failures).toBe(1);
    });

    it.each<[string, string]>([
      ['of a longer log', 'revision = revision + 5'],
      ['of another log', `event_id = '${randomUUID()}'`],
    ])('are thrown away when they are %s, as after a restore', async (_, damage) => {
      const { add, stream, taken } = set();
      await add(lines(10));
      await database.query(`update snapshots.states set ${damage} where stream = $1`, [stream]);
      expect((await add(['last'])).state.lines).toEqual([...lines(10), 'last']);
      expect(await taken()).toEqual([10]);
    });

    it('do not stop anything when their table is away', async () => {
      const { add, errors, snapshots } = set({ database: broken(database) });
      await add(lines(10));
      expect((await add([])).state.lines).toEqual(lines(10));
      expect(errors).toHaveLength(3);
      expect(snapshots.failures).toBe(3);
    });

    it('are not taken of a state that JSON would change', async () => {
      const { store, stream, snapshots, taken, errors } = set({ every: 1 });
      const dated: Decider<{ at?: Date }, null, Added> = {
        initial: () => ({}),
        decide: () => [{ type: 'LineAdded', data: { note: stream, text: 'a' } }],
        evolve: () => ({ at: new Date(0) }),
      };
      await runDecider(store, dated, { stream, command: null, context: circumstances(), snapshots });
      await snapshots.settled();
      expect(await taken()).toEqual([]);
      expect(String(errors)).toContain('not plain JSON');
    });

    it('go with the subject they hold when it is erased, and other ones stay', async () => {
      const [gone, kept] = [set(), set()];
      for (const { add } of [gone, kept]) await add(lines(10));
      await gone.keys.erase(gone.stream);
      expect(await gone.taken()).toEqual([]);
      expect(await kept.taken()).toEqual([9]);
      expect((await gone.add([])).state.lines).toEqual(lines(10).map(() => ERASED));
    });

    it('are not taken of what has been erased meanwhile, though the state was folded before', async () => {
      const { store, stream, taken } = set();
      let release: () => void = () => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      const slow = new PostgresSnapshots({ database: heldBack(database, held), every: 1 });
      const run = { stream, command: { note: stream, texts: ['a'] }, context: circumstances(), snapshots: slow };
      await runDecider(store, decider, run);
      await keysOf().erase(stream);
      release();
      await slow.settled();
      expect(await taken()).toEqual([]);
      expect(slow.failures).toBe(0);
    });

    it('never survive an erasure that happens at the same time', async () => {
      for (let round = 0; round < 10; round += 1) {
        const { store, stream, snapshots, taken } = set({ every: 1 });
        const run = { stream, command: { note: stream, texts: ['a'] }, context: circumstances(), snapshots };
        await runDecider(store, decider, run);
        await Promise.all([snapshots.settled(), keysOf().erase(stream)]);
        expect(await taken()).toEqual([]);
      }
    });

    it('remember the subjects of those before them', async () => {
      const { store, snapshots, keys, taken, stream } = set({ every: 2 });
      const [ann, bob] = [unique('ann'), unique('bob')];
      for (const note of [ann, ann, bob, bob]) {
        await runDecider(store, decider, {
          stream,
          command: { note, texts: ['x'] },
          context: circumstances(),
          snapshots,
        });
        await snapshots.settled();
      }
      expect(await taken()).toEqual([3]);
      await keys.erase(ann);
      expect(await taken()).toEqual([]);
    });

    it('keep the newest when they are offered out of order', async () => {
      const { snapshots, stream, taken } = set();
      const at = (revision: number) => ({ revision, eventId: randomUUID(), state: { revision }, subjects: [] });
      snapshots.offer(stream, 'fold', at(7));
      await snapshots.settled();
      snapshots.offer(stream, 'fold', at(5));
      await snapshots.settled();
      expect(await taken()).toEqual([7]);
      expect(await snapshots.find(stream, 'fold')).toMatchObject({ revision: 7, state: { revision: 7 } });
    });
  });
}

function circumstances(): EventContext {
  return {
    caller: SYSTEM,
    correlationId: 'correlation',
    executionId: randomUUID(),
    operation: 'add_lines',
    at: new Date(0),
  };
}

function lines(count: number): string[] {
  return Array.from({ length: count }, (_, n) => `line ${n}`);
}

/** The same database, whose transactions wait for something first. */
function heldBack(database: Database, until: Promise<void>): Database {
  return {
    engine: database.engine,
    at: (priority) => heldBack(database.at(priority), until),
    query: (text, values) => database.query(text, values),
    transaction: (body) => until.then(() => database.transaction(body)),
    checkFree: () => database.checkFree(),
    listen: (channel, notified) => database.listen(channel, notified),
    close: () => database.close(),
  };
}

/** A database that has just gone. */
function broken(database: Database): Database {
  const away = () => Promise.reject(new Error('The database has gone.'));
  return { ...heldBack(database, Promise.resolve()), at: () => broken(database), query: away, transaction: away };
}
