import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startServer, type TestServer } from './server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const OURS = {
  code: expect.any(String),
  message: expect.any(String),
  hint: expect.any(String),
  details: expect.any(Object),
  constitutional_violations: [],
  request_id: expect.any(String),
};

/** The failure as scriptorium-v1 says it. */
const ours = (code: string) => ({ error: { ...OURS, code } });
/** The failure as containers-v1 says it. */
const containers = (code: string) => ({
  version: 'v1',
  request_id: expect.any(String),
  partial: false,
  issues: [code],
  error: { code },
});

describe('infrastructure', () => {
  it('says that it is alive, in the agreed shape', async () => {
    const { body, status } = await server.send.get('/health');
    expect(status).toBe(200);
    expect(body).toEqual({
      ok: true,
      status: 'ok',
      result: { uptimeMs: expect.any(Number) },
      _meta: {
        ts: expect.stringMatching(/Z$/),
        durationMs: expect.any(Number),
        schemaVersion: expect.stringMatching(/^\d+\.\d+\.\d+$/),
        toolVersion: expect.stringMatching(/^\d+\.\d+\.\d+/),
      },
      version: 'v1',
      request_id: expect.any(String),
      partial: false,
      timings_ms: { total: expect.any(Number) },
      issues: [],
    });
  });

  it('says that every part answers', async () => {
    const { body, status } = await server.send.get('/ready');
    const answers = { ok: true, ms: expect.any(Number) };
    expect(status).toBe(200);
    expect(body).toEqual({
      ok: true,
      status: 'ready',
      checks: { database: answers, event_log: answers, projections: answers },
    });
  });

  it('gives its numbers to Prometheus, by route pattern', async () => {
    await server.send.get('/v1/admin/projections/containers/parked').expect(200);
    const { text, headers } = await server.send.get('/metrics').expect(200);
    expect(headers['content-type']).toContain('text/plain');
    expect(text).toContain('operations_total{operation="find_parked_events",outcome="ok"} 1');
    expect(text).toContain('operation_duration_seconds_bucket');
    expect(text).toContain('projection_lag_events{projection="containers"} 0');
    expect(text).toContain('projection_parked_events{projection="containers"} 0');
    expect(text).toContain('route="/v1/admin/projections/:name/parked",status="200"');
    expect(text).toContain('process_resident_memory_bytes');
  });

  it('describes itself', async () => {
    const page = await server.send.get('/docs').expect(200);
    expect(page.text).toContain('swagger-ui');
    await server.send.get('/docs/swagger-ui-bundle.js').expect(200);
    const { body } = await server.send.get('/openapi.json').expect(200);
    expect(body.servers).toEqual([{ url: '/' }]);
    expect(Object.keys(body.paths)).toEqual(expect.arrayContaining(['/health', '/v1/events', '/v1/containers/create']));
  });

  it('lets no script in that is not its own, and Swagger UI still draws', async () => {
    const { headers, text } = await server.send.get('/docs').expect(200);
    expect(headers['content-security-policy']).toContain("script-src 'self'");
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(text).not.toMatch(/<script>/);
  });
});

