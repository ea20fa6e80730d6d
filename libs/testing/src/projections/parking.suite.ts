import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { EventStore, type EventLog, type SubscribeOptions } from '#platform/eventlog';
import { ProjectionHost, type Projection } from '#platform/projections';
import { eventually } from './eventually.js';
import { bookCatalog, POISON, Shelf, shelfProjection, type TestEngines } from './shelf.js';

const PATIENCE = 10_000;

/** What becomes of the events around a poisonous one, and of events that only met a faulty database. */
export function parkingBehaviour(engine: string, open: () => Promise<TestEngines>): void {
  describe(`parking on ${engine}`, () => {
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
    async function hostOf(projection: Projection, store = shelf.store): Promise<ProjectionHost> {
      const host = new ProjectionHost({ database: opened.database, store, projections: [projection] });
      hosts.push(host);
      await host.start();
      return host;
    }

    it('loses nothing when it has to stand still while it singles out the poison', async () => {
      const name = uniqueName();
      const signals: AbortSignal[] = [];
      const base = shelfProjection(name);
      let held = false;
      const slow: Projection = {
        ...base,
        async apply(event, rows) {
          if (!held && (event.data as { title?: string }).title === `slow ${name}`) {
            held = true;
            await eventually(
              () => signals.at(-1)?.aborted,
              (aborted) => aborted === true,
            );
          }
          await base.apply(event, rows);
        },
      };
      const store = new EventStore({
        log: overheard(shelf.store.log, (signal) => signals.push(signal)),
        catalog: bookCatalog,
        keys: shelf.keys,
      });
      await shelf.shelve(`${POISON} ${name}`);
      for (const title of ['slow', 'third', 'fourth']) await shelf.shelve(`${title} ${name}`);
      const host = await hostOf(slow, store);
      await eventually(
        () => held,
        (now) => now,
      );
      await host.replay(name);
      const last = await shelf.shelve(`last ${name}`);
      expect(await host.waitFor([name], last.at.position, PATIENCE)).toBe(true);
      const titles = (await shelf.rows(name)).map((row) => (row as { title: string }).title);
      expect(titles.filter((title) => title.endsWith(name))).toEqual(
        ['fourth', 'last', 'slow', 'third'].map((title) => `${title} ${name}`),
      );
    });

    it('replays no later event in the place of one that retention has removed', async () => {
      const name = uniqueName();
      const applied: string[] = [];
      const base = shelfProjection(name);
      const host = await hostOf({
        ...base,
        apply(event, rows) {
          applied.push(event.type);
          return base.apply(event, rows);
        },
      });
      const { book } = await shelf.shelve(`${POISON} ${name}`);
      const dust = await shelf.append(book, { type: 'DustGathered', data: { book } });
      await host.waitFor([name], dust.position, PATIENCE);
      await shelf.store.log.setRetention(`book-${book}`, { maxCount: 1 });
      await host.replay(name);
      expect(applied).not.toContain('DustGathered');
      expect((await host.parked(name)).filter(({ stream }) => stream === `book-${book}`)).toEqual([]);
    });

    it('parks nothing for a fault of the database, and takes it in once that is over', async () => {
      const name = uniqueName();
      const host = await hostOf(shelfProjection(name));
      const { database } = opened;
      await database.query(
        `create function "${name}_v1".refuse() returns trigger language plpgsql as
         $$ begin raise 'No space left on device.' using errcode = 'disk_full'; end $$`,
      );
      await database.query(
        `create trigger full_disk before insert on "${name}_v1"."${name}_books" execute function "${name}_v1".refuse()`,
      );
      const { book, at } = await shelf.shelve(`patient ${name}`);
      const parked = async () => (await host.parked(name)).filter(({ stream }) => stream === `book-${book}`);
      await eventually(
        async () => (await host.status())[0]?.state === 'failing' || (await parked()).length > 0,
        (met) => met,
      );
      await database.query(`drop trigger full_disk on "${name}_v1"."${name}_books"`);
      expect(await host.waitFor([name], at.position, PATIENCE)).toBe(true);
      expect(await shelf.rows(name)).toContainEqual(expect.objectContaining({ book }));
      expect(await parked()).toEqual([]);
    });
  });
}

/** The same log, telling which signals its subscriptions end by. */
function overheard(log: EventLog, subscribed: (signal: AbortSignal) => void): EventLog {
  return new Proxy(log, {
    get(target, property) {
      if (property === 'subscribe') {
        return (options: SubscribeOptions) => {
          subscribed(options.signal);
          return target.subscribe(options);
        };
      }
      const value: unknown = Reflect.get(target, property);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
