import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ContainersApp, type Answer } from './containers-v1.app.js';

let server: ContainersApp;

beforeAll(async () => {
  server = await ContainersApp.start();
  await server.create({ name: 'there' });
  await server.create({ name: 'gone' });
  await server.delete('/v1/containers/gone');
});
afterAll(() => server.stop());

/** Every failure has this shape; nothing from inside gets out. */
function expectFailure({ status, body }: Answer, wanted: number, code: string): void {
  expect({ status, code: body.error?.code }).toEqual({ status: wanted, code });
  expect(body).toEqual({
    version: 'v1',
    request_id: expect.any(String) as unknown,
    partial: false,
    timings_ms: { total: expect.any(Number) as unknown },
    issues: [code],
    remediation: { [code]: expect.stringMatching(/./) as unknown },
    error: {
      code,
      message: expect.stringMatching(/^[A-Za-z_].*\.$/s) as unknown,
      remediation: expect.stringMatching(/./) as unknown,
      details: expect.any(Object) as unknown,
    },
  });
  expect(JSON.stringify(body)).not.toMatch(/node_modules|\.[jt]s:\d/);
}

function expectInvalid(answer: Answer, field: string): void {
  expectFailure(answer, 400, 'INVALID_PARAMS');
  const errors = answer.body.error.details.field_errors as { field: string; message: string }[];
  expect(errors.map((error) => error.field)).toContain(field);
}

describe('create refuses', () => {
  it.each([
    ['no name', {}, 'name'],
    ['an empty name', { name: '' }, 'name'],
    ['a name with a space', { name: 'a b' }, 'name'],
    ['a name with two slashes', { name: 'a/b/c' }, 'name'],
    ['a name that looks like an id', { name: randomUUID() }, 'name'],
    ['a name of 201 characters', { name: 'x'.repeat(201) }, 'name'],
    ['a name that is a number', { name: 5 }, 'name'],
    ['a name that is taken', { name: 'there' }, 'name'],
    ['a name that an archived container has', { name: 'gone' }, 'name'],
    ['an empty theme', { name: 'n', theme: '' }, 'theme'],
    ['a blank theme', { name: 'n', theme: '  ' }, 'theme'],
    ['a theme that is null', { name: 'n', theme: null }, 'theme'],
    ['a theme that is too long', { name: 'n', theme: 'x'.repeat(501) }, 'theme'],
    ['a theme of too many long characters', { name: 'n', theme: '🎨'.repeat(501) }, 'theme'],
    ['a description that is a list', { name: 'n', description: [] }, 'description'],
    ['a text with NUL', { name: 'n', description: 'a\0b' }, 'description'],
    ['a text with half a character', { name: 'n', description: 'a\ud800b' }, 'description'],
    ['no modalities', { name: 'n', modalities: [] }, 'modalities'],
    ['modalities that repeat', { name: 'n', modalities: ['text', 'text'] }, 'modalities'],
    ['an unknown modality', { name: 'n', modalities: ['video'] }, 'modalities'],
    ['modalities that are a text', { name: 'n', modalities: 'text' }, 'modalities'],
    ['another embedder', { name: 'n', embedder: 'nomic-embed-multimodal-7b' }, 'embedder'],
    ['other dimensions', { name: 'n', dims: 768 }, 'embedder'],
    ['dimensions that are a text', { name: 'n', dims: '384' }, 'dims'],
    ['a policy that is a list', { name: 'n', policy: [] }, 'policy'],
    ['a policy that does not hold together', { name: 'n', policy: { privacy: 'secret' } }, 'policy.privacy'],
    ['an unknown visibility', { name: 'n', visibility: 'Private' }, 'visibility'],
    ['an unknown collaboration policy', { name: 'n', collaboration_policy: 'write' }, 'collaboration_policy'],
    ['auto_refresh that is a text', { name: 'n', auto_refresh: 'true' }, 'auto_refresh'],
    ['a parent that is no id', { name: 'n', parent_id: 'there' }, 'parent_id'],
    ['a parent that is not there', { name: 'n', parent_id: randomUUID() }, 'parent_id'],
    ['a field it does not know', { name: 'n', owner: 'me' }, 'owner'],
    ['a request id that is a number', { name: 'n', request_id: 7 }, 'request_id'],
  ])('%s', async (_, body, field) => expectInvalid(await server.create(body), field));

  it('names that look the same as a collection', async () => {
    expect((await server.create({ name: 'a/b-c' })).status).toBe(200);
    for (const name of ['a/b-c', 'a-b/c', 'proj-a-b-c']) {
      const answer = await server.create({ name });
      expectInvalid(answer, 'name');
      expect(answer.body.error.details.reason).toBe('NAME_TAKEN');
    }
  });

  it('an archived parent', async () => {
    const { id } = (await server.describe('gone')).body.container as { id: string };
    expectInvalid(await server.create({ name: 'n', parent_id: id }), 'parent_id');
  });

  it('says which embedder is installed', async () => {
    const { error } = (await server.create({ name: 'n', embedder: 'other' })).body;
    expect(error.details.installed).toEqual([{ name: 'all-MiniLM-L6-v2', version: '1.0.0', dims: 384 }]);
  });

  it('and leaves the name free', async () => expect((await server.create({ name: 'n' })).status).toBe(200));
});

describe('list refuses', () => {
  it.each([
    ['limit', 0],
    ['limit', 101],
    ['limit', 2.5],
    ['limit', '10'],
    ['limit', null],
    ['offset', -1],
    ['offset', 1e300],
    ['state', 'deleted'],
    ['state', ''],
    ['search', 1],
    ['search', 'a\0'],
    ['include_stats', 'yes'],
    ['page', 1],
  ])('%s %j', async (field, value) => expectInvalid(await server.list({ [field]: value }), field));
});

