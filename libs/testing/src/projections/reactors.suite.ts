import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { Clock } from '#kernel';
import { ProjectionHost, type Reaction, type Reactor, type Timer } from '#platform/projections';
import type { TestDatabase } from '../postgres/databases.js';
import { eventually } from './eventually.js';
import { Shelf, shelfProjection, testContext, type BookEvent, type TestEngines } from './shelf.js';

/** A clock the test moves by hand. */
class HandClock implements Clock {
  private ms = Date.parse('2030-01-01T00:00:00Z');

  now(): Date {
    return new Date(this.ms);
  }

  pass(seconds: number): void {
    this.ms += seconds * 1_000;
  }
}

/** What the runner of reactors and sagas promises, on any database. */
export function reactorBehaviour(engine: string, open: () => Promise<TestEngines>): void {
  describe(`reactors on ${engine}`, () => {
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

    async function hostOf(reactor: Reactor, clock?: Clock, projections = [] as ReturnType<typeof shelfProjection>[]) {
      const host = new ProjectionHost({
        database: opened.database,
        store: shelf.store,
        projections,
        reactors: [reactor],
        ...(clock ? { clock } : {}),
      });
      hosts.push(host);
      await host.start();
      return host;
    }

    /** Lends every newly shelved book, and dusts it when it has stood for an hour. */
    function librarian(name: string, reacted: string[] = []): Reactor {
      const append = (event: BookEvent, reaction: Reaction) =>
        shelf.store.append(`book-${event.data.book}`, [event], 'any', testContext(), [reaction.id(event.type)]);
      return {
        name,
        handles: ['BookShelved', 'BookRemoved'],
        from: 'now',
        async react(recorded, reaction) {
          const event = recorded as unknown as BookEvent;
          reacted.push(`${event.type} ${event.data.book}`);
          if (event.type === 'BookRemoved') {
            reaction.cancel(event.data.book);
            return;
          }
          const dueAt = new Date(Date.parse('2030-01-01T00:00:00Z') + 3_600_000);
          reaction.schedule({ key: event.data.book, dueAt, data: { book: event.data.book } });
          await append(
            { type: 'BookLent', data: { book: event.data.book, reader: randomUUID(), name: 'Ann' } },
            reaction,
          );
        },
        async onTimer(timer: Timer, reaction) {
          await append({ type: 'DustGathered', data: { book: timer.key } }, reaction);
        },
      };
    }
    const typesOf = async (book: string) => {
      const types: string[] = [];
      for await (const { type } of shelf.store.log.readStream(`book-${book}`)) types.push(type);
      return types;
    };
    const count = async (book: string, type: string) => (await typesOf(book)).filter((each) => each === type).length;

    it('reacts to events from its checkpoint on, after a restart too', async () => {
      const name = `librarian-${randomUUID()}`;
      const reacted: string[] = [];
      const host = await hostOf(librarian(name, reacted));
      await eventually(
        () => exists(opened, name),
        (position) => position !== undefined,
      );
      const one = await shelf.shelve('one');
      await eventually(
        () => count(one.book, 'BookLent'),
        (lent) => lent === 1,
      );
      await host.stop();
      const two = await shelf.shelve('two');
      await hostOf(librarian(name, reacted));
      await eventually(
        () => count(two.book, 'BookLent'),
        (lent) => lent === 1,
      );
      expect(reacted).toEqual([`BookShelved ${one.book}`, `BookShelved ${two.book}`]);
    });

    it('does nothing twice when an event is delivered again', async () => {
      const name = `librarian-${randomUUID()}`;
      const reacted: string[] = [];
      const host = await hostOf(librarian(name, reacted));
      const begun = await eventually(
        () => exists(opened, name),
        (position) => position !== undefined,
      );
      const { book } = await shelf.shelve('twice');
      await eventually(
        () => count(book, 'BookLent'),
        (lent) => lent === 1,
      );
      await host.stop();
      await opened.database.query('update projections.builds set position = $2 where name = $1', [name, begun ?? '']);
      await hostOf(librarian(name, reacted));
      await eventually(
        () => reacted.filter((entry) => entry.includes(book)).length,
        (times) => times === 2,
      );
      expect(await count(book, 'BookLent')).toBe(1);
    });

    it('fires a timer when it is due, once, also when that was while nothing ran', async () => {
      const name = `librarian-${randomUUID()}`;
      const clock = new HandClock();
      const host = await hostOf(librarian(name), clock);
      await eventually(
        () => exists(opened, name),
        (position) => position !== undefined,
      );
      const kept = await shelf.shelve('kept');
      const removed = await shelf.shelve('removed');
      await eventually(
        () => timers(opened, name),
        (keys) => keys.length === 2,
      );
      await shelf.append(removed.book, { type: 'BookRemoved', data: { book: removed.book } });
      await eventually(
        () => timers(opened, name),
        (keys) => keys.length === 1,
      );
      expect(await count(kept.book, 'DustGathered')).toBe(0);
      await host.stop();
      clock.pass(7_200);
      await hostOf(librarian(name), clock);
      await eventually(
        () => timers(opened, name),
        (keys) => keys.length === 0,
      );
      expect(await count(kept.book, 'DustGathered')).toBe(1);
      expect(await count(removed.book, 'DustGathered')).toBe(0);
    });

    it('fires again after a crash between the deed and its record, without doing it twice', async () => {
      const name = `librarian-${randomUUID()}`;
      const clock = new HandClock();
      const host = await hostOf(librarian(name), clock);
      await eventually(
        () => exists(opened, name),
        (position) => position !== undefined,
      );
      const { book } = await shelf.shelve('crash');
      const [row] = await eventually(
        () => timerRows(opened, name),
        (rows) => rows.length === 1,
      );
      clock.pass(7_200);
      await eventually(
        () => timers(opened, name),
        (keys) => keys.length === 0,
      );
      await host.stop();
      await opened.database.query(
        'insert into projections.timers (reactor, key, due_at, data) values ($1, $2, $3, $4)',
        [name, book, row?.due_at as Date, JSON.stringify(row?.data)],
      );
      await hostOf(librarian(name), clock);
      await eventually(
        () => timers(opened, name),
        (keys) => keys.length === 0,
      );
      expect(await count(book, 'DustGathered')).toBe(1);
    });

    it('tries again what failed by chance, parks what keeps failing, and goes on with the rest', async () => {
      const name = `clumsy-${randomUUID()}`;
      let tries = 0;
      const done: string[] = [];
      const clumsy: Reactor = {
        name,
        handles: ['BookShelved'],
        from: 'now',
        react(event) {
          const { title } = event.data as { title: string };
          if (title === 'broken') throw new Error('It fell apart.');
          if (title === 'slippery' && (tries += 1) < 3) throw new Error('It slipped.');
          done.push(title);
          return Promise.resolve();
        },
      };
      await hostOf(clumsy);
      await eventually(
        () => exists(opened, name),
        (position) => position !== undefined,
      );
      for (const title of ['slippery', 'broken', 'easy']) await shelf.shelve(title);
      await eventually(
        () => done,
        (titles) => titles.includes('easy'),
      );
      expect(done).toEqual(['slippery', 'easy']);
      const { rows } = await opened.database.query('select type, error from projections.parked where name = $1', [
        name,
      ]);
      expect(rows).toEqual([{ type: 'BookShelved', error: 'It fell apart.' }]);
    });

    it('does not park what it did but could not write down', async () => {
      const name = `writer-${randomUUID()}`;
      const { database } = opened;
      const faulty = `"fault ${name}"`;
      // Fails as a server does that goes away; only a parked event would get past it.
      await database.query(
        `create function projections.${faulty}() returns trigger language plpgsql as $$ begin
           if new.name = '${name}' and not exists (select from projections.parked where name = new.name) then
             raise 'Going down.' using errcode = 'admin_shutdown';
           end if;
           return new;
         end $$`,
      );
      let times = 0;
      const react = async () => {
        times += 1;
        await database.query(
          times === 1
            ? `create trigger ${faulty} before update on projections.builds for each row execute function projections.${faulty}()`
            : `drop trigger if exists ${faulty} on projections.builds`,
        );
      };
      await hostOf({ name, handles: ['BookShelved'], from: 'now', react });
      await eventually(
        () => exists(opened, name),
        (position) => position !== undefined,
      );
      await shelf.shelve('noted');
      await eventually(
        async () => times >= 2 || (await parkedCount(opened, name)) > 0,
        (met) => met,
      );
      await database.query(`drop function projections.${faulty} cascade`);
      expect(await parkedCount(opened, name)).toBe(0);
    });

    it('lets timers that keep failing hold up no other', async () => {
      const name = `clock-${randomUUID()}`;
      await opened.database.query(
        `insert into projections.timers (reactor, key, due_at, data)
         select $1, 'bad ' || n, timestamptz '2020-01-01' + n * interval '1 second', '{}'::json from generate_series(1, 150) as n
         union all select $1, 'good', timestamptz '2021-01-01', '{}'`,
        [name],
      );
      const fired: string[] = [];
      const onTimer = ({ key }: Timer) => {
        fired.push(key);
        return key === 'good' ? Promise.resolve() : Promise.reject(new Error('It does not go off.'));
      };
      await hostOf({ name, handles: ['BookShelved'], from: 'now', react: () => Promise.resolve(), onTimer });
      await eventually(
        () => timers(opened, name),
        (keys) => keys.length > 0 && !keys.includes('good'),
      );
      expect(fired.filter((key) => key === 'good')).toHaveLength(1);
    });

    it('never runs because of a rebuild', async () => {
      const name = `librarian-${randomUUID()}`;
      const shelfName = `shelf${randomUUID().slice(0, 8)}`;
      const reacted: string[] = [];
      const host = await hostOf(librarian(name, reacted), undefined, [shelfProjection(shelfName)]);
      await eventually(
        () => exists(opened, name),
        (position) => position !== undefined,
      );
      const { book } = await shelf.shelve('calm');
      await eventually(
        () => count(book, 'BookLent'),
        (lent) => lent === 1,
      );
      const before = [...reacted];
      await host.rebuild(shelfName);
      await host.rebuilt(shelfName);
      expect(reacted).toEqual(before);
      expect(await count(book, 'BookLent')).toBe(1);
    });
  });
}

async function exists({ database }: TestDatabase, reactor: string): Promise<string | undefined> {
  const { rows } = await database.query<{ position: string }>(
    'select position from projections.builds where name = $1',
    [reactor],
  );
  return rows[0]?.position;
}

async function parkedCount({ database }: TestDatabase, name: string): Promise<number> {
  const { rows } = await database.query<{ count: number }>('select count(*) from projections.parked where name = $1', [
    name,
  ]);
  return rows[0]?.count ?? 0;
}

async function timerRows({ database }: TestDatabase, reactor: string) {
  const { rows } = await database.query<{ key: string; due_at: Date; data: object }>(
    'select key, due_at, data from projections.timers where reactor = $1',
    [reactor],
  );
  return rows;
}

async function timers(opened: TestDatabase, reactor: string): Promise<string[]> {
  return (await timerRows(opened, reactor)).map(({ key }) => key);
}
