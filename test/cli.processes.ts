import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('..', import.meta.url));
export const CLI = join(project, 'dist/apps/cli/src/main.js');
/** What a user types; sees to it that dist/ is there before it runs the same program. */
export const BIN = join(project, 'bin/scriptorium.mjs');

export type Environment = Readonly<Record<string, string>>;

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program of ours that runs, with nothing of this process's settings. */
export class Program {
  stdout = '';
  stderr = '';
  private readonly closed: Promise<Outcome>;

  private constructor(readonly child: ChildProcess) {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.closed = once(child, 'close').then(([code]) => ({
      code: code as number | null,
      stdout: this.stdout,
      stderr: this.stderr,
    }));
  }

  static start(script: string, args: readonly string[], environment: Environment): Program {
    const { PATH = '', HOME = '' } = process.env;
    const env = { PATH, HOME, ...environment };
    return new Program(spawn(process.execPath, [script, ...args], { cwd: tmpdir(), env, stdio: 'pipe' }));
  }

  ended(): Promise<Outcome> {
    return this.closed;
  }

  /** Resolves with the match once stdout has it. */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this.stdout);
      if (match) return match;
      if (this.child.exitCode !== null) throw new Error(`It ended without saying ${pattern}: ${this.stderr}`);
      await Promise.race([once(this.child.stdout!, 'data'), this.closed]);
    }
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Outcome> {
    this.child.kill(signal);
    return this.closed;
  }
}

/** Runs the command line to its end. */
export function scriptorium(args: readonly string[], environment: Environment, script = CLI): Promise<Outcome> {
  return Program.start(script, args, environment).ended();
}
