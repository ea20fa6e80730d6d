import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const project = fileURLToPath(new URL('..', import.meta.url));
const README_PORT = 7801;

/** The commands that the README tells a new user to type, in order. */
const commands = readFileSync(join(project, 'README.md'), 'utf8')
  .split(/^## /m)
  .filter((section) => section.startsWith('First use'))
  .flatMap((section) => [...section.matchAll(/^```bash\n(.*?)^```/gms)])
  .flatMap(([, block = '']) => block.trim().split('\n'));

/**
 * Stands in for curl, which a machine with nothing but Node and npm may not have. It knows the options the README uses and
 * no other, and fails on a status of 400 and above, as `curl --fail-with-body` does.
 */
const CURL = `#!/usr/bin/env node
const { parseArgs } = require('node:util');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    silent: { type: 'boolean', short: 's' },
    request: { type: 'string', short: 'X' },
    header: { type: 'string', short: 'H', multiple: true },
    data: { type: 'string', short: 'd' },
  },
});
const [url, ...rest] = positionals;
if (rest.length > 0) throw new Error('more than one URL: ' + positionals.join(' '));
const headers = (values.header ?? []).map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]);
fetch(url, { method: values.request, headers, body: values.data }).then(async (answer) => {
  process.stdout.write(await answer.text());
  process.exitCode = answer.ok ? 0 : 22;
});
`;

describe("the README's first use", () => {
  const folder = mkdtempSync(join(tmpdir(), 'scriptorium-readme-'));
  let environment: NodeJS.ProcessEnv;
  let server: ChildProcess;

  beforeAll(async () => {
    const port = await freePort();
    writeFileSync(join(folder, 'curl'), CURL);
    chmodSync(join(folder, 'curl'), 0o755);
    environment = {
      ...process.env,
      NODE_OPTIONS: '',
      PATH: [folder, process.env.PATH].join(delimiter),
      PORT: String(port),
      DATA_DIR: join(folder, 'data'),
      MCP_TOKEN: '',
    };
    server = spawn('npm', ['start'], { cwd: project, env: environment, stdio: 'ignore' });
    await answers(readiness(), server);
  }, 120_000);
  afterAll(async () => {
    if (server.exitCode === null && server.kill('SIGTERM')) await once(server, 'exit');
    rmSync(folder, { recursive: true, force: true });
  });

  const readiness = () => `http://127.0.0.1:${environment.PORT}/ready`;

  function type(command: string): { status: number | null; stdout: string; stderr: string } {
    const here = command.replaceAll(`:${README_PORT}/`, `:${environment.PORT}/`);
    return spawnSync('sh', ['-c', here], { cwd: project, env: environment, encoding: 'utf8', timeout: 50_000 });
  }

  const described = () => {
    const [describeCommand = ''] = commands.filter((command) => command.includes('/containers/describe'));
    const { container } = JSON.parse(type(describeCommand).stdout) as { container: unknown };
    return JSON.stringify(container);
  };

  it('is there', () => {
    expect(commands.join('\n')).toMatch(/containers\/create.+containers\/describe.+projections rebuild containers/s);
  });

  it('keeps its data to its owner', () => {
    expect((statSync(join(folder, 'data')).mode & 0o777).toString(8)).toBe('700');
  });

  it.each(commands)('%s', (command) => {
    const { status, stdout, stderr } = type(command);
    expect({ status, stderr: status === 0 ? '' : stderr + stdout }).toEqual({ status: 0, stderr: '' });
    expect(stdout).not.toBe('');
    if (command.startsWith('curl')) expect(JSON.parse(stdout)).not.toHaveProperty('error');
  });

  it('reads the same, to the byte, after one more rebuild', () => {
    const before = described();
    expect(before).toContain('German Expressionism');
    expect(type('npx scriptorium projections rebuild containers').status).toBe(0);
    expect(described()).toBe(before);
  });

  it('ends with npm: the server does not outlive it', async () => {
    server.kill('SIGTERM');
    await once(server, 'exit');
    await expect(fetch(readiness())).rejects.toThrow('fetch failed');
  });
});

async function answers(url: string, server: ChildProcess): Promise<void> {
  for (;;) {
    if (server.exitCode !== null) throw new Error(`The server ended with code ${server.exitCode}.`);
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