describe('names of requests', () => {
  it('keeps a sane one and shows it', async () => {
    const { headers, body } = await server.send.get('/health').set('x-request-id', 'mine-1');
    expect(headers['x-request-id']).toBe('mine-1');
    expect(body.request_id).toBe('mine-1');
  });

  it.each([
    ['white space', 'a b'],
    ['too long', 'x'.repeat(129)],
  ])('replaces one with %s', async (_, id) => {
    const { headers } = await server.send.get('/health').set('x-request-id', id);
    expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('foreign pages', () => {
  const PATHS = [
    '/health',
    '/ready',
    '/metrics',
    '/docs',
    '/openapi.json',
    '/nowhere',
    '/mcp',
    '/sse',
    '/v1/events',
    '/%E0%A4%A',
  ];

  it.each(PATHS)('are turned away by Host at %s', async (path) => {
    const { status, body } = await server.send.get(path).set('host', 'evil.example');
    expect(status).toBe(403);
    expect(body).toEqual(ours('FOREIGN_HOST'));
  });

  it.each(PATHS)('are turned away by Origin at %s', async (path) => {
    const { status, body } = await server.send.get(path).set('origin', 'http://evil.example');
    expect(status).toBe(403);
    expect(body).toEqual(ours('FOREIGN_ORIGIN'));
  });

  it('are turned away in the words of the owner', async () => {
    const { status, body } = await server.send.post('/v1/containers/list').set('host', 'evil.example').send({});
    expect(status).toBe(403);
    expect(body).toMatchObject(containers('FORBIDDEN'));
  });

  it.each(['localhost', 'localhost:1', '127.0.0.1:65000', '[::1]:7801'])('not by the loopback name %s', (host) =>
    server.send.get('/health').set('host', host).set('origin', `http://${host}`).expect(200),
  );

  it.each(['localhost.evil.example', '127.0.0.1.evil.example', 'evil.example:7801', 'user@localhost', ''])(
    'nor by what only looks like one: "%s"',
    (host) => server.send.get('/health').set('host', host).expect(403),
  );

  it('by a Host that is missing, given twice, or in the request line', async () => {
    for (const head of [
      'GET /health HTTP/1.1\r\n',
      'GET /health HTTP/1.1\r\nhost: localhost\r\nhost: evil.example\r\n',
      'GET http://evil.example/health HTTP/1.1\r\nhost: localhost\r\n',
    ]) {
      expect(await raw(`${head}connection: close\r\n\r\n`)).toMatch(/^HTTP\/1\.1 403 .*"code":"FOREIGN_HOST"/s);
    }
    const own = 'GET http://localhost/health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n';
    expect(await raw(own)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('by an Origin that is null', () => server.send.get('/health').set('origin', 'null').expect(403));

  it('without a word of CORS', async () => {
    const { headers, status } = await server.send.options('/v1/events').set('origin', 'http://localhost:3000');
    expect(status).toBe(405);
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

describe('what cannot be routed', () => {
  it('is not found, in our words', async () => {
    const { status, body } = await server.send.get('/v1/nothing');
    expect(status).toBe(404);
    expect(body).toEqual(ours('ROUTE_NOT_FOUND'));
  });

  it.each(['/v1/containers/no/such', '/v1/jobs/x', '/v1/documents/x', '/v1/collaboration/x'])(
    'is not found in the words of containers-v1 at %s',
    async (path) => {
      const { status, body } = await server.send.get(path);
      expect(status).toBe(404);
      expect(body).toMatchObject(containers('NOT_FOUND'));
    },
  );

  it.each(['/docs/nothing.js', '/docs/..%2f..%2fpackage.json'])('is no file at %s', async (path) => {
    const { status, body } = await server.send.get(path);
    expect(status).toBe(404);
    expect(body).toEqual(ours('ROUTE_NOT_FOUND'));
  });

  it('is answered for by the owner of the path, however that is written', async () => {
    const { status, body } = await server.send.post('/v1/%63ontainers/list').send({ foo: 1 });
    expect(status).toBe(400);
    expect(body).toMatchObject(containers('INVALID_PARAMS'));
  });

  it('names the methods a path takes', async () => {
    const { status, headers, body } = await server.send.delete('/v1/events');
    expect(status).toBe(405);
    expect(headers['allow']).toBe('GET, HEAD');
    expect(body).toEqual(ours('METHOD_NOT_ALLOWED'));
  });

  it('names them in the words of the owner', async () => {
    const { status, headers, body } = await server.send.get('/v1/containers/create');
    expect(status).toBe(405);
    expect(headers['allow']).toContain('POST');
    expect(body).toMatchObject(containers('METHOD_NOT_ALLOWED'));
  });

  it('may be a URL that does not decode', async () => {
    const { status, body } = await server.send.get('/%E0%A4%A');
    expect(status).toBe(400);
    expect(body).toEqual(ours('BAD_REQUEST'));
  });

  it('may not even be HTTP', async () => {
    const [head, text] = (await raw('HELLO\r\n\r\n')).split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(JSON.parse(text ?? '')).toEqual(ours('BAD_REQUEST'));
    expect(await raw(`GET / HTTP/1.1\r\nhost: localhost\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 431 .*"code":"HEADERS_TOO_LARGE".*"hint":"Send fewer/s,
    );
  });
});

describe('bodies', () => {
  const ROUTES: readonly (readonly [path: string, owner: typeof ours | typeof containers, broken: string])[] = [
    ['/v1/admin/projections/containers/parked/replay', ours, 'BROKEN_JSON'],
    ['/v1/containers/create', containers, 'INVALID_PARAMS'],
  ];

  it.each(ROUTES)('that are broken JSON are refused at %s', async (path, owner, broken) => {
    for (const text of ['{"a":', '"', '{"a":1}}', '{"a":NaN}']) {
      const { status, body } = await server.send.post(path).set('content-type', 'application/json').send(text);
      expect(status).toBe(400);
      expect(body).toMatchObject(owner(broken));
    }
  });

  it.each(ROUTES)('that are not UTF-8 are refused at %s', async (path, owner, broken) => {
    const bytes = Buffer.from('{"name":"\xff","theme":"x"}', 'latin1');
    const response = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: bytes,
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject(owner(broken));
  });

  it.each(ROUTES)('that are compressed are refused at %s', async (path, owner) => {
    const response = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: gzipSync('{"name":"zipped"}'),
    });
    expect(response.status).toBe(415);
    expect(await response.json()).toMatchObject(owner('UNSUPPORTED_MEDIA_TYPE'));
  });

  it.each(ROUTES)('of another type are refused at %s', async (path, owner) => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'a/b']) {
      const { status, body } = await server.send.post(path).set('content-type', type).send('x');
      expect(status).toBe(415);
      expect(body).toMatchObject(owner('UNSUPPORTED_MEDIA_TYPE'));
    }
  });

  it.each(ROUTES)('that are too large are refused at %s', async (path, owner) => {
    const { status, body } = await server.send.post(path).send({ name: 'x'.repeat(1024 * 1024) });
    expect(status).toBe(413);
    expect(body).toMatchObject(owner('PAYLOAD_TOO_LARGE'));
  });

  it('that are no object are refused', async () => {
    for (const path of ['/v1/containers/list', '/v1/admin/projections/containers/parked/replay']) {
      for (const text of ['[]', '1', '"x"', 'null']) {
        const sent = server.send.post(path).set('content-type', 'application/json').send(text);
        expect([path, text, (await sent).status]).toEqual([path, text, 400]);
      }
    }
  });

  it('with unknown fields are refused by their names', async () => {
    const { status, body } = await server.send
      .post('/v1/admin/projections/containers/parked/replay')
      .send({ foo: 1, event_id: 7 });
    expect(status).toBe(400);
    expect(body.error.details.field_errors).toEqual(
      expect.arrayContaining([
        { field: 'foo', message: 'is not a known field' },
        { field: 'event_id', message: 'must be a uuid' },
      ]),
    );
  });

  it.each([
    ['__proto__', '{"__proto__":{"a":1}}'],
    ['constructor', '{"constructor":1}'],
    ['toString', '{"toString":1}'],
    ['policy.constructor', '{"name":"p","policy":{"constructor":{"x":1}}}'],
    ['policy.a.__proto__', '{"name":"p","policy":{"a":{"__proto__":{"x":1}}}}'],
    ['policy.hasOwnProperty', '{"name":"p","policy":{"hasOwnProperty":1}}'],
    ['policy.n', '{"name":"p","policy":{"n":1e400}}'],
  ])('with %s are refused by that name', async (field, text) => {
    const sent = server.send.post('/v1/containers/create').set('content-type', 'application/json').send(text);
    const { status, body } = await sent;
    expect(status).toBe(400);
    expect(body).toMatchObject(containers('INVALID_PARAMS'));
    expect(body.error.details.field_errors).toEqual([expect.objectContaining({ field })]);
  });

  it('that no store could keep are refused', async () => {
    const deep = `${'{"policy":'.repeat(70)}1${'}'.repeat(70)}`;
    for (const text of ['{"name":"a\\u0000b","theme":"x"}', '{"name":"a\\ud800","theme":"x"}', deep]) {
      const sent = server.send.post('/v1/containers/create').set('content-type', 'application/json').send(text);
      const { status, body } = await sent;
      expect(status).toBe(400);
      expect(body).toMatchObject(containers('INVALID_PARAMS'));
    }
  });

  it('in a query string are as strict', async () => {
    for (const query of [
      'limit=x',
      'limit=0',
      'limit=501',
      'limit=1.5',
      'limit=1&limit=2',
      'foo=1',
      'direction=up',
      'stream=%00',
      '__proto__=1',
      'constructor=1',
      'types=',
    ]) {
      const { status, body } = await server.send.get(`/v1/events?${query}`);
      expect([query, status]).toEqual([query, 400]);
      expect(body).toEqual(ours('INVALID_INPUT'));
    }
  });
});

describe('reading what one wrote', () => {
  it('needs no waiting: the answer carries its position, the next read is at least there', async () => {
    const written = await server.send.post('/v1/containers/create').send({ name: 'ryw', theme: 'x' }).expect(200);
    const position = written.headers['x-position'];
    expect(position).toMatch(/^[0-9a-f]{16}$/);
    const read = await server.send.post('/v1/containers/describe').send({ container: 'ryw' }).expect(200);
    expect(read.headers['x-position']).toBe(position);
    expect(read.headers['x-stale']).toBeUndefined();
  });

  it('answers marked as stale when a position is too far off', async () => {
    const read = await server.send
      .post('/v1/containers/list')
      .set('x-position', 'ffffffffffffffff')
      .send({})
      .expect(200);
    expect(read.headers['x-stale']).toBe('true');
    expect(read.headers['x-position']).toBeUndefined();
  });

  it('refuses a position that is none', async () => {
    const { status, body } = await server.send.get('/v1/events').set('x-position', 'here');
    expect(status).toBe(400);
    expect(body.error.details.field_errors).toEqual([expect.objectContaining({ field: 'x-position' })]);
  });
});

function raw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(server.port, '127.0.0.1', () => socket.write(text));
    socket.on('data', (chunk) => (answer += chunk.toString()));
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}