describe('describe refuses', () => {
  it.each([[{}], [{ container: '' }], [{ container: 1 }], [{ container: null }], [{ container: 'x'.repeat(201) }]])(
    'the request %j',
    async (body) => expectInvalid(await server.post('/v1/containers/describe', body), 'container'),
  );

  it.each([randomUUID(), 'nobody', 'NS/nobody', 'There', 'not a name', "'; drop table x; --", '..', 'naïve'])(
    'to find %j',
    async (container) => expectFailure(await server.describe(container), 404, 'CONTAINER_NOT_FOUND'),
  );
});

describe('changes refuse', () => {
  it.each(['nobody', randomUUID(), 'ns%2Fnobody', 'not%20a%20name', '%00'])('the container %s', async (reference) => {
    const [status, code] =
      reference === '%00' ? ([400, 'INVALID_PARAMS'] as const) : ([404, 'CONTAINER_NOT_FOUND'] as const);
    const path = `/v1/containers/${reference}`;
    expectFailure(await server.patch(`${path}/update`, { theme: 'x' }), status, code);
    expectFailure(await server.post(`${path}/rename`, { name: 'x' }), status, code);
    expectFailure(await server.delete(path), status, code);
  });

  it.each([
    ['name', 'other'],
    ['modalities', ['text']],
    ['embedder', 'all-MiniLM-L6-v2'],
    ['dims', 384],
    ['policy', {}],
    ['state', 'archived'],
    ['state', null],
    ['theme', ''],
    ['visibility', null],
    ['auto_refresh', 1],
  ])('to update %s to %j', async (field, value) =>
    expectInvalid(await server.patch('/v1/containers/there/update', { [field]: value }), field),
  );

  it('a name that is taken, or is none', async () => {
    expectInvalid(await server.post('/v1/containers/there/rename', { name: 'gone' }), 'name');
    expectInvalid(await server.post('/v1/containers/there/rename', { name: '-/' }), 'name');
    expectInvalid(await server.post('/v1/containers/there/rename', {}), 'name');
  });

  it('what is archived, until it is restored', async () => {
    for (const answer of [
      await server.patch('/v1/containers/gone/update', { theme: 'x' }),
      await server.post('/v1/containers/gone/rename', { name: 'back' }),
    ]) {
      expectFailure(answer, 400, 'INVALID_PARAMS');
      expect(answer.body.error.details.reason).toBe('CONTAINER_ARCHIVED');
    }
  });

  it('what the query string of a deletion asks for', async () => {
    expectInvalid(await server.delete('/v1/containers/there?force=true'), 'force');
    expectInvalid(await server.delete('/v1/containers/there?permanent=true'), 'permanent');
    expect((await server.describe('there')).body.container.state).toBe('active');
  });

  it('a name with a slash that is not encoded', async () =>
    expectFailure(await server.post('/v1/containers/a/b-c/rename', { name: 'x' }), 404, 'NOT_FOUND'));
});

describe('the surface answers in its own words for', () => {
  it.each([
    '/v1/containers',
    '/v1/containers/nothing/here',
    '/v1/jobs/status',
    '/v1/documents/list',
    '/v1/collaboration/x',
  ])('the path %s', async (path) => expectFailure(await server.post(path, {}), 404, 'NOT_FOUND'));

  it('a method a path does not take', async () =>
    expectFailure(await server.patch('/v1/containers/create', {}), 405, 'METHOD_NOT_ALLOWED'));

  it.each(['{', '{"name":"x"', '"text"', '[]', '[{"name":"x"}]', 'null', '{"__proto__":{}}'])(
    'the body %s',
    async (body) => expectFailure(await server.post('/v1/containers/create', body), 400, 'INVALID_PARAMS'),
  );

  it('a body that is not JSON', async () => {
    const type = { 'content-type': 'text/plain' };
    const answer = await fetch(`${server.url}/v1/containers/create`, { method: 'POST', headers: type, body: 'x' });
    const body = await answer.json();
    expectFailure({ status: answer.status, body, headers: {} }, 415, 'UNSUPPORTED_MEDIA_TYPE');
  });

  it('a body that is too large', async () => {
    const body = { name: 'n', policy: { large: 'x'.repeat(2_000_000) } };
    expectFailure(await server.create(body), 413, 'PAYLOAD_TOO_LARGE');
  });

  it('an event that is too large', async () => {
    const policy = { large: 'x'.repeat(1_048_300) };
    expectFailure(await server.create({ name: 'n-large', policy }), 400, 'INVALID_PARAMS');
  });

  it('a policy without end', async () => {
    const deep = `{"name":"deep","policy":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`;
    expectFailure(await server.post('/v1/containers/create', deep), 400, 'INVALID_PARAMS');
  });

  it.each([
    ['host', 'evil.example'],
    ['origin', 'https://evil.example'],
  ])('a foreign %s', async (header, value) =>
    expectFailure(await server.post('/v1/containers/list', {}, { [header]: value }), 403, 'FORBIDDEN'),
  );

  it('a path that cannot be decoded', async () =>
    expectFailure(await server.delete('/v1/containers/%E0%A4%A'), 400, 'INVALID_PARAMS'));

  it('a missing or wrong token, where one is configured', async () => {
    const guarded = await ContainersApp.start({ token: 'open-sesame' });
    try {
      expectFailure(await guarded.list(), 401, 'AUTH_FAILED');
      const wrong = { authorization: 'Bearer nope' };
      expectFailure(await guarded.post('/v1/containers/list', {}, wrong), 401, 'AUTH_FAILED');
      const right = { authorization: 'Bearer open-sesame' };
      expect((await guarded.post('/v1/containers/list', {}, right)).status).toBe(200);
    } finally {
      await guarded.stop();
    }
  });
});
