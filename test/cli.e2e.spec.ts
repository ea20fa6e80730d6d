import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PostgresEventLog } from '#platform/eventlog';
import { openEmbedded, type Database } from '#platform/postgres';
import { preparedDataDir, ServerProcess } from '#testing';
import { CLI, Program, scriptorium, type Environment } from './cli.processes.js';

const TOKEN = 'a-token-of-this-test';
const NAMES = ['one', 'two', 'three'];
const POISON = randomUUID();
const POISON_STREAM = `container-${randomUUID()}`;

let dataDir: string;
let environment: Environment;
/** The ids of the events that made the containers. */
let created: { id: string; stream: string; position: string }[];

/** Containers made over HTTP; two of their events parked as if they had failed once, and one that always will. */
beforeAll(async () => {
  dataDir = await preparedDataDir();
  environment = { DATA_DIR: dataDir, MCP_TOKEN: TOKEN };
  const server = ServerProcess.start(environment);
  const url = await server.url();
  for (const name of NAMES) await createContainer(url, name);
  const answer = await fetch(`${url}/v1/events?types=ContainerCreated`, { headers: authorised() });
  created = ((await answer.json()) as { items: typeof created }).items;
  await server.stop();

  const database = await openEmbedded({ dataDir });
  for (const event of created.slice(0, 2)) await park(database, event);
  const poison = { id: POISON, type: 'ContainerCreated', data: { container_id: 'none' }, metadata: {} };
  await new PostgresEventLog(database).append(POISON_STREAM, [poison], 'none');
  await database.close();
});

afterAll(() => rm(dataDir, { recursive: true, force: true }));

