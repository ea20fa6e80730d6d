import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import jestOpenApi from 'jest-openapi';
import { describeContracts } from '#composition';
import { ContainersApp, lasting } from './containers-v1.app.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const text = (pattern: RegExp) => expect.stringMatching(pattern) as unknown;

const envelope = (issues: readonly string[] = []) => ({
  version: 'v1',
  request_id: text(UUID),
  partial: false,
  timings_ms: { total: expect.any(Number) as unknown },
  issues,
});

let server: ContainersApp;

beforeAll(async () => {
  server = await ContainersApp.start();
});
afterAll(() => server.stop());

describe('POST /v1/containers/create', () => {
  it('creates with nothing but a name', async () => {
    const answer = await server.create({ name: 'bare' });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      ...envelope(),
      success: true,
      container_id: text(UUID),
      message: 'Container bare created.',
    });
    expect((await server.describe('bare')).body.container).toMatchObject({
      theme: 'bare',
      description: null,
      modalities: ['text', 'pdf', 'image'],
      embedder: 'all-MiniLM-L6-v2',
      embedder_version: '1.0.0',
      dims: 384,
      policy: {},
      visibility: 'private',
      collaboration_policy: 'read-only',
      auto_refresh: false,
      mission_context: null,
      parent_id: null,
      created_by_agent: null,
    });
  });

  it('counts characters, not what they are stored in', async () => {
    const theme = '🎨'.repeat(500);
    expect((await server.create({ name: 'colours', theme })).status).toBe(200);
    expect((await server.describe('colours')).body.container.theme).toBe(theme);
  });

  it('keeps everything it is told', async () => {
    const told = {
      theme: 'Themes: "quotes", ünïcode, 🖼',
      description: 'line\nline',
      mission_context: 'm',
      modalities: ['web', 'text'],
      embedder: 'all-MiniLM-L6-v2',
      embedder_version: '1.0.0',
      dims: 384,
      policy: {
        privacy: 'exportable',
        retention_days: null,
        freshness_lambda: 0.5,
        diagnostics_enabled: false,
        own: [{}],
      },
      visibility: 'public',
      collaboration_policy: 'contribute',
      auto_refresh: true,
    };
    const agent = { 'x-agent-id': 'scout-7' };
    const created = await server.post('/v1/containers/create', { name: 'told', parent_id: null, ...told }, agent);
    expect(created.status).toBe(200);
    const { container } = (await server.describe('told')).body;
    expect(container).toMatchObject({ ...told, created_by_agent: 'scout-7' });
    expect(container.observability).toEqual({ diagnostics_enabled: false, freshness_lambda: 0.5 });
  });

  it('gives a child the policy of its parent', async () => {
    const parent = await server.create({ name: 'parent', policy: { max_pdf_pages: 5 } });
    const parent_id = parent.body.container_id as string;
    await server.create({ name: 'child', parent_id, policy: { max_pdf_pages: 9 } });
    expect((await server.describe('child')).body.container).toMatchObject({ parent_id, policy: { max_pdf_pages: 5 } });
  });

  it('takes a namespaced name, and every name of 200 characters', async () => {
    for (const name of ['lab/paintings', 'A_b-9', 'x'.repeat(200), `${'y'.repeat(99)}/${'z'.repeat(100)}`]) {
      expect((await server.create({ name })).status).toBe(200);
      expect((await server.describe(name)).body.container.name).toBe(name);
    }
  });

  it('lets one of twenty have a name they all want at once', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => server.create({ name: 'contested' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(19).fill(400)]);
    expect((await server.list({ search: 'contested' })).body.total).toBe(1);
  });
});

describe('POST /v1/containers/describe', () => {
  it('has the shape of the contract, by id and by name', async () => {
    const { container_id: id } = (await server.create({ name: 'shape', description: 'd' })).body;
    const answer = await server.describe(id);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      ...envelope(),
      container: {
        id,
        parent_id: null,
        name: 'shape',
        theme: 'shape',
        description: 'd',
        modalities: ['text', 'pdf', 'image'],
        embedder: 'all-MiniLM-L6-v2',
        embedder_version: '1.0.0',
        dims: 384,
        policy: {},
        state: 'active',
        visibility: 'private',
        collaboration_policy: 'read-only',
        auto_refresh: false,
        mission_context: null,
        created_by_agent: null,
        manifest_version: text(/^\d{4}-\d{2}-\d{2}-001$/),
        stats: { documents: 0, chunks: 0, text_chunks: 0, image_chunks: 0, size_mb: 0, last_ingest: null },
        observability: { diagnostics_enabled: true, freshness_lambda: 0.02 },
        created_at: text(INSTANT),
        updated_at: text(INSTANT),
      },
    });
    expect(lasting(await server.describe('shape'))).toBe(lasting(answer));
    expect(lasting(await server.describe(String(id).toUpperCase()))).toBe(lasting(answer));
  });

  it('shows what was just written, a hundred times', async () => {
    for (let n = 0; n < 100; n += 1) {
      const { container_id: id } = (await server.create({ name: `at-once-${n}` })).body;
      const answer = await server.describe(n % 2 === 0 ? id : `at-once-${n}`);
      expect([n, answer.status, answer.body.container?.id]).toEqual([n, 200, id]);
    }
  });
});

