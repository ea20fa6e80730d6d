import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { embeddedDatabase, projectionBehaviour, reactorBehaviour, type TestDatabase } from '#testing';
import { acquireLease } from './lease.js';

projectionBehaviour('the embedded database', embeddedDatabase);
reactorBehaviour('the embedded database', embeddedDatabase);

describe('a lease in the embedded database', () => {
  let opened: TestDatabase;
  beforeAll(async () => {
    opened = await embeddedDatabase();
  });
  afterAll(() => opened.close());

  it('is not waited for when its owner was another process: that one is dead', async () => {
    const dead = await acquireLease(opened.database, 'shelf', 'killed');
    expect(dead?.token).toBe(1);
    expect((await acquireLease(opened.database, 'shelf', 'mine'))?.token).toBe(2);
    expect(await acquireLease(opened.database, 'shelf', 'mine')).toBeUndefined();
  });
});
