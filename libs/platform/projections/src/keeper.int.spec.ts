import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { embeddedDatabase, eventually, type TestDatabase } from '#testing';
import { Keeper } from './keeper.js';
import { acquireLease } from './lease.js';

let opened: TestDatabase;
beforeAll(async () => {
  opened = await embeddedDatabase();
});
afterAll(() => opened.close());

it('forgets its failure once somebody else does the duty', async () => {
  const failing = new Keeper(
    opened.database,
    'duty',
    () => Promise.reject(new Error('It failed.')),
    () => undefined,
  );
  const other = new Keeper(
    opened.database,
    'duty',
    (_, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined))),
    () => undefined,
  );
  failing.start();
  await eventually(
    () => failing.failure,
    (failure) => failure === 'It failed.',
  );
  other.start();
  await eventually(
    () => other.active && failing.failure === undefined,
    (settled) => settled,
  );
  await Promise.all([failing.stop(), other.stop()]);
});

it('takes a lease again at once that it could not give back, unless another has had it since', async () => {
  const { database } = opened;
  const first = await acquireLease(database, 'kept', 'one');
  expect(await acquireLease(database, 'kept', 'one')).toBeUndefined();
  const again = await acquireLease(database, 'kept', 'one', first);
  expect(again).toEqual({ name: 'kept', token: 2 });
  expect(await acquireLease(database, 'kept', 'one', first)).toBeUndefined();
});
