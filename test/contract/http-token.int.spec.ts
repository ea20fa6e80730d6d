import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startServer, type TestServer } from './server.js';

const TOKEN = 'a-token-for-the-owner';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ token: TOKEN, publicUrl: 'https://notes.example.org' });
});
afterAll(() => server.close());

describe('with a token configured', () => {
  it.each(['/health', '/ready', '/openapi.json', '/docs', '/docs/swagger-ui-init.js'])('%s stays open', (path) =>
    server.send.get(path).expect(200),
  );

  it.each([
    ['no token', {}],
    ['another token', { authorization: 'Bearer another-token' }],
    ['a part of it', { authorization: `Bearer ${TOKEN.slice(0, -1)}` }],
    ['another scheme', { authorization: `Basic ${TOKEN}` }],
  ])('a call with %s is refused, in the words of the owner of the route', async (_, headers) => {
    const ours = await server.send.get('/v1/events').set(headers);
    expect([ours.status, ours.body.error.code]).toEqual([401, 'UNAUTHORIZED']);
    expect(ours.headers['www-authenticate']).toBe('Bearer');
    const containers = await server.send.post('/v1/containers/list').set(headers).send({});
    expect([containers.status, containers.body.error.code]).toEqual([401, 'AUTH_FAILED']);
    const mcp = await server.send.post('/mcp/sessions').set(headers).send({});
    expect([mcp.status, mcp.body.error.code]).toEqual([401, 'MCP_AUTH_REQUIRED']);
    const nowhere = await server.send.get('/v1/nowhere').set(headers);
    expect([nowhere.status, nowhere.body.error.code]).toEqual([401, 'UNAUTHORIZED']);
  });

  it('the owner is let in, and is a human', async () => {
    const owner = { authorization: `Bearer ${TOKEN}`, 'x-agent-id': 'scribe-1' };
    await server.send.post('/v1/containers/create').set(owner).send({ name: 'owned', theme: 'x' }).expect(200);
    const { body } = await server.send.get('/v1/events?types=ContainerCreated').set(owner).expect(200);
    expect(body.items[0].metadata.caller).toEqual({
      kind: 'human',
      id: 'principal:owner',
      roles: ['owner'],
      agent_name: 'scribe-1',
    });
  });

  it('the numbers are for this machine, and for others only with the token', async () => {
    await server.send.get('/metrics').expect(200);
    await server.send.get('/metrics').set('x-forwarded-for', '203.0.113.9').expect(401);
    await server.send.get('/metrics').set('host', 'notes.example.org').expect(401);
    await server.send
      .get('/metrics')
      .set('host', 'notes.example.org')
      .set('authorization', `Bearer ${TOKEN}`)
      .expect(200);
  });

  it('the public name is one of its own', async () => {
    await server.send.get('/health').set('host', 'notes.example.org').expect(200);
    await server.send
      .get('/health')
      .set('host', 'notes.example.org')
      .set('origin', 'https://notes.example.org')
      .expect(200);
    await server.send.get('/health').set('host', 'other.example.org').expect(403);
  });

  it('no token is ever logged', async () => {
    await server.send.get('/v1/events').set('authorization', `Bearer ${TOKEN}`).expect(200);
    expect(server.logged.join('')).not.toContain(TOKEN);
  });
});
