import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';

/** The built server, run as a user would: a process of its own, in an empty working directory. */
export class ServerProcess {
  private out = '';
  private errors = '';
  /** Resolves with the exit code; null when a signal ended it. */
  readonly ended: Promise<number | null>;

  private constructor(
    readonly child: ChildProcessByStdio<null, Readable, Readable>,
    home: string,
  ) {
    child.stdout.on('data', (chunk: Buffer) => (this.out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (this.errors += chunk.toString()));
    this.ended = once(child, 'close').then(([code]) => {
      rmSync(home, { recursive: true, force: true });
      return code as number | null;
    });
  }

  /** Nothing of this process's environment reaches it but the path; it takes a free port unless told otherwise. */
  static start(environment: NodeJS.ProcessEnv): ServerProcess {
    const { PATH, HOME } = process.env;
    const cwd = mkdtempSync(join(tmpdir(), 'scriptorium-home-'));
    const env = { PATH, HOME, LOG_LEVEL: 'warn', PORT: '0', ...environment };
    const main = resolve('dist/apps/server/src/main.js');
    return new ServerProcess(spawn(process.execPath, [main], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] }), cwd);
  }

  get stdout(): string {
    return this.out;
  }

  get stderr(): string {
    return this.errors;
  }

  /** The address the server prints once it is ready. */
  async url(): Promise<string> {
    for (;;) {
      const url = /ready at (\S+)/.exec(this.out)?.[1];
      if (url !== undefined) return url;
      if (this.child.exitCode !== null || this.child.signalCode !== null) throw new Error(this.errors);
      await Promise.race([this.ended, once(this.child.stdout, 'data')]);
    }
  }

  /** Ends it and gives the exit code. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill(signal);
    return this.ended;
  }
}
