import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { project, Tree } from './tree.js';

interface Snippet {
  readonly path: string;
  readonly code: string;
  /** Goes to the end of a file that is there. */
  readonly added: boolean;
}

const HOW_TO = join(project, 'docs/how-to');

const snippets: readonly Snippet[] = readdirSync(HOW_TO)
  .map((page) => readFileSync(join(HOW_TO, page), 'utf8'))
  .flatMap((page) => [...page.matchAll(/^```ts\n\/\/ (\S+?\.ts)(, added)?\n(.*?)^```/gms)])
  .map(([, path = '', added, code = '']) => ({ path, code, added: added !== undefined }));

/** Two compiler runs and a linter's: seconds, but on a busy machine a minute. */
jest.setTimeout(240_000);

describe('the code in docs/how-to', () => {
  let tree: Tree;

  beforeAll(() => {
    tree = new Tree({}).take('libs', 'migrations', 'tsconfig.json', 'package.json', 'eslint.config.mjs');
    for (const { path, code, added } of snippets) {
      tree.write({ [path]: added ? readFileSync(join(project, path), 'utf8') + code : code });
    }
    const files = snippets.map(({ path }) => path);
    tree.write({ 'tsconfig.snippets.json': JSON.stringify({ extends: './tsconfig.json', include: [], files }) });
  });
  afterAll(() => tree.dispose());

  it('is all found', () => {
    const blocks = readdirSync(HOW_TO).flatMap(
      (page) => readFileSync(join(HOW_TO, page), 'utf8').match(/^```ts$/gm) ?? [],
    );
    expect(snippets.length).toBe(blocks.length);
    expect(snippets.length).toBeGreaterThan(8);
  });

  it('compiles against the project', () => {
    const { stdout } = tree.node(['node_modules/typescript/bin/tsc', '-p', 'tsconfig.snippets.json', '--noEmit']);
    const ours = stdout.split('\n').filter((line) => snippets.some(({ path }) => line.startsWith(path)));
    expect(ours).toEqual([]);
  });

  it('passes the linter', () => {
    const { stdout } = tree.node(['node_modules/eslint/bin/eslint.js', ...snippets.map(({ path }) => path)]);
    expect(stdout).toBe('');
  });

  it('keeps to the dependency rules', () => {
    const { stdout } = tree.node([join(project, 'scripts/dependencies.mjs'), '--root', tree.root]);
    expect(
      stdout.split('\n').filter((line) => line.includes('error') && snippets.some(({ path }) => line.includes(path))),
    ).toEqual([]);
  });
});
