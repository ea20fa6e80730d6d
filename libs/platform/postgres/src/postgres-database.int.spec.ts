import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openEmbedded } from '#platform/postgres';
import { databaseBehaviour, embeddedDatabase, eventually, type TestDatabase } from '#testing';

databaseBehaviour('the embedded engine', embeddedDatabase);

describe('the embedded engine', () => {
  let opened: TestDatabase;
  beforeAll(async () => {
    opened = await embeddedDatabase();
  });
  afterAll(() => opened.close());

  it('lets appends overtake everything that waits', async () => {
    const { database } = opened;
    const order: string[] = [];
    const first = database.query('select pg_sleep(0.05)');
    const slow = database
      .at('maintenance')
      .query('select 1')
      .then(() => order.push('maintenance'));
    const fold = database
      .at('projection')
      .query('select 1')
      .then(() => order.push('projection'));
    const append = database
      .at('append')
      .query('select 1')
      .then(() => order.push('append'));
    await Promise.all([first, slow, fold, append]);
    expect(order).toEqual(['append', 'projection', 'maintenance']);
  });

  it('syncs every commit to the disk', async () => {
    const { rows } = await opened.database.query(
      `select name, setting from pg_settings where name in ('fsync', 'synchronous_commit', 'wal_sync_method') order by name`,
    );
    expect(rows).toEqual([
      { name: 'fsync', setting: 'on' },
      { name: 'synchronous_commit', setting: 'on' },
      { name: 'wal_sync_method', setting: 'fsync' },
    ]);
  });

  it('is not opened twice', async () => {
    await expect(openEmbedded({ dataDir: opened.dataDir ?? '' })).rejects.toMatchObject({ code: 'DATA_DIR_HELD' });
  });

  it('starts anew after a breakdown, with all that had been committed', async () => {
    const { database, dataDir, close } = await embeddedDatabase();
    await database.query('create table kept (id integer)');
    await database.query('insert into kept values (1)');
    const files = join(dataDir ?? '', 'postgres', 'pg_wal');
    await rename(files, `${files}.away`);
    await database.query('select pg_switch_wal()');
    await expect(database.query('insert into kept values (2)')).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
    await rename(`${files}.away`, files);
    const { rows } = await eventually(
      () => database.query('select id from kept').catch(() => ({ rows: [] })),
      (seen) => seen.rows.length > 0,
    );
    expect(rows).toEqual([{ id: 1 }]);
    await close();
  });

  it('refuses work after it was closed, with a sentence', async () => {
    const { database, close } = await embeddedDatabase();
    await close();
    await expect(database.query('select 1')).rejects.toMatchObject({
      code: 'DATABASE_UNAVAILABLE',
      kind: 'unavailable',
    });
  });
});
