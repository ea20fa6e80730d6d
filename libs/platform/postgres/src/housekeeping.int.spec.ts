import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Housekeeping, vacuumTables } from '#platform/postgres';
import { embeddedDatabase, eventually, type TestDatabase } from '#testing';

describe('housekeeping', () => {
  let opened: TestDatabase;
  beforeAll(async () => {
    opened = await embeddedDatabase();
  });
  afterAll(() => opened.close());

  it('vacuums and analyses what the embedded engine would let go stale', async () => {
    const { database } = opened;
    await database.query('create table public.bulky as select generate_series(1, 5000) as number');
    await database.query('delete from public.bulky where number > 10');
    const estimate = async () => {
      const { rows } = await database.query<{ rows: number }>(
        `select reltuples::int as rows from pg_class where relname = 'bulky'`,
      );
      return rows[0]?.rows;
    };
    expect(await estimate()).not.toBe(10);
    await vacuumTables(database).run(AbortSignal.abort());
    expect(await estimate()).not.toBe(10);
    await vacuumTables(database).run(new AbortController().signal);
    expect(await estimate()).toBe(10);
  });

  it('goes on after a chore that failed, and stops when told', async () => {
    const done: string[] = [];
    const failed: string[] = [];
    const keeping = new Housekeeping(
      [
        { name: 'break', run: () => Promise.reject(new Error('It broke.')) },
        { name: 'sweep', run: () => Promise.resolve(done.push('swept')) },
      ],
      (chore) => failed.push(chore),
      { firstMs: 1, everyMs: 1 },
    );
    keeping.start();
    await eventually(
      () => done.length,
      (times) => times >= 2,
    );
    await keeping.stop();
    expect(failed.length).toBeGreaterThanOrEqual(2);
    const after = done.length;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(done).toHaveLength(after);
  });
});
