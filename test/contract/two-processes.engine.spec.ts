import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, serverDatabase, ServerProcess, type TestDatabase } from '#testing';

interface Projections {
  readonly items: { name: string; version: number; state: string; lag: { events: number } }[];
}

describe('two servers on one Postgres', () => {
  let opened: TestDatabase;
  let folders: string[];
  let servers: ServerProcess[];
  let urls: string[];

  beforeAll(async () => {
    opened = await serverDatabase();
    folders = await Promise.all([1, 2].map(() => mkdtemp(join(tmpdir(), 'scriptorium-two-'))));
    const shared = { DATABASE_URL: opened.url, MASTER_KEY: randomBytes(32).toString('base64') };
    servers = [];
    urls = [];
    // One after the other: the first one then holds the projections.
    for (const folder of folders) {
      const server = ServerProcess.start({ ...shared, DATA_DIR: folder });
      servers.push(server);
      urls.push(await server.url());
    }
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop('SIGKILL')));
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
    await opened.close();
  });

  const post = (server: number, path: string, body?: object, headers: Record<string, string> = {}) =>
    fetch(`${urls[server]}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body ?? {}),
    });
  const create = (server: number, name: string) => post(server, '/v1/containers/create', { name, theme: 'Two' });
  const projections = async (server: number) =>
    (await (await fetch(`${urls[server]}/v1/admin/projections`)).json()) as Projections;

  it('each reads what the other wrote, given the position of the write', async () => {
    for (const [writer, reader] of [
      [0, 1],
      [1, 0],
    ] as const) {
      const name = `from-${writer}`;
      const created = await create(writer, name);
      const position = created.headers.get('x-position') ?? '';
      const read = await post(reader, '/v1/containers/describe', { container: name }, { 'x-position': position });
      expect([created.status, read.status, read.headers.get('x-stale')]).toEqual([200, 200, null]);
    }
  });

  it('a name is given once, whoever is asked', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async (_, at) => (await create(at % 2, 'contested')).status),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 400)).toHaveLength(19);
  });

  it('either can be asked to rebuild; the one that holds the projection does it', async () => {
    const asked = await post(1, '/v1/admin/projections/containers/rebuild');
    expect(asked.status).toBe(202);
    const { items } = await eventually(
      () => projections(1),
      ({ items: [only] }) => only?.version === 2 && only.state === 'running',
    );
    expect(items).toMatchObject([{ name: 'containers', version: 2 }]);
    expect((await projections(0)).items).toMatchObject([{ name: 'containers', version: 2, state: 'running' }]);
  });

  it('when the one that holds it is killed, the other takes over', async () => {
    await servers[0]?.stop('SIGKILL');
    const created = await create(1, 'survivor');
    expect(created.status).toBe(200);
    const described = () => post(1, '/v1/containers/describe', { container: 'survivor' });
    await eventually(
      async () => (await described()).status,
      (status) => status === 200,
      30_000,
    );
    await eventually(
      () => projections(1),
      ({ items: [only] }) => only?.state === 'running' && only.lag.events === 0,
    );
  });
});
