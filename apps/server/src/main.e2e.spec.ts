import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { preparedDataDir, ServerProcess } from '#testing';

const folders: string[] = [];
const running: ServerProcess[] = [];
const home = mkdtempSync(join(tmpdir(), 'scriptorium-home-'));

afterEach(() => Promise.all(running.splice(0).map((run) => run.stop('SIGKILL'))));
afterAll(() => {
  for (const folder of [home, ...folders]) rmSync(folder, { recursive: true, force: true });
});

function start(environment: NodeJS.ProcessEnv): ServerProcess {
  const run = ServerProcess.start(environment);
  running.push(run);
  return run;
}

async function dataDir(): Promise<string> {
  const folder = await preparedDataDir();
  folders.push(folder);
  return folder;
}

describe('a start that works', () => {
  it('answers, says where to go next, and stops on SIGTERM with exit 0', async () => {
    const folder = await dataDir();
    const began = performance.now();
    const run = start({ DATA_DIR: folder });
    const url = await run.url();
    expect((await fetch(`${url}/health`)).status).toBe(200);
    console.info(`second start: first answer after ${Math.round(performance.now() - began)} ms`);
    expect(run.stdout).toContain(`${url}/docs`);
    expect(run.stdout).toContain(folder);
    expect(run.stdout).toContain('Warning: local mode');
    expect(await run.stop('SIGTERM')).toBe(0);
    expect(run.stderr).toBe('');
  });

  it('keeps what was acknowledged over a stop and a start', async () => {
    const folder = await dataDir();
    const first = start({ DATA_DIR: folder });
    const created = await post(`${await first.url()}/v1/containers/create`, { name: 'kept', theme: 'x' });
    expect(created.status).toBe(200);
    expect(await first.stop('SIGINT')).toBe(0);
    const second = start({ DATA_DIR: folder, MCP_TOKEN: 'a-token' });
    const read = await post(`${await second.url()}/v1/containers/describe`, { container: 'kept' }, 'a-token');
    expect(read.status).toBe(200);
    expect(second.stdout).not.toContain('local mode');
  });

  it('answers what is under way before it stops, and takes nothing new', async () => {
    const run = start({ DATA_DIR: await dataDir() });
    const url = new URL(await run.url());
    const socket = connect(Number(url.port), url.hostname);
    const body = JSON.stringify({ name: 'drained', theme: 'x' });
    const head = `POST /v1/containers/create HTTP/1.1\r\nhost: ${url.host}\r\ncontent-type: application/json\r\n`;
    socket.write(`${head}content-length: ${body.length}\r\nconnection: close\r\n\r\n${body.slice(0, 5)}`);
    // Once a later request is answered, the half one before it has been taken in.
    await fetch(`${url.origin}/health`, { headers: { connection: 'close' } });
    run.child.kill('SIGTERM');
    await refusesConnections(url);
    socket.write(body.slice(5));
    expect(await textOf(socket)).toMatch(/^HTTP\/1\.1 200 /);
    expect(await run.ended).toBe(0);
  });

  it('turns away what comes after, in the words of the owner, and waits for no silent connection', async () => {
    const run = start({ DATA_DIR: await dataDir() });
    const url = new URL(await run.url());
    const silent = connect(Number(url.port), url.hostname);
    await once(silent, 'connect');
    const socket = connect(Number(url.port), url.hostname);
    const list = `POST /v1/containers/list HTTP/1.1\r\nhost: ${url.host}\r\ncontent-type: application/json\r\n`;
    // Waits two seconds for a position that never comes, so it is under way when the end begins.
    socket.write(`${list}x-position: ffffffffffffffff\r\ncontent-length: 2\r\n\r\n{}`);
    const late = connect(Number(url.port), url.hostname);
    late.write(list);
    await fetch(`${url.origin}/health`, { headers: { connection: 'close' } });
    const asked = performance.now();
    run.child.kill('SIGTERM');
    await refusesConnections(url);
    late.write('content-length: 2\r\n\r\n{}');
    const [answer, refusal] = await Promise.all([textOf(socket), textOf(late)]);
    expect(answer).toMatch(/^HTTP\/1\.1 200 .*connection: close/is);
    expect(refusal).toMatch(/^HTTP\/1\.1 503 .*retry-after: \d.*"code":"UNAVAILABLE".*"reason":"SHUTTING_DOWN"/is);
    expect(await run.ended).toBe(0);
    expect(performance.now() - asked).toBeLessThan(5_000);
  });

  it('does not wait for ever for a request that never ends', async () => {
    const run = start({ DATA_DIR: await dataDir() });
    const url = new URL(await run.url());
    const socket = connect(Number(url.port), url.hostname);
    socket.on('error', () => socket.destroy());
    socket.write(`POST /v1/containers/create HTTP/1.1\r\nhost: ${url.host}\r\ncontent-length: 10\r\n\r\n`);
    await fetch(`${url.origin}/health`, { headers: { connection: 'close' } });
    const asked = performance.now();
    expect(await run.stop('SIGTERM')).toBe(0);
    expect(performance.now() - asked).toBeLessThan(10_000);
    socket.destroy();
  });
});

