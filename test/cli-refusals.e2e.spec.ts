import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openEmbedded } from '#platform/postgres';
import { preparedDataDir } from '#testing';
import { BIN, CLI, scriptorium, type Environment } from './cli.processes.js';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'scriptorium-cli-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('what a user types', () => {
  it('runs the program', async () => {
    const { code, stdout } = await scriptorium(['--version'], {}, BIN);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  });

  it('ends with 2 when it is not understood', async () => {
    const { code, stdout, stderr } = await scriptorium(['events', 'tail', '--folow'], { DATA_DIR: folder });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^error: unknown option '--folow'\n.+\n\nUsage: scriptorium events tail /);
  });
});

describe('an answer that cannot be written', () => {
  it('ends with 1 and a sentence', async () => {
    // Open for reading only: it fails as a full disk does, on every system.
    const readOnly = openSync(CLI, 'r');
    try {
      const child = spawn(process.execPath, [CLI, '--version'], { stdio: ['ignore', readOnly, 'pipe'] });
      let stderr = '';
      child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
      const [code] = (await once(child, 'close')) as [number | null];
      expect(stderr).toMatch(/^The output cannot be written: EBADF.+\n$/);
      expect(code).toBe(1);
    } finally {
      closeSync(readOnly);
    }
  });
});

describe('a command that cannot be carried out', () => {
  it.each<{ what: string; environment: Environment; says: RegExp }>([
    {
      what: 'no database',
      environment: {},
      says: /^NO_DATABASE: There is no database in .+ yet\. Start the server once .+\n$/,
    },
    {
      what: 'a bad setting',
      environment: { PORT: 'x' },
      says: /^BAD_SETTING: PORT is "x", which is not a port: .+\n$/,
    },
    {
      what: 'no server',
      environment: { SCRIPTORIUM_URL: 'http://127.0.0.1:2' },
      says: /^SERVER_UNREACHABLE: http:\/\/127\.0\.0\.1:2 does not answer \(ECONNREFUSED\)\. Start it, .+\n$/,
    },
    {
      what: 'no Postgres',
      environment: { DATABASE_URL: 'postgres://user:hidden@127.0.0.1:2/x' },
      says: /^DATABASE_UNAVAILABLE: The database that DATABASE_URL names cannot be reached: .+\n$/,
    },
  ])('says so in one line: $what', async ({ environment, says }) => {
    const { code, stdout, stderr } = await scriptorium(['projections', 'list', '--json'], {
      DATA_DIR: folder,
      ...environment,
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(says);
  });

  it('names the process that holds the folder and does not answer', async () => {
    const dataDir = await preparedDataDir();
    const database = await openEmbedded({ dataDir });
    try {
      const [list, doctor] = await Promise.all([
        scriptorium(['projections', 'list'], { DATA_DIR: dataDir }),
        scriptorium(['doctor'], { DATA_DIR: dataDir, PORT: '0' }),
      ]);
      expect(list).toMatchObject({ code: 1, stdout: '' });
      expect(list.stderr).toMatch(/^DATA_DIR_HELD: The data folder .+ is held by process \d+ on .+ wait until .+\n$/);
      expect(list.stderr).toContain(`process ${process.pid} `);
      expect(doctor.code).toBe(1);
      expect(doctor.stdout).toMatch(new RegExp(`^problem {2}database: .+ process ${process.pid} on `, 'm'));
    } finally {
      await database.close();
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});

describe('doctor', () => {
  let taken: Server;
  let port: string;

  beforeAll(async () => {
    taken = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    port = String((taken.address() as AddressInfo).port);
  });

  afterAll(() => new Promise((resolve) => taken.close(resolve)));

  it('names every wrong setting, and shows no secret', async () => {
    const { code, stdout, stderr } = await scriptorium(['doctor', '--json'], {
      DATA_DIR: folder,
      PORT: '99999',
      LOG_LEVEL: 'loud',
      DATABASE_URL: 'postgres://me:hidden@127.0.0.1:2/x?password=hidden',
      MCP_TOKEN: 'hidden',
    });
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    const { ok, checks } = JSON.parse(stdout) as {
      ok: boolean;
      checks: { name: string; status: string; advice?: string }[];
    };
    expect(ok).toBe(false);
    const problems = checks.filter(({ status }) => status === 'problem');
    expect(problems.map(({ name }) => name)).toEqual(['PORT', 'LOG_LEVEL']);
    for (const { advice } of problems) expect(advice).toMatch(/: set it to /);
    expect(stdout).not.toContain('hidden');
  });

  it('finds a port that is taken, a key that others can read, and engines that are away', async () => {
    await writeFile(join(folder, 'master.key'), 'x');
    await chmod(join(folder, 'master.key'), 0o644);
    const { code, stdout } = await scriptorium(['doctor'], {
      DATA_DIR: folder,
      PORT: port,
      DATABASE_URL: 'postgres://me@127.0.0.1:2/x',
      EVENTSTORE_URL: 'esdb://127.0.0.1:2?tls=false',
    });
    expect(code).toBe(1);
    const lines = stdout.split('\n');
    const problems = lines.filter((line) => line.startsWith('problem')).map((line) => line.replace(/^problem +/, ''));
    expect(problems).toEqual([
      expect.stringMatching(/^master key: Others can read .+ Run: chmod 600 .+master\.key$/),
      'database: The server of DATABASE_URL cannot be reached. Start it, or correct DATABASE_URL.',
      expect.stringMatching(/^event log: .+ Start it, or correct EVENTSTORE_URL\.$/),
      expect.stringMatching(/^port: Port \d+ on 127\.0\.0\.1 is in use, .+ or set PORT to another one\.$/),
    ]);
    expect(lines.filter((line) => line !== '' && !/^(ok|warning|problem) +\S/.test(line))).toEqual([]);
  });
});