describe('POST /v1/containers/list', () => {
  it('has the shape of the contract', async () => {
    const { container_id: id } = (await server.create({ name: 'listed', theme: 'A List' })).body;
    const answer = await server.list({ search: 'listed' });
    const item = {
      id,
      name: 'listed',
      theme: 'A List',
      modalities: ['text', 'pdf', 'image'],
      state: 'active',
      created_at: text(INSTANT),
      updated_at: text(INSTANT),
    };
    expect(answer.body).toEqual({ ...envelope(), containers: [item], total: 1 });
    const stats = { document_count: 0, chunk_count: 0, size_mb: 0, last_ingest: null };
    const withStats = await server.list({ search: 'listed', include_stats: true });
    expect(withStats.body.containers).toEqual([{ ...item, stats }]);
  });

  it('answers 25 active ones, newest first, when nothing is said', async () => {
    const created = [];
    for (let n = 0; n < 30; n += 1) created.push((await server.create({ name: `many-${n}` })).body.container_id);
    const { body } = await server.post('/v1/containers/list');
    expect(body.containers.map(({ id }: { id: string }) => id)).toEqual(created.reverse().slice(0, 25));
    expect(body.total).toBeGreaterThanOrEqual(30);
    const pages = await Promise.all([0, 10, 20].map((offset) => server.list({ search: 'many-', limit: 10, offset })));
    expect(pages.flatMap(({ body: page }) => page.containers.map(({ id }: { id: string }) => id))).toEqual(created);
  });

  it('looks for parts of name and theme, trimmed, in any case, letter by letter', async () => {
    await server.create({ name: 'needle_1', theme: 'Über 100% HAY' });
    for (const search of ['NEEDLE_1', '  hay ', 'über', '0%', 'e_1']) {
      expect([search, (await server.list({ search })).body.total]).toEqual([search, 1]);
    }
    expect((await server.list({ search: 'needle%1' })).body.total).toBe(0);
    expect((await server.list({ search: '   ', limit: 1 })).body.total).toBeGreaterThan(1);
  });

  it('says when there is nothing, and what to do', async () => {
    const answer = await server.list({ search: 'nothing has this' });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      ...envelope(['NO_RESULTS']),
      remediation: { NO_RESULTS: expect.any(String) as unknown },
      containers: [],
      total: 0,
    });
    expect((await server.list({ offset: 1_000_000 })).body.issues).toEqual(['NO_RESULTS']);
  });

  it('tells states apart', async () => {
    const names = ['st-active', 'st-paused', 'st-archived'];
    for (const name of names) await server.create({ name });
    await server.patch('/v1/containers/st-paused/update', { state: 'paused' });
    await server.delete('/v1/containers/st-archived');
    for (const state of ['active', 'paused', 'archived']) {
      const { containers } = (await server.list({ search: 'st-', state })).body;
      expect(containers.map(({ name }: { name: string }) => name)).toEqual([`st-${state}`]);
    }
    expect((await server.list({ search: 'st-', state: 'all' })).body.total).toBe(3);
  });

  it('takes the limits of the contract', async () => {
    for (const body of [{ limit: 1 }, { limit: 100 }, { offset: 0 }])
      expect((await server.list(body)).status).toBe(200);
  });
});

describe('PATCH /v1/containers/{id}/update', () => {
  it('changes what it names, and nothing else', async () => {
    const { container_id: id } = (await server.create({ name: 'patched', theme: 'Old', description: 'd' })).body;
    const change = { theme: 'New', description: null, visibility: 'team', collaboration_policy: 'contribute' };
    const answer = await server.patch('/v1/containers/patched/update', { ...change, container: 'the path wins' });
    expect(answer.body).toEqual({
      ...envelope(),
      success: true,
      container_id: id,
      message: 'Container patched updated.',
    });
    const { container } = (await server.describe(id)).body;
    expect(container).toMatchObject({ ...change, auto_refresh: false, state: 'active' });
    expect(container.manifest_version).toMatch(/-002$/);
    expect(Date.parse(container.updated_at)).toBeGreaterThanOrEqual(Date.parse(container.created_at));
  });

  it('changes nothing when all of it is so already', async () => {
    await server.create({ name: 'same' });
    const before = await server.describe('same');
    for (const body of [{}, { theme: 'same', state: 'active' }]) {
      expect((await server.patch('/v1/containers/same/update', body)).status).toBe(200);
    }
    expect(lasting(await server.describe('same'))).toBe(lasting(before));
  });

  it('restores what was archived', async () => {
    await server.create({ name: 'lazarus' });
    await server.delete('/v1/containers/lazarus');
    expect((await server.patch('/v1/containers/lazarus/update', { state: 'active' })).status).toBe(200);
    expect((await server.describe('lazarus')).body.container.state).toBe('active');
  });
});

