// Compiles apps, libs, migrations and bench into dist/, keeping their folders. Node built-ins only: it also runs before
// the packages are there, to find out whether there is anything to do.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const SOURCES = ['apps', 'libs', 'migrations', 'bench'];
const STAMP = 'dist/.stamp';

/** Builds when dist/ is missing or older than the sources; `force` builds anyway. */
export function build({ force = false } = {}) {
  const wanted = fingerprint();
  if (!force && read(STAMP) === wanted) return;
  console.error('Building dist/ from the sources.');
  const next = `.dist-${process.pid}`;
  try {
    compile(next);
    writeFileSync(join(root, next, '.stamp'), wanted);
    replace('dist', next);
  } finally {
    rmSync(join(root, next), { recursive: true, force: true });
  }
}

/** The contents of all that goes into dist/. Contents, not times: a checkout or a copy does not make it stale. */
function fingerprint() {
  const hash = createHash('sha256');
  for (const file of ['.swcrc', 'package-lock.json', ...SOURCES.flatMap(filesUnder)]) {
    hash
      .update(`${file}\0`)
      .update(read(file) ?? '')
      .update('\0');
  }
  return hash.digest('hex');
}

function filesUnder(folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.spec.ts'))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .filter((file) => !file.startsWith(join(root, 'bench/results')))
    .sort();
}

// Only .ts is compiled: swc would turn a worker.mjs into a worker.js, and nobody would find it.
function compile(into) {
  const swc = join(root, 'node_modules/@swc/cli/bin/swc.js');
  const sources = SOURCES.filter((folder) => existsSync(join(root, folder)));
  const options = ['--out-dir', into, '--extensions', '.ts', '--copy-files', '--quiet'];
  const { status } = spawnSync(process.execPath, [swc, ...sources, ...options], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0)
    throw new Error('The sources do not compile: mend what swc names above, then run the command again.');
}

// The new folder takes the old one's place in one go, so that nobody reads half a build and removed sources leave nothing.
function replace(folder, next) {
  const old = `.dist-old-${process.pid}`;
  for (let attempt = 0; attempt < 10; attempt += 1) {
    if (existsSync(join(root, folder))) renameSync(join(root, folder), join(root, old));
    try {
      renameSync(join(root, next), join(root, folder));
      break;
    } catch (error) {
      // Another build put its folder there in the meantime: move that one away too.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    } finally {
      rmSync(join(root, old), { recursive: true, force: true });
    }
  }
}

function read(file) {
  const path = file.startsWith(root) ? file : join(root, file);
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    build({ force: true });
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
