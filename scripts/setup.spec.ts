import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, unlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Tree } from '../test/architecture/tree.js';

const SOURCES = {
  'package-lock.json': '{}',
  'apps/server/src/main.ts':
    "export const port: number = 7801;\nexport { kind } from '../../../libs/kernel/src/index.js';\n",
  'libs/kernel/src/index.ts': "export const kind: string = 'x';\n",
  'libs/kernel/src/kind.spec.ts': 'throw new Error();\n',
  'libs/kernel/src/old.ts': 'export const old = 1;\n',
  'libs/platform/postgres/src/lite.worker.mjs': 'export const worker = 1;\n',
};

let tree: Tree;
beforeEach(() => {
  tree = new Tree(SOURCES).take('scripts', '.swcrc');
});
afterEach(() => tree.dispose());

const path = (file: string) => join(tree.root, file);

describe('the build', () => {
  const build = () => tree.node(['scripts/build.mjs']);

  it('keeps the folders, copies what is not TypeScript and leaves the specs out', () => {
    expect(build()).toMatchObject({ status: 0 });
    const built = readdirSync(path('dist'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.map'))
      .map((entry) => join(entry.parentPath, entry.name).slice(path('dist').length + 1));
    expect(built.sort()).toEqual([
      '.stamp',
      'apps/server/src/main.js',
      'libs/kernel/src/index.js',
      'libs/kernel/src/old.js',
      'libs/platform/postgres/src/lite.worker.mjs',
    ]);
    const { stdout } = tree.node([
      '-e',
      "import('./dist/apps/server/src/main.js').then((m) => console.log(m.port, m.kind))",
    ]);
    expect(stdout).toBe('7801 x\n');
  });

  it('forgets what is no longer there', () => {
    build();
    unlinkSync(path('libs/kernel/src/old.ts'));
    build();
    expect(existsSync(path('dist/libs/kernel/src/old.js'))).toBe(false);
  });

  it('builds when asked only if a source has changed, whatever its time says', () => {
    const buildIfStale = () =>
      tree.node(['--input-type=module', '-e', "import { build } from './scripts/build.mjs'; build();"]).stderr;
    expect(buildIfStale()).toContain('Building');
    utimesSync(path('libs/kernel/src/index.ts'), new Date(), new Date());
    expect(buildIfStale()).toBe('');
    tree.write({ 'libs/kernel/src/kind.spec.ts': 'throw new TypeError();' });
    expect(buildIfStale()).toBe('');
    tree.write({ 'libs/kernel/src/index.ts': "export const kind: string = 'y';" });
    expect(buildIfStale()).toContain('Building');
  });

  it('leaves the last good build in place when the sources do not compile, and nothing else', () => {
    build();
    tree.write({ 'libs/kernel/src/index.ts': 'export const = ;' });
    expect(build()).toMatchObject({ status: 1, stderr: expect.stringContaining('The sources do not compile') });
    expect(readFileSync(path('dist/libs/kernel/src/index.js'), 'utf8')).toContain("'x'");
    expect(readdirSync(tree.root).filter((name) => name.startsWith('.dist'))).toEqual([]);
  });
});

describe('the set-up', () => {
  /** A stand-in for npm that writes down how it was called. */
  const NPM = `
    import { appendFileSync } from 'node:fs';
    appendFileSync('npm-calls', process.argv.slice(2).join(' ') + ' ' + process.env.ONNXRUNTIME_NODE_INSTALL + '\\n');
    process.exit(Number(process.env.NPM_EXIT ?? 0));
  `;
  const setUp = (options: readonly string[] = [], environment: NodeJS.ProcessEnv = {}) =>
    tree.node(['scripts/setup.mjs', ...options], { npm_execpath: path('npm-cli.js'), ...environment });
  const calls = () => (existsSync(path('npm-calls')) ? readFileSync(path('npm-calls'), 'utf8').trim().split('\n') : []);

  beforeEach(() => {
    // A node_modules of its own: the stamp must not land in the project's.
    rmSync(path('node_modules'));
    mkdirSync(path('node_modules'));
    tree.write({ 'npm-cli.js': NPM, 'package.json': '{ "type": "module" }' });
  });

  it('installs once, with the compiler also in production, and says so in one line', () => {
    const first = setUp([], { NODE_ENV: 'production' });
    expect(first).toMatchObject({ status: 0, stdout: '' });
    expect(first.stderr.trim().split('\n')).toEqual([expect.stringContaining('Installing')]);
    expect(setUp()).toEqual(expect.objectContaining({ status: 0, stdout: '', stderr: '' }));
    expect(calls()).toEqual(['install --no-save --include=dev --no-audit --no-fund --loglevel=error skip']);
  });

  it('installs again when the lockfile changes or the packages are gone', () => {
    setUp();
    tree.write({ 'package-lock.json': '{ "changed": true }' });
    setUp();
    rmSync(path('node_modules'), { recursive: true });
    mkdirSync(path('node_modules'));
    setUp();
    expect(calls()).toHaveLength(3);
  });

  it('says in one sentence what to do when the packages cannot be installed, and tries again the next time', () => {
    const { status, stderr } = setUp([], { NPM_EXIT: '7' });
    expect(status).toBe(1);
    expect(stderr.trim().split('\n').at(-1)).toMatch(
      /could not be installed \(npm ended with code 7\): .+ then run the command again\.$/,
    );
    setUp();
    expect(calls()).toHaveLength(2);
  });
});