const authorised = () => ({ authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' });

async function createContainer(url: string, name: string): Promise<void> {
  const body = JSON.stringify({ name, theme: `About ${name}` });
  const answer = await fetch(`${url}/v1/containers/create`, { method: 'POST', headers: authorised(), body });
  expect(answer.status).toBeLessThan(300);
}

function park(database: Database, { id, stream, position }: (typeof created)[number]) {
  return database.query(
    `insert into projections.parked (name, version, position, event_id, stream, revision, type, error, behind)
     values ('containers', 1, $1, $2, $3, 0, 'ContainerCreated', 'It failed\nonce.', false)`,
    [position, id, stream],
  );
}

const run = (...args: string[]) => scriptorium(args, environment);

/** For commands that must work: what they printed, as JSON. */
async function json<T>(...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await run(...args, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as T;
}

interface Listed {
  items: { name: string; version: number; state: string; parked: number; lag: object }[];
}

const modes = [
  // The first mode takes in the poison, replays one of the two other parked events and makes a fourth container.
  { mode: 'with a server', served: true, parked: 3, containers: 3 },
  { mode: 'without a server', served: false, parked: 2, containers: 4 },
];

describe.each(modes)('scriptorium $mode', ({ served, parked, containers }) => {
  let server: ServerProcess | undefined;
  let url = '';

  beforeAll(async () => {
    if (served) url = await (server = ServerProcess.start(environment)).url();
    // What a server leaves behind that was killed: its number is free, its port may be another's by now.
    else await writeFile(join(dataDir, 'lock.json'), JSON.stringify(abandonedLock()));
  });

  afterAll(async () => {
    await server?.stop();
  });

  it('lists the projections', async () => {
    let items: Listed['items'];
    // The poison is taken in as soon as somebody looks after the projection, which may be after the first answer.
    do ({ items } = await json<Listed>('projections', 'list'));
    while (items[0]?.parked !== parked);
    const expected = { name: 'containers', version: 1, state: 'running', parked, lag: { events: 0, seconds: 0 } };
    expect(items).toEqual([expect.objectContaining(expected)]);
  });

  it('prints the last events, oldest first', async () => {
    const { code, stdout, stderr } = await run('events', 'tail', '--types', 'ContainerCreated', '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: string });
    expect(events.map(({ id }) => id).slice(0, 4)).toEqual([...created.map(({ id }) => id), POISON]);
    expect(events).toHaveLength(containers + 1);
  });

  it('shows one event of a stream', async () => {
    const event = await json<object>('events', 'show', created[0]!.stream, '0');
    expect(event).toMatchObject({ id: created[0]!.id, revision: 0, data: { name: 'one', theme: 'About one' } });
  });

  it('prints what is parked, each on one line', async () => {
    const { code, stdout, stderr } = await run('projections', 'parked', 'containers');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(1 + parked);
    expect(lines[0]).toMatch(/^EVENT +TYPE +STREAM +PARKED AT +TRIED +ERROR$/);
    expect(lines.at(-1)).toContain(`${POISON_STREAM}@0`);
    expect(lines.at(-2)).toMatch(/It failed once\.$/);
  });

  it('replays what is parked', async () => {
    const which = served ? [created[0]!.id] : [];
    const answer = await json<object>('projections', 'replay', 'containers', ...which);
    expect(answer).toEqual({ replayed: 1, still_parked: parked - 1 });
  });

  it('rebuilds a projection and says how the builds compared', async () => {
    const { code, stdout, stderr } = await run('projections', 'rebuild', 'containers');
    expect(code).toBe(0);
    const version = served ? 2 : 3;
    expect(stdout).toMatch(
      new RegExp(`^containers: version ${version} is live, built from ${containers + 1} events in [\\d.]+ s\\.$`, 'm'),
    );
    expect(stdout).toContain(`\n${containers} rows compared with version 1: no differences.\n`);
    expect(stdout).toMatch(new RegExp(`^containers +${containers} +0 +0 +0$`, 'm'));
    for (const line of stderr.trim().split('\n')) expect(line).toMatch(/^(containers: version \d, \d+ %, .+)?$/);
  });

  it('refuses what is not there in one line, and ends with 1', async () => {
    const { code, stdout, stderr } = await run('projections', 'rebuild', 'nothing');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(
      'PROJECTION_NOT_FOUND: There is no projection of that name. List the projections to see their names.\n',
    );
  });

  it('finds everything in order', async () => {
    const { ok, checks } = await json<{ ok: boolean; checks: { name: string; status: string }[] }>('doctor');
    expect(ok).toBe(true);
    const looked = [
      'node',
      'PORT',
      'MCP_TOKEN',
      'data folder',
      'disk',
      'master key',
      'database',
      'event log',
      'port',
      'server',
    ];
    expect(checks.map(({ name }) => name)).toEqual(expect.arrayContaining(looked));
    const engine = served ? ['projection containers'] : ['migrations', 'pgvector'];
    expect(checks.map(({ name }) => name)).toEqual(expect.arrayContaining(engine));
    expect(checks.filter(({ status }) => status === 'problem')).toEqual([]);
  });

  if (!served) return;

  it('rolls back to the build before', async () => {
    expect(await json<object>('projections', 'rollback', 'containers')).toEqual({ name: 'containers', version: 1 });
  });

  it('follows the log until Ctrl-C', async () => {
    const following = Program.start(
      CLI,
      ['events', 'tail', '--follow', '-n', '1', '--types', 'ContainerCreated'],
      environment,
    );
    await following.says(new RegExp(POISON_STREAM));
    await createContainer(url, 'four');
    const [line] = await following.says(/^.* ContainerCreated .*principal:owner$/m);
    expect(line).not.toContain(POISON_STREAM);
    expect(await following.stop('SIGINT')).toMatchObject({ code: 0, stderr: '' });
    expect(following.stdout.trimEnd().split('\n')).toHaveLength(2);
  });

  it('goes on from a position', async () => {
    const { stdout } = await run('events', 'tail', '--after', created[1]!.position, '--limit', '2', '--json');
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string });
    expect(lines.map(({ type }) => type)).toEqual(['SlugClaimed', 'ContainerCreated']);
  });

  it('ends quietly when nobody reads on', async () => {
    const cut = Program.start(CLI, ['events', 'tail', '--follow'], environment);
    cut.child.stdout?.destroy();
    expect(await cut.ended()).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('asks the server it is told to, whatever the data folder', async () => {
    const elsewhere = { DATA_DIR: join(dataDir, 'nowhere'), MCP_TOKEN: TOKEN };
    const byOption = await scriptorium(['projections', 'list', '--json', '--url', `${url}/`], elsewhere);
    const byVariable = await scriptorium(['projections', 'list', '--json'], {
      ...elsewhere,
      SCRIPTORIUM_URL: url,
    });
    expect(byOption).toMatchObject({ code: 0, stderr: '' });
    expect((JSON.parse(byOption.stdout) as Listed).items).toHaveLength(1);
    expect(byVariable).toEqual(byOption);
  });

  it('says what to do about a wrong token', async () => {
    const { code, stderr } = await scriptorium(['events', 'tail'], { ...environment, MCP_TOKEN: 'wrong' });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'UNAUTHORIZED: This needs a valid token. Set MCP_TOKEN to the token of that server.\n',
    });
  });

  it('says that a stream or an event is not there', async () => {
    const [noStream, noEvent] = await Promise.all([
      run('events', 'show', 'container-none'),
      run('events', 'show', created[0]!.stream, '7', '--json'),
    ]);
    expect(noStream).toMatchObject({ code: 1, stdout: '' });
    expect(noStream.stderr).toMatch(/^EVENT_NOT_FOUND: There is no event in stream container-none\. .+\n$/);
    expect(noEvent).toMatchObject({ code: 1, stdout: '' });
    expect(noEvent.stderr).toMatch(/^EVENT_NOT_FOUND: There is no event 7 in stream .+\n$/);
  });
});

function abandonedLock() {
  const long = new Date(0).toISOString();
  return { host: hostname(), pid: 2 ** 31 - 1, since: long, heartbeat: long, url: 'http://127.0.0.1:9' };
}