describe('POST /v1/containers/{id}/rename', () => {
  it('moves the name, also of a namespace in an encoded path', async () => {
    const { container_id: id } = (await server.create({ name: 'ns/old' })).body;
    const answer = await server.post('/v1/containers/ns%2Fold/rename', { name: 'ns/new' });
    expect(answer.body).toMatchObject({ success: true, container_id: id });
    expect((await server.describe('ns/new')).body.container.id).toBe(id);
    expect((await server.describe('ns/old')).status).toBe(404);
    expect((await server.create({ name: 'ns/old' })).status).toBe(200);
  });
});

describe('DELETE /v1/containers/{id}', () => {
  it('archives it and what is below it, and does so again without complaint', async () => {
    const { container_id: id } = (await server.create({ name: 'tree/root' })).body;
    const { container_id: child } = (await server.create({ name: 'branch', parent_id: id })).body;
    await server.create({ name: 'leaf', parent_id: child });
    const answer = await server.delete('/v1/containers/tree%2Froot');
    expect(answer.body).toMatchObject({ success: true, container_id: id, message: text(/2 below it/) });
    for (const name of ['tree/root', 'branch', 'leaf']) {
      expect((await server.describe(name)).body.container.state).toBe('archived');
    }
    expect((await server.delete(`/v1/containers/${id}?permanent=false`)).status).toBe(200);
  });
});

describe('the envelope', () => {
  it('echoes the id of a request: body before header', async () => {
    const header = { 'x-request-id': 'from-header' };
    const byHeader = await server.post('/v1/containers/list', {}, header);
    expect(byHeader.body.request_id).toBe('from-header');
    const byBody = await server.post('/v1/containers/list', { request_id: 'from-body' }, header);
    expect(byBody.body.request_id).toBe('from-body');
    expect(byBody.headers['x-request-id']).toBe('from-body');
    const refused = await server.post('/v1/containers/describe', { container: 'none', request_id: 'no-1' }, header);
    expect(refused.body.request_id).toBe('no-1');
    const invalid = await server.post('/v1/containers/list', { limit: 0, request_id: 'no-2' });
    expect(invalid.body.request_id).toBe('no-2');
  });

  it('takes no odd id', async () => {
    const answer = await server.post('/v1/containers/list', { request_id: 'a\nb' });
    expect(answer.status).toBe(400);
    expect(answer.body.request_id).toMatch(UUID);
  });
});

describe('a rebuild of the read model', () => {
  it('changes no answer by a byte', async () => {
    await server.create({ name: `rebuilt-${randomUUID().slice(0, 8)}`, policy: { b: 1, a: { d: 1, c: [2] } } });
    const all = { state: 'all', limit: 100, include_stats: true };
    const { containers } = (await server.list(all)).body as { containers: { id: string }[] };
    const answers = async () => {
      const seen = [lasting(await server.list(all)), lasting(await server.list({ ...all, offset: 100 }))];
      for (const { id } of containers) seen.push(lasting(await server.describe(id)));
      return seen;
    };
    const before = await answers();
    await server.rebuild();
    expect(await answers()).toEqual(before);
  });
});

describe('the published description', () => {
  it('is true of every answer', async () => {
    const { documents } = await describeContracts();
    jestOpenApi.default(documents['containers-v1'] as never);
    await server.create({ name: 'described', policy: { own: 1 } });
    const path = '/v1/containers/described';
    for (const answer of [
      await server.create({ name: 'described-too', mission_context: 'm' }),
      await server.create({ name: 'described' }),
      await server.describe('described'),
      await server.describe('not described'),
      await server.list({ include_stats: true }),
      await server.list({ search: 'nothing has this' }),
      await server.list({ limit: 0 }),
      await server.patch(`${path}/update`, { description: 'd' }),
      await server.post(`${path}/rename`, { name: 'described-anew' }),
      await server.delete('/v1/containers/described-anew'),
    ]) {
      expect(answer).toSatisfyApiSpec();
    }
  });
});
