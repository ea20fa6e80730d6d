import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const project = fileURLToPath(new URL('../..', import.meta.url));

export type Files = Readonly<Record<string, string>>;

/** A small tree beside the project, judged by the project's own tools and settings. */
export class Tree {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'scriptorium-tree-')));

  constructor(files: Files) {
    symlinkSync(join(project, 'node_modules'), join(this.root, 'node_modules'), 'dir');
    this.write(files);
  }

  /** Copies files or folders of the project to the same place here. */
  take(...paths: readonly string[]): this {
    for (const path of paths) {
      mkdirSync(dirname(join(this.root, path)), { recursive: true });
      cpSync(join(project, path), join(this.root, path), { recursive: true });
    }
    return this;
  }

  write(files: Files): void {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.root, path)), { recursive: true });
      writeFileSync(join(this.root, path), text);
    }
  }

  remove(paths: readonly string[]): void {
    for (const path of paths) rmSync(join(this.root, path), { force: true });
  }

  /** Runs Node inside the tree. */
  node(
    args: readonly string[],
    environment: NodeJS.ProcessEnv = {},
  ): { status: number | null; stdout: string; stderr: string } {
    const env = { ...process.env, NODE_OPTIONS: '', ...environment };
    return spawnSync(process.execPath, args, { cwd: this.root, encoding: 'utf8', env, maxBuffer: 64 * 1024 * 1024 });
  }

  dispose(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
