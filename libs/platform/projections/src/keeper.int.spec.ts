import { afterAll, beforeAll, it } from '@jest/globals';
import { embeddedDatabase, eventually, type TestDatabase } from '#testing';
import { Keeper } from './keeper.js';

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
