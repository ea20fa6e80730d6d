import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventStore } from '#platform/eventlog';
import { startServer, type TestServer } from './server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
  for (const name of ['one', 'two', 'three']) {
    await server.send
      .post('/v1/containers/create')
      .send({ name, theme: `About ${name}` })
      .expect(200);
  }
});
afterAll(() => server.close());

const PROJECTION = {
  name: 'containers',
  version: expect.any(Number),
  position: expect.stringMatching(/^[0-9a-f]{16}$/),
  lag: { events: expect.any(Number), seconds: expect.any(Number) },
  parked: 0,
  state: 'running',
};

const CONTEXT = {
  caller: { kind: 'service', id: 'test', roles: [] } as const,
  correlationId: 'test',
  executionId: 'test',
  operation: 'test',
  at: new Date(),
};

describe('GET /v1/admin/projections', () => {
  it('lists the read models', async () => {
    const { body } = await server.send.get('/v1/admin/projections').expect(200);
    expect(body).toEqual({ items: [PROJECTION] });
  });
});

describe('rebuilds', () => {
  it('have no report before the first', async () => {
    const { status, body } = await server.send.get('/v1/admin/projections/containers/rebuild');
    expect([status, body.error.code]).toEqual([404, 'NO_REBUILD']);
  });

  it('build beside the live one, compare and switch; answers stay the same', async () => {
    const before = await server.send.post('/v1/containers/list').send({}).expect(200);
    const started = await server.send.post('/v1/admin/projections/containers/rebuild').expect(202);
    expect(started.body).toEqual({ name: 'containers', version: 2, state: 'rebuilding' });
    const report = await rebuilt();
    expect(report).toMatchObject({ name: 'containers', version: 2, state: 'done' });
    expect(report.report).toMatchObject({ previous: 1, identical: true });
    expect(report.report.tables).toEqual([
      expect.objectContaining({ table: 'containers', rows: 3, only_before: 0, only_after: 0, changed: 0 }),
    ]);
    const after = await server.send.post('/v1/containers/list').send({}).expect(200);
    expect(after.body.containers).toEqual(before.body.containers);
  });

  it('can be taken back', async () => {
    const { body } = await server.send.post('/v1/admin/projections/containers/rollback').expect(200);
    expect(body).toEqual({ name: 'containers', version: 1 });
    const { body: list } = await server.send.get('/v1/admin/projections').expect(200);
    expect(list.items[0].version).toBe(1);
  });

  it.each(['get', 'post'] as const)('of a projection that is not there are not found (%s)', async (method) => {
    const { status, body } = await server.send[method]('/v1/admin/projections/nothing/rebuild');
    expect([status, body.error.code]).toEqual([404, 'PROJECTION_NOT_FOUND']);
  });

  async function rebuilt() {
    for (;;) {
      const { body, status } = await server.send.get('/v1/admin/projections/containers/rebuild');
      if (status === 200 && body.state === 'done') return body;
      expect([200, 404]).toContain(status);
    }
  }
});

