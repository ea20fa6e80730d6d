import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { EventStore, type RecordedEvent, type StoredEvent } from '#platform/eventlog';
import { ProjectionHost, type Projection, type ProjectionStatus } from '#platform/projections';
import { eventually } from './eventually.js';
import { bookCatalog, POISON, Shelf, shelfProjection, type TestEngines } from './shelf.js';

const PATIENCE = 10_000;

/** What the projection runner promises, on any database. */
export function projectionBehaviour(engine: string, open: () => Promise<TestEngines>): void {
  describe(`projections on ${engine}`, () => {
    let opened: TestEngines;
    let shelf: Shelf;
    const hosts: ProjectionHost[] = [];

    beforeAll(async () => {
      opened = await open();
      shelf = new Shelf(opened.database, opened.log);
    });
    afterEach(async () => {
      await Promise.all(hosts.splice(0).map((host) => host.stop()));
    });
    afterAll(() => opened.close());

    const uniqueName = () => `shelf${randomUUID().slice(0, 8)}`;
    async function hostOf(...projections: Projection[]): Promise<ProjectionHost> {
      const host = new ProjectionHost({ database: opened.database, store: shelf.store, projections });
      hosts.push(host);
      await host.start();
      return host;
    }
    const statusOf = async (host: ProjectionHost, name: string) =>
      (await host.status()).filter((status) => status.name === name)[0] as ProjectionStatus;

    it('shows what was appended once the position has been reached', async () => {
      const name = uniqueName();
      const host = await hostOf(shelfProjection(name));
      const { book, at } = await shelf.shelve('Walden');
      expect(await host.waitFor([name], at.position, PATIENCE)).toBe(true);
      expect(await shelf.rows(name)).toContainEqual({
        book,
        title: 'Walden',
        reader_name: null,
        changes: 0,
        info: { by: 'test' },
      });
    });

    it('waits no longer than asked for a position that does not come', async () => {
      const name = uniqueName();
      const host = await hostOf(shelfProjection(name));
      expect(await host.waitFor([name], 'f'.repeat(16) as never, 50)).toBe(false);
    });

    it('moves its checkpoint past events it does not handle', async () => {
      const name = uniqueName();
      const host = await hostOf(shelfProjection(name));
      const { position } = await shelf.append(randomUUID(), { type: 'DustGathered', data: { book: randomUUID() } });
      expect(await host.waitFor([name], position, PATIENCE)).toBe(true);
      await eventually(
        () => statusOf(host, name),
        ({ lag, state }) => lag.events === 0 && lag.seconds === 0 && state === 'running',
      );
    });

    it('folds changes of one row within a batch and across batches alike', async () => {
      const name = uniqueName();
      const { book } = await shelf.shelve('first');
      await shelf.append(book, { type: 'BookRetitled', data: { book, title: 'second' } });
      const host = await hostOf(shelfProjection(name));
      const reader = randomUUID();
      const { position } = await shelf.append(
        book,
        { type: 'BookRetitled', data: { book, title: `third ${name}` } },
        { type: 'BookLent', data: { book, reader, name: 'Ada' } },
      );
      await host.waitFor([name], position, PATIENCE);
      expect(await shelf.rows(name)).toContainEqual(
        expect.objectContaining({ book, title: `third ${name}`, reader_name: 'Ada', changes: 3 }),
      );
      const { position: gone } = await shelf.append(book, { type: 'BookRemoved', data: { book } });
      await host.waitFor([name], gone, PATIENCE);
      expect(await shelf.rows(name)).not.toContainEqual(expect.objectContaining({ book }));
    });

    it('leaves the same rows when everything is delivered twice', async () => {
      const name = uniqueName();
      const host = await hostOf(shelfProjection(name));
      const { book } = await shelf.shelve('Emma');
      const { position } = await shelf.append(book, { type: 'BookRetitled', data: { book, title: 'Emma, again' } });
      await host.waitFor([name], position, PATIENCE);
      const before = await shelf.rows(name);
      await host.stop();
      await opened.database.query(`update projections.builds set position = '' where name = $1`, [name]);
      const again = await hostOf(shelfProjection(name));
      await again.waitFor([name], position, PATIENCE);
      expect(await shelf.rows(name)).toEqual(before);
    });

    it('parks a poison event, holds back its stream only, and takes both in when replayed', async () => {
      const name = uniqueName();
      let cured = false;
      const host = await hostOf(shelfProjection(name, { cured: () => cured }));
      const bad = await shelf.shelve(`${POISON} ${name}`);
      await shelf.append(bad.book, { type: 'BookRetitled', data: { book: bad.book, title: `healed ${name}` } });
      const good = await shelf.shelve(`fine ${name}`);
      await host.waitFor([name], good.at.position, PATIENCE);

      const mine = (await host.parked(name)).filter(({ stream }) => stream === `book-${bad.book}`);
      expect(mine).toMatchObject([
        { type: 'BookShelved', error: `Cannot shelve "${POISON} ${name}".`, behind: false },
        { type: 'BookRetitled', behind: true },
      ]);
      expect(await shelf.rows(name)).toContainEqual(expect.objectContaining({ title: `fine ${name}` }));
      expect((await statusOf(host, name)).parked).toBeGreaterThanOrEqual(2);

      const failed = await host.replay(name, mine[0]?.id);
      expect(failed.replayed).toBe(0);
      cured = true;
      const healed = await host.replay(name);
      expect(healed.stillParked).toBe(0);
      expect(await shelf.rows(name)).toContainEqual(expect.objectContaining({ title: `healed ${name}`, changes: 1 }));
      const later = await shelf.append(bad.book, {
        type: 'BookRetitled',
        data: { book: bad.book, title: `after ${name}` },
      });
      await host.waitFor([name], later.position, PATIENCE);
      expect(await shelf.rows(name)).toContainEqual(expect.objectContaining({ title: `after ${name}`, changes: 2 }));
    });

    it('shows an erased field as erased, in the live build and in a rebuilt one', async () => {
      const name = uniqueName();
      const host = await hostOf(shelfProjection(name));
      const { book } = await shelf.shelve(`lent ${name}`);
      const reader = randomUUID();
      await shelf.append(book, { type: 'BookLent', data: { book, reader, name: 'Grace' } });
      shelf.keys.erase(reader);
      await host.rebuild(name);
      const report = await host.rebuilt(name);
      expect(await shelf.rows(name)).toContainEqual(expect.objectContaining({ book, reader_name: 'erased' }));
      expect(report.version).toBe(2);
    });

    it('rebuilds beside the live build while writes go on, compares, switches, and rolls back', async () => {
      const name = uniqueName();
      const host = await hostOf(shelfProjection(name));
      for (let at = 0; at < 50; at += 1) await shelf.shelve(`${name} ${at}`);
      let writing = true;
      let written = 0;
      const writer = (async () => {
        while (writing) {
          await shelf.shelve(`${name} during ${written}`);
          written += 1;
        }
      })();
      const rebuild = async () => {
        expect(await host.rebuild(name)).toEqual({ version: 2 });
        return host.rebuilt(name);
      };
      const report = await rebuild().finally(() => (writing = false));
      await writer;
      const last = await shelf.shelve(`${name} after`);
      await host.waitFor([name], last.at.position, PATIENCE);

      expect(report).toMatchObject({ version: 2, previous: 1, identical: true });
      expect(report.tables[0]?.rows).toBeGreaterThanOrEqual(50);
      const rebuilt = await shelf.rows(name);
      expect(rebuilt.filter((row) => String((row as { title: string }).title).startsWith(name))).toHaveLength(
        51 + written,
      );
      expect(await statusOf(host, name)).toMatchObject({ version: 2, state: 'running' });

      expect(await host.rollback(name)).toEqual({ version: 1 });
      await host.waitFor([name], last.at.position, PATIENCE);
      expect(await statusOf(host, name)).toMatchObject({ version: 1 });
      expect(await shelf.rows(name)).toEqual(rebuilt);
    });

    it('reports and repairs rows that no event explains', async () => {
      const name = uniqueName();
      const host = await hostOf(shelfProjection(name));
      const { book, at } = await shelf.shelve(`true ${name}`);
      const lost = await shelf.shelve(`lost ${name}`);
      await host.waitFor([name], lost.at.position > at.position ? lost.at.position : at.position, PATIENCE);
      await opened.database.query(`update "${name}_v1"."${name}_books" set title = 'forged' where book = $1`, [book]);
      await opened.database.query(`delete from "${name}_v1"."${name}_books" where book = $1`, [lost.book]);
      await opened.database.query(`insert into "${name}_v1"."${name}_books" values ($1, 'invented', null, 0, null)`, [
        randomUUID(),
      ]);
      await host.rebuild(name);
      const report = await host.rebuilt(name);
      expect(report.identical).toBe(false);
      expect(report.tables).toMatchObject([{ changed: 1, onlyAfter: 1, onlyBefore: 1 }]);
      const titles = (await shelf.rows(name)).map((row) => (row as { title: string }).title);
      expect(titles).toEqual(expect.arrayContaining([`true ${name}`, `lost ${name}`]));
      expect(titles).not.toEqual(expect.arrayContaining(['forged']));
      expect(titles).not.toEqual(expect.arrayContaining(['invented']));
    });

    it('refuses a second rebuild meanwhile, a rollback to nothing, and a name it does not know', async () => {
      const name = uniqueName();
      const host = await hostOf(shelfProjection(name));
      await expect(host.rollback(name)).rejects.toMatchObject({ code: 'NOTHING_TO_ROLL_BACK_TO' });
      await expect(host.replay(name, randomUUID())).rejects.toMatchObject({ code: 'EVENT_NOT_PARKED' });
      await expect(host.rebuild('nowhere')).rejects.toMatchObject({ code: 'PROJECTION_NOT_FOUND' });
      const [first, second] = await Promise.allSettled([host.rebuild(name), host.rebuild(name)]);
      const refused = [first, second].filter((outcome) => outcome.status === 'rejected');
      for (const outcome of refused) expect(outcome.reason).toMatchObject({ code: 'REBUILD_RUNNING' });
      expect(refused.length).toBeLessThanOrEqual(1);
      await host.rebuilt(name);
    });

    it('answers with the fault when a rebuild cannot begin, and goes on', async () => {
      const name = uniqueName();
      const base = shelfProjection(name);
      let broken = false;
      const [table] = Object.keys(base.tables) as [string];
      const host = await hostOf({
        ...base,
        get tables() {
          return broken ? { [table]: { columns: { book: 'no_such_type' }, key: ['book'] } } : base.tables;
        },
      });
      broken = true;
      await expect(host.rebuild(name)).rejects.toThrow('no_such_type');
      broken = false;
      const { at } = await shelf.shelve(`after ${name}`);
      expect(await host.waitFor([name], at.position, PATIENCE)).toBe(true);
    });

    it('does not do what was asked long ago by somebody who left', async () => {
      const name = uniqueName();
      await opened.database.query(
        `insert into projections.requests (id, name, action, argument, requested_at)
         values ($1, $2, 'rebuild', '{}', clock_timestamp() - interval '1 hour')`,
        [randomUUID(), name],
      );
      const host = await hostOf(shelfProjection(name));
      await host.replay(name);
      expect(await statusOf(host, name)).toMatchObject({ version: 1, state: 'running' });
    });

    it('rebuilds by itself when the code has changed, and the old build stays readable until then', async () => {
      const name = uniqueName();
      const old = await hostOf(shelfProjection(name));
      const { at } = await shelf.shelve(`quiet ${name}`);
      await old.waitFor([name], at.position, PATIENCE);
      await old.stop();
      const host = await hostOf(shelfProjection(name, { version: 2 }));
      await eventually(
        () => statusOf(host, name),
        ({ version, state }) => version === 2 && state === 'running',
      );
      expect(await shelf.rows(name)).toContainEqual(expect.objectContaining({ title: `QUIET ${name.toUpperCase()}` }));
      await expect(host.rollback(name)).rejects.toMatchObject({ code: 'ROLLBACK_NEEDS_OLD_CODE' });
    });

    it('goes on with a rebuild that was interrupted', async () => {
      const name = uniqueName();
      const host = await hostOf(shelfProjection(name));
      for (let at = 0; at < 20; at += 1) await shelf.shelve(`${name} ${at}`);
      await host.rebuild(name);
      await host.stop();
      const next = await hostOf(shelfProjection(name));
      const report = await next.rebuilt(name);
      expect(report).toMatchObject({ version: 2, identical: true });
    });

    it('has one active runner when several run, and the next takes over where it stopped', async () => {
      const name = uniqueName();
      const first = await hostOf(shelfProjection(name));
      const second = await hostOf(shelfProjection(name));
      const { at } = await shelf.shelve(`one ${name}`);
      expect(await second.waitFor([name], at.position, PATIENCE)).toBe(true);
      const owners = await opened.database.query('select token from projections.leases where name = $1', [name]);
      expect(owners.rows).toEqual([{ token: 1 }]);
      expect((await second.replay(name)).replayed).toBe(0);
      await first.stop();
      const later = await shelf.shelve(`two ${name}`);
      expect(await second.waitFor([name], later.at.position, PATIENCE)).toBe(true);
      const next = await opened.database.query('select token from projections.leases where name = $1', [name]);
      expect(next.rows).toEqual([{ token: 2 }]);
    });

    it('does not let a paused old owner write after another took over', async () => {
      const name = uniqueName();
      const title = `contested ${name}`;
      const gate = new Gate();
      const base = shelfProjection(name);
      const stale: Projection = { ...base, apply: (event, rows) => base.apply(retitled(event, 'stale'), rows) };
      const paused = new ProjectionHost({
        database: opened.database,
        store: new GatedStore(shelf, gate, (events) => events.some(({ data }) => data['title'] === title)),
        projections: [stale],
      });
      hosts.push(paused);
      await paused.start();
      const { book, at } = await shelf.shelve(title);
      await gate.reached;
      await opened.database.query(
        `update projections.leases set expires_at = clock_timestamp() - interval '1 second' where name = $1`,
        [name],
      );
      const next = await hostOf(base);
      expect(await next.waitFor([name], at.position, PATIENCE)).toBe(true);
      gate.open();
      await paused.stop();
      expect(await shelf.rows(name)).toContainEqual(expect.objectContaining({ book, title }));
      expect(await shelf.rows(name)).not.toContainEqual(expect.objectContaining({ book, title: 'stale' }));
    });
  });
}

/** Stops whoever passes until it is opened, and tells that someone stands there. */
class Gate {
  open!: () => void;
  arrive!: () => void;
  readonly opened = new Promise<void>((resolve) => (this.open = resolve));
  readonly reached = new Promise<void>((resolve) => (this.arrive = resolve));

  async pass(): Promise<void> {
    this.arrive();
    await this.opened;
  }
}

/** A store whose reader falls asleep over certain events, before any transaction has begun. */
class GatedStore extends EventStore {
  constructor(
    shelf: Shelf,
    private readonly gate: Gate,
    private readonly stops: (events: readonly StoredEvent[]) => boolean,
  ) {
    super({ log: shelf.store.log, catalog: bookCatalog, keys: shelf.keys });
  }

  override async open(events: readonly StoredEvent[]): Promise<RecordedEvent[]> {
    if (this.stops(events)) await this.gate.pass();
    return super.open(events);
  }
}

function retitled(event: RecordedEvent, title: string): RecordedEvent {
  return { ...event, data: { ...(event.data as object), title } };
}
