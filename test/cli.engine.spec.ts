import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventStoreDbDouble, serverDatabase, type TestDatabase } from '#testing';
import { scriptorium, type Environment } from './cli.processes.js';

describe('scriptorium on real engines', () => {
  let database: TestDatabase;
  let events: EventStoreDbDouble;
  let environment: Environment;

  beforeAll(async () => {
    database = await serverDatabase();
    events = await EventStoreDbDouble.start();
    const dataDir = await mkdtemp(join(tmpdir(), 'scriptorium-cli-'));
    environment = { DATA_DIR: dataDir, DATABASE_URL: database.url!, EVENTSTORE_URL: events.url, MCP_TOKEN: 'x' };
  });

  afterAll(async () => {
    await events.stop();
    await database.close();
    await rm(environment.DATA_DIR!, { recursive: true, force: true });
  });

  it('works beside other processes, because nothing is held', async () => {
    const [one, other] = await Promise.all([
      scriptorium(['projections', 'list', '--json'], environment),
      scriptorium(['projections', 'rebuild', 'containers', '--json'], environment),
    ]);
    expect([one, other]).toEqual([
      expect.objectContaining({ code: 0, stderr: '' }),
      expect.objectContaining({ code: 0, stderr: '' }),
    ]);
    expect(JSON.parse(one.stdout)).toMatchObject({ items: [{ name: 'containers' }] });
    expect(JSON.parse(other.stdout)).toMatchObject({ state: 'done', version: 2, report: { identical: true } });
  });

  it('finds both engines', async () => {
    const { code, stdout } = await scriptorium(['doctor'], { ...environment, PORT: '0' });
    expect(stdout).toMatch(/^ok +database: Reached at DATABASE_URL; Postgres \d+/m);
    expect(stdout).toMatch(/^ok +pgvector: pgvector [\d.]+ is available\.$/m);
    expect(stdout).toMatch(/^ok +migrations: All \d+ have been run\.$/m);
    expect(stdout).toMatch(/^ok +event log: The EventStoreDB of EVENTSTORE_URL answers\.$/m);
    expect(code).toBe(0);
  });

  it('says that the database is not there', async () => {
    const url = Object.assign(new URL(database.url!), { pathname: '/none_of_ours' }).toString();
    const { code, stderr } = await scriptorium(['events', 'tail'], { ...environment, DATABASE_URL: url });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^CANNOT_START: The database that DATABASE_URL names does not exist: .+\n$/);
  });
});