describe('a start that cannot work', () => {
  it.each([
    ['PORT', 'http', 'PORT is "http"'],
    ['HOST', '0.0.0.0', 'set MCP_TOKEN, or set HOST to 127.0.0.1'],
    ['DATABASE_URL', 'mysql://db', 'DATABASE_URL is no postgres or postgresql URL'],
    ['LOG_LEVEL', 'loud', 'LOG_LEVEL is "loud"'],
  ])('because %s is %s ends with one sentence', async (variable, value, sentence) => {
    await endsWith(start({ [variable]: value, DATA_DIR: home }), sentence);
  });

  it('because the port is in use says so', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    try {
      const run = start({ DATA_DIR: await dataDir(), PORT: String(port) });
      await endsWith(run, `Port ${port} on 127.0.0.1 is in use: stop what listens there, or set PORT to another one.`);
    } finally {
      other.close();
    }
  });

  it('because another process holds the data folder says which', async () => {
    const folder = await dataDir();
    const holder = start({ DATA_DIR: folder });
    await holder.url();
    await endsWith(start({ DATA_DIR: folder }), `process ${holder.child.pid}`);
  });

  it('because the data folder is a file says so', async () => {
    const file = join(home, 'file');
    writeFileSync(file, '');
    await endsWith(start({ DATA_DIR: file }), 'set DATA_DIR to a folder');
  });

  it('because the data folder cannot be made says so', async () => {
    const nowhere = join(home, 'nowhere');
    symlinkSync(join(home, 'gone', 'away'), nowhere);
    await endsWith(start({ DATA_DIR: nowhere }), 'cannot be made: set DATA_DIR to one that can.');
  });

  it('because the database is away says so', async () => {
    const run = start({ DATA_DIR: home, DATABASE_URL: 'postgres://nobody:hunter2@127.0.0.1:1/nothing' });
    await endsWith(run, 'cannot be reached: start it, correct DATABASE_URL');
    expect(run.stderr).not.toContain('hunter2');
  });

  async function endsWith(run: ServerProcess, sentence: string): Promise<void> {
    expect(await run.ended).toBe(1);
    expect(run.stdout).toBe('');
    expect(run.stderr).toContain(sentence);
    expect(run.stderr.trim().split('\n')).toHaveLength(1);
  }
});

function post(url: string, body: object, token?: string): Promise<Response> {
  const headers = { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) };
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
}

async function textOf(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk) => (text += chunk.toString()));
  await once(socket, 'close');
  return text;
}

async function refusesConnections(url: URL): Promise<void> {
  for (;;) {
    const socket = connect(Number(url.port), url.hostname);
    const refused = await Promise.race([
      once(socket, 'connect').then(() => false),
      once(socket, 'error').then(() => true),
    ]).catch(() => true);
    socket.destroy();
    if (refused) return;
  }
}
