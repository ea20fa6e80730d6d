import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import jestOpenApi from 'jest-openapi';
import { parse } from 'yaml';
import { startServer, type TestServer } from './server.js';

/** The matcher that jest-openapi adds, for jest's own types do not know it. */
interface Documented {
  toSatisfyApiSpec(): void;
}
const documented = (response: unknown) => (expect(response) as unknown as Documented).toSatisfyApiSpec();

let server: TestServer;
beforeAll(async () => {
  jestOpenApi.default(parse(readFileSync('openapi/scriptorium-v1.openapi.yaml', 'utf8')) as never);
  server = await startServer();
  await server.send.post('/v1/containers/create').send({ name: 'documented', theme: 'x' }).expect(200);
});
afterAll(() => server.close());

describe('every answer is as the published document says', () => {
  it.each([
    ['get', '/health', 200],
    ['get', '/ready', 200],
    ['get', '/v1/events', 200],
    ['get', '/v1/events?limit=0', 400],
    ['get', '/v1/admin/projections', 200],
    ['post', '/v1/admin/projections/containers/rebuild', 202],
    ['post', '/v1/admin/projections/nothing/rebuild', 404],
    ['get', '/v1/admin/projections/nothing/rebuild', 404],
    ['get', '/v1/admin/projections/containers/parked', 200],
    ['post', '/v1/admin/projections/containers/parked/replay', 200],
    ['get', '/v1/events', 403],
  ] as const)('%s %s %i', async (method, path, status) => {
    const request = server.send[method](path);
    const response = await (status === 403 ? request.set('host', 'evil.example') : request);
    expect(response.status).toBe(status);
    documented(response);
  });

  it('post /v1/admin/projections/{name}/rebuild and its report', async () => {
    for (;;) {
      const response = await server.send.get('/v1/admin/projections/containers/rebuild');
      documented(response);
      if (response.body.state === 'done') break;
    }
    const rollback = await server.send.post('/v1/admin/projections/containers/rollback');
    expect(rollback.status).toBe(200);
    documented(rollback);
    const again = await server.send.post('/v1/admin/projections/containers/parked/replay').type('text').send('x');
    expect(again.status).toBe(415);
    documented(again);
  });
});