describe('GET /v1/events', () => {
  it('pages through the log, oldest first', async () => {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const query: string = cursor === null ? '' : `&after=${cursor}`;
      const { body } = await server.send.get(`/v1/events?limit=2${query}`).expect(200);
      seen.push(...body.items.map((event: { position: string }) => event.position));
      cursor = body.next_cursor;
    } while (cursor !== null);
    expect(seen).toHaveLength(6);
    expect(seen).toEqual([...seen].sort());
  });

  it('shows whole events, newest first when asked', async () => {
    const { body } = await server.send.get('/v1/events?types=ContainerCreated&direction=backward&limit=1').expect(200);
    expect(body.items).toEqual([
      {
        id: expect.any(String),
        stream: expect.stringMatching(/^container-/),
        revision: 0,
        position: expect.any(String),
        type: 'ContainerCreated',
        at: expect.stringMatching(/Z$/),
        data: expect.objectContaining({ name: 'three', theme: 'About three' }),
        metadata: expect.objectContaining({
          operation: 'create_container',
          caller: { kind: 'agent', id: 'local:unverified', roles: [] },
        }),
      },
    ]);
    expect(body.next_cursor).toEqual(expect.any(String));
  });

  it('reads one stream, page by page, either way', async () => {
    const stream = await writeStream(5);
    for (const direction of ['forward', 'backward'] as const) {
      const first = await server.send.get(`/v1/events?stream=${stream}&limit=3&direction=${direction}`).expect(200);
      const second = await server.send
        .get(`/v1/events?stream=${stream}&limit=3&direction=${direction}&after=${first.body.next_cursor}`)
        .expect(200);
      const revisions = [...first.body.items, ...second.body.items].map(
        (event: { revision: number }) => event.revision,
      );
      expect(revisions).toEqual(direction === 'forward' ? [0, 1, 2, 3, 4] : [4, 3, 2, 1, 0]);
      expect(second.body.next_cursor).toBeNull();
    }
  });

  it('finds nothing in a stream that is not there', async () => {
    const { body } = await server.send.get('/v1/events?stream=nothing-here').expect(200);
    expect(body).toEqual({ items: [], next_cursor: null });
  });

  it('finds nothing after a position beyond the end, and all before it', async () => {
    for (const after of ['7fffffffffffffff', '8000000000000000', 'ffffffffffffffff']) {
      const { body: later } = await server.send.get(`/v1/events?after=${after}`).expect(200);
      expect(later).toEqual({ items: [], next_cursor: null });
      const { body: before } = await server.send.get(`/v1/events?after=${after}&direction=backward`).expect(200);
      expect(before.items).not.toEqual([]);
    }
  });

  it('refuses a position of another engine', async () => {
    const { status, body } = await server.send.get(`/v1/events?after=${'0'.repeat(31)}1`);
    expect([status, body.error.code]).toEqual([400, 'FOREIGN_POSITION']);
  });

  it.each(['/v1/events?after=zzz', '/v1/events?stream=a&after=0000000000000001'])(
    'refuses a foreign cursor: %s',
    async (path) => {
      const { status, body } = await server.send.get(path);
      expect([status, body.error.code]).toEqual([400, 'INVALID_CURSOR']);
    },
  );

  /** A stream with so many events: a container paused and resumed. */
  async function writeStream(length: number): Promise<string> {
    const store = server.app.get(EventStore);
    const stream = 'container-00000000-0000-4000-8000-000000000001';
    const data = { container_id: '00000000-0000-4000-8000-000000000001' };
    const events = Array.from({ length }, (_, index) => ({
      type: index % 2 === 0 ? 'ContainerPaused' : 'ContainerResumed',
      data,
    }));
    await store.append(stream, events, 'none', CONTEXT);
    return stream;
  }
});

describe('parked events', () => {
  it('are listed, and tried again with or without a body', async () => {
    const parked = await server.send.get('/v1/admin/projections/containers/parked').expect(200);
    expect(parked.body).toEqual({ items: [] });
    const replay = '/v1/admin/projections/containers/parked/replay';
    const all = await server.send.post(replay).expect(200);
    expect(all.body).toEqual({ replayed: 0, still_parked: 0 });
    await server.send.post(replay).send({ event_id: 'none' }).expect(400);
  });

  it('are shown with their error, and hold up nobody else', async () => {
    const id = '00000000-0000-4000-8000-000000000002';
    const stream = `container-${id}`;
    // A creation without a name: nothing the program writes, but what a fault could have written.
    const broken = { type: 'ContainerCreated', data: { container_id: id, theme: 'x', policy: {}, acl: {} } };
    const paused = { type: 'ContainerPaused', data: { container_id: id } };
    await server.app.get(EventStore).append(stream, [broken, paused], 'none', CONTEXT);
    await server.send.post('/v1/containers/create').send({ name: 'after-it', theme: 'x' }).expect(200);
    await server.send.post('/v1/containers/describe').send({ container: 'after-it' }).expect(200);

    const { body } = await server.send.get('/v1/admin/projections/containers/parked').expect(200);
    const parked = { stream, attempts: 1, parked_at: expect.stringMatching(/Z$/), position: expect.any(String) };
    expect(body.items).toEqual([
      {
        ...parked,
        id: expect.any(String),
        revision: 0,
        type: 'ContainerCreated',
        error: expect.any(String),
        behind: false,
      },
      {
        ...parked,
        id: expect.any(String),
        revision: 1,
        type: 'ContainerPaused',
        error: expect.any(String),
        behind: true,
      },
    ]);
    const { body: list } = await server.send.get('/v1/admin/projections').expect(200);
    expect(list.items[0]).toMatchObject({ parked: 2, state: 'running', lag: { events: 0, seconds: 0 } });
    const replay = '/v1/admin/projections/containers/parked/replay';
    const { body: replayed } = await server.send.post(replay).send({ event_id: body.items[0].id }).expect(200);
    expect(replayed).toMatchObject({ replayed: 0 });
    const { text } = await server.send.get('/metrics').expect(200);
    expect(text).toContain('projection_parked_events{projection="containers"} 2');
  });
});
