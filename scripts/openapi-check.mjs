// Fails when the published contracts in openapi/ are not what the code says: writes them anew into a temporary folder and
// compares. `npm run openapi:write` brings them up to date.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { root } from './build.mjs';

const fresh = mkdtempSync(join(tmpdir(), 'scriptorium-openapi-'));
try {
  const writer = join(root, 'dist/apps/server/src/write-openapi.js');
  const { status } = spawnSync(process.execPath, [writer, fresh], { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Error('The contracts could not be written: see the error above.');
  const stale = differences(join(root, 'openapi'), fresh);
  if (stale.length > 0) {
    throw new Error(
      `openapi/ is not what the code says (${stale.join(', ')}): run npm run openapi:write and commit it.`,
    );
  }
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  rmSync(fresh, { recursive: true, force: true });
}

function differences(committed, written) {
  const names = new Set([...filesIn(committed), ...filesIn(written)]);
  return [...names].filter((name) => contents(join(committed, name)) !== contents(join(written, name))).sort();
}

function filesIn(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath ?? entry.path, entry.name)));
}

function contents(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}
