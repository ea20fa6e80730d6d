// Runs a command beside a fresh Postgres 18 of its own: `node scripts/engines.mjs <command> [arguments]`. The command finds
// it in TEST_DATABASE_URL. When that variable is set already, the server it names is used and none is started.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './run.mjs';

const postgres = fileURLToPath(new URL('postgres.sh', import.meta.url));
const [command, ...args] = process.argv.slice(2);

if (command === undefined) {
  console.error('Name the command to run: node scripts/engines.mjs <command> [arguments]');
  process.exitCode = 1;
} else if (process.env.TEST_DATABASE_URL) {
  process.exitCode = await run(command, args);
} else {
  process.exitCode = await withPostgres((url) => run(command, args, { TEST_DATABASE_URL: url }));
}

async function withPostgres(body) {
  const folder = mkdtempSync(join(tmpdir(), 'scriptorium-engines-'));
  const port = String(await freePort());
  try {
    const started = spawnSync(postgres, [folder, port], { stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' });
    if (started.status !== 0) return 1;
    return await body(started.stdout.trim());
  } finally {
    spawnSync(postgres, [folder, port, 'stop'], { stdio: ['ignore', 'ignore', 'inherit'] });
    rmSync(folder, { recursive: true, force: true });
  }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
