import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { embeddedDatabase, type TestDatabase } from '#testing';
import { RowBuffer } from './row-buffer.js';

let opened: TestDatabase;
beforeAll(async () => {
  opened = await embeddedDatabase();
});
afterAll(() => opened.close());

it('writes every kind of cell', async () => {
  const { database } = opened;
  const columns = { id: 'numeric', bytes: 'bytea', at: 'timestamptz', tags: 'text[]', doc: 'jsonb', yes: 'boolean' };
  await database.query('create schema buffered');
  await database.query(
    'create table buffered.cells (id numeric primary key, bytes bytea, at timestamptz, tags text[], doc jsonb, yes boolean)',
  );
  const rows = new RowBuffer(database, 'buffered', { cells: { columns, key: ['id'] } });
  const cells = {
    bytes: Buffer.from([0, 92, 255]),
    at: new Date('2026-01-02T03:04:05.678Z'),
    tags: ['a', '"b"', null],
    doc: { deep: [1, { two: 'x' }] },
    yes: true,
  };
  rows.upsert('cells', { id: 2n ** 70n, ...cells });
  rows.upsert('cells', { id: 2n, ...cells });
  await database.transaction((tx) => rows.flush(tx));
  rows.patch('cells', { id: 2n }, { bytes: Buffer.from('patched') });
  await database.transaction((tx) => rows.flush(tx));
  expect((await database.query('select * from buffered.cells order by id')).rows).toEqual([
    { id: '2', ...cells, bytes: Buffer.from('patched') },
    { id: String(2n ** 70n), ...cells },
  ]);
});
