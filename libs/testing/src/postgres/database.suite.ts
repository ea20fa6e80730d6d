import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { Column, Entity, PrimaryColumn, type DataSource } from 'typeorm';
import { PostgresEventLog } from '#platform/eventlog';
import { dataSourceFor, migrate, type Database } from '#platform/postgres';
import type { TestDatabase } from './databases.js';

@Entity({ schema: 'suite', name: 'things', synchronize: false })
class Thing {
  @PrimaryColumn('integer')
  id!: number;

  @Column('text')
  name!: string;
}

/** What the Database port promises, on either engine. */
export function databaseBehaviour(engine: string, open: () => Promise<TestDatabase>): void {
  describe(`the database on ${engine}`, () => {
    let opened: TestDatabase;
    let database: Database;
    let source: DataSource;

    beforeAll(async () => {
      opened = await open();
      database = opened.database;
      await database.query('create schema suite');
      await database.query('create table suite.things (id integer primary key, name text not null)');
      source = await dataSourceFor(database, [Thing]);
    });
    afterAll(async () => {
      await source.destroy();
      await opened.close();
    });

    it('reads back what SQL knows: numbers, times, JSON, bytes, lists', async () => {
      const { rows } = await database.query(
        `select 9007199254740991::int8 as big, '2026-01-02T03:04:05Z'::timestamptz as time, '{"a":[1]}'::json as doc,
                '\\x00ff'::bytea as bytes, array['x','y'] as list, null as nothing`,
      );
      expect(rows).toEqual([
        {
          big: 9007199254740991,
          time: new Date('2026-01-02T03:04:05Z'),
          doc: { a: [1] },
          bytes: Buffer.from([0, 255]),
          list: ['x', 'y'],
          nothing: null,
        },
      ]);
    });

    it('has vectors', async () => {
      await database.query('create extension if not exists vector');
      const { rows } = await database.query(`select '[1,2,3]'::vector <-> '[1,2,4]'::vector as distance`);
      expect(rows).toEqual([{ distance: 1 }]);
    });

    it('carries statements and answers of several megabytes', async () => {
      const text = 'ä'.repeat(3_000_000);
      const { rows } = await database.query<{ text: string }>('select $1::text as text', [text]);
      expect(rows[0]?.text === text).toBe(true);
    });

    it('rolls back a transaction whose body throws, and gives back the database error as it was', async () => {
      const failing = database.transaction(async (tx) => {
        await tx.query(`insert into suite.things values (1, 'one')`);
        await tx.query(`insert into suite.things values (1, 'again')`);
      });
      await expect(failing).rejects.toMatchObject({ code: '23505' });
      expect((await database.query('select * from suite.things where id = 1')).rows).toEqual([]);
      await database.query('select 1');
    });

    it('does not call a transaction done whose failed statement was overlooked', async () => {
      const careless = database.transaction(async (tx) => {
        await tx.query(`insert into suite.things values (5, 'five')`);
        await tx.query('select no_such_column').catch(() => undefined);
      });
      await expect(careless).rejects.toThrow('rolled back');
      expect((await database.query('select * from suite.things where id = 5')).rows).toEqual([]);
    });

    it('never mixes concurrent transactions', async () => {
      await database.query(`insert into suite.things values (2, '0')`);
      await Promise.all(
        Array.from({ length: 20 }, () =>
          database.transaction(async (tx) => {
            const { rows } = await tx.query<{ name: string }>('select name from suite.things where id = 2 for update');
            await tx.query('update suite.things set name = $1 where id = 2', [String(Number(rows[0]?.name) + 1)]);
          }),
        ),
      );
      expect((await database.query('select name from suite.things where id = 2')).rows).toEqual([{ name: '20' }]);
    });

    it('throws instead of waiting for itself when the database is used inside a transaction', async () => {
      await expect(database.transaction(() => database.query('select 1'))).rejects.toMatchObject({
        code: 'NESTED_TRANSACTION',
      });
      await expect(
        database.transaction(() => database.at('append').transaction(() => Promise.resolve())),
      ).rejects.toMatchObject({
        code: 'NESTED_TRANSACTION',
      });
      await expect(database.transaction(() => source.query('select 1'))).rejects.toMatchObject({
        code: 'NESTED_TRANSACTION',
      });
      await expect(database.query('select 1 as one')).resolves.toMatchObject({ rows: [{ one: 1 }] });
    });

    it('refuses an append inside a transaction at once, and spoils no other', async () => {
      const log = new PostgresEventLog(database);
      const append = () => {
        const id = randomUUID();
        return log.append(`guard-${id}`, [{ id, type: 'Noted', data: {}, metadata: {} }], 'none');
      };
      for (const first of ['inside', 'outside']) {
        let enter = () => undefined as void;
        const outside = new Promise<void>((resolve) => (enter = resolve)).then(append);
        const inside = database.transaction(async () => {
          if (first === 'outside') {
            enter();
            await Promise.resolve();
          }
          const refused = append();
          enter();
          await refused;
        });
        await expect(inside).rejects.toMatchObject({ code: 'NESTED_TRANSACTION' });
        await expect(outside).resolves.toMatchObject({ revision: 0 });
      }
    });

    it('lets nobody use a transaction that is over', async () => {
      let late = () => Promise.resolve<unknown>(undefined);
      await database.transaction((tx) => {
        late = () => tx.query('select 1');
        return Promise.resolve();
      });
      await expect(late()).rejects.toThrow('over');
    });

    it('serves TypeORM from the same sessions', async () => {
      const things = source.getRepository(Thing);
      await things.save({ id: 3, name: 'three' });
      expect(await things.findOneBy({ id: 3 })).toEqual({ id: 3, name: 'three' });
      const failing = source.transaction(async (manager) => {
        await manager.save(Thing, { id: 4, name: 'four' });
        throw new Error('Changed my mind.');
      });
      await expect(failing).rejects.toThrow('Changed my mind.');
      expect(await things.countBy({ id: 4 })).toBe(0);
    });

    it('has nothing left to migrate', async () => {
      expect(await migrate(database)).toEqual([]);
    });
  });
}
