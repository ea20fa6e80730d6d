import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until, EventStoreDbDouble, FlakyLine, serverDatabase } from '#testing';
import { startServer, type TestServer } from './server.js';

/** An engine behind a server, that can leave and return. */
interface Away {
  readonly server: TestServer;
  leave(): Promise<void> | void;
  comeBack(): Promise<void> | void;
  close(): Promise<void>;
}

async function onServerDatabase(): Promise<Away> {
  const database = await serverDatabase();
  const line = await FlakyLine.to(database.url!);
  const server = await startServer({ databaseUrl: line.url });
  return {
    server,
    leave: () => line.cut(),
    comeBack: () => line.mend(),
    close: async () => {
      await server.close();
      await line.close();
      await database.close();
    },
  };
}

async function onEventStoreDb(): Promise<Away> {
  const double = await EventStoreDbDouble.start();
  const server = await startServer({ eventStoreUrl: double.url });
  return {
    server,
    leave: () => double.goAway(),
    comeBack: () => double.comeBack(),
    close: async () => {
      await server.close();
      await double.stop();
    },
  };
}

describe.each([
  ['database', onServerDatabase, 'database'],
  ['event store', onEventStoreDb, 'event_log'],
])('a %s that goes away while the server runs', (_, open, check) => {
  let away: Away;
  let server: TestServer;

  beforeAll(async () => {
    away = await open();
    server = away.server;
    await create('before').expect(200);
  });
  afterAll(() => away.close());

  it('is answered with 503 and Retry-After, in the words of each surface; the server lives', async () => {
    await away.leave();
    const command = await create('meanwhile');
    expect([command.status, command.body.error.code]).toEqual([503, 'UNAVAILABLE']);
    expect(Number(command.headers['retry-after'])).toBeGreaterThan(0);
    const query = await server.send.get('/v1/events');
    expect([query.status, query.body.error.code]).toEqual([503, expect.stringMatching(/_UNAVAILABLE$/)]);
    expect(Number(query.headers['retry-after'])).toBeGreaterThan(0);
    await server.send.get('/health').expect(200);
    await server.send.get('/metrics').expect(200);
    const ready = await server.send.get('/ready');
    expect([ready.status, ready.headers['retry-after']]).toEqual([503, expect.any(String)]);
    expect(ready.body).toMatchObject({ ok: false, status: 'not_ready', checks: { [check]: { ok: false } } });
    expect(ready.body.checks[check].error).toEqual(expect.any(String));
  });

  it('is used again without a restart once it is back, and nothing is lost', async () => {
    await away.comeBack();
    await until(async () => (await server.send.get('/ready')).status === 200, 'ready again');
    const found = server.send.post('/v1/containers/describe').send({ container: 'before' });
    expect((await found).status).toBe(200);
    // Its caller cannot know what became of the command that met the cut; repeating it gives one container.
    expect([200, 400]).toContain((await create('meanwhile')).status);
    const list = await server.send.post('/v1/containers/list').send({}).expect(200);
    expect(list.headers['x-stale']).toBeUndefined();
    expect(list.body.containers.map(({ name }: { name: string }) => name).sort()).toEqual(['before', 'meanwhile']);
  });

  function create(name: string) {
    return server.send.post('/v1/containers/create').send({ name, theme: 'x' });
  }
});
