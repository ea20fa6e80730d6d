import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const MAIN = fileURLToPath(new URL('../../apps/server/src/main.js', import.meta.url));
const READY = /ready at (http:\S+)/;

/** The server as a user starts it, embedded, in a process of its own. */
export class ServerProcess {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {}

  static async start(dataDir: string): Promise<ServerProcess> {
    const { DATABASE_URL: _database, EVENTSTORE_URL: _log, MCP_TOKEN: _token, ...environment } = process.env;
    const child = spawn(process.execPath, [MAIN], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...environment, DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'warn', RATE_LIMIT_PER_MINUTE: '0' },
    });
    return new ServerProcess(child, await addressOf(child));
  }

  /** Memory that it occupies now, threads included. */
  async rssMb(): Promise<number> {
    if (process.platform === 'linux') {
      const status = await readFile(`/proc/${this.child.pid}/status`, 'utf8');
      return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) / 1_024;
    }
    const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(this.child.pid)]);
    return Number(stdout) / 1_024;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null) return;
    this.child.kill('SIGTERM');
    await once(this.child, 'exit');
  }
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const url = READY.exec(said)?.[1];
      if (url !== undefined) resolve(url);
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`The server ended with ${code} before it was ready.`)));
  });
}
