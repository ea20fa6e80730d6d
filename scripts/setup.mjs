// Makes `npm start`, `npm test` and the CLI work on a fresh clone: installs what is missing and, with --build, compiles.
// Node built-ins only, because it runs before any package is there.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, root } from './build.mjs';

const OLDEST_NODE = 20;
const STAMP = join(root, 'node_modules/.scriptorium-setup');

export function setUp({ compile }) {
  if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
    throw new Error(
      `This is Node ${process.versions.node}: install Node ${OLDEST_NODE} or newer, then run the command again.`,
    );
  }
  install();
  if (compile) build();
}

function install() {
  const wanted = fingerprint();
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === wanted) return;
  console.error('Installing the packages that package-lock.json names (a minute or two, once).');
  // Not `npm ci`: it wants every optional package of every platform in the registry. --include=dev: NODE_ENV=production
  // must not leave the compiler out.
  const { status, error } = npm([
    'install',
    '--no-save',
    '--include=dev',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ]);
  if (status !== 0) {
    const reason = error ? error.message : `npm ended with code ${status}`;
    throw new Error(
      `The packages could not be installed (${reason}): see that this machine reaches its npm registry and has disk space, then run the command again.`,
    );
  }
  writeFileSync(STAMP, wanted);
}

/** Packages with native parts depend on the Node version and the platform, so these belong to the stamp. */
function fingerprint() {
  const lock = readFileSync(join(root, 'package-lock.json'));
  return createHash('sha256')
    .update(lock)
    .update(`${process.version} ${process.platform} ${process.arch}`)
    .digest('hex');
}

function npm(args) {
  // npm's chatter goes to stderr: stdout is for the answer of the command that set this off.
  const options = { cwd: root, stdio: ['inherit', 2, 2], env: { ...process.env, ONNXRUNTIME_NODE_INSTALL: 'skip' } };
  const running = process.env.npm_execpath;
  if (running?.endsWith('npm-cli.js')) return spawnSync(process.execPath, [running, ...args], options);
  return spawnSync('npm', args, { ...options, shell: process.platform === 'win32' });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    setUp({ compile: process.argv.includes('--build') });
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
