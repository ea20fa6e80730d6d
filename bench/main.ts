import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventlogSuite } from './eventlog/suite.js';
import { httpSuite } from './http/suite.js';
import { projectionsSuite } from './projections/suite.js';
import { say, table, writeResults, type Check } from './report.js';

interface Suite {
  readonly run: () => Promise<Check[]>;
  /** Whether it needs a real Postgres beside the embedded one. */
  readonly server: boolean;
}

const SUITES: Readonly<Record<string, Suite>> = {
  eventlog: { run: eventlogSuite, server: true },
  projections: { run: projectionsSuite, server: true },
  http: { run: httpSuite, server: false },
};

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

process.exitCode = await main(process.argv.slice(2));

async function main(names: readonly string[]): Promise<number> {
  const suites = names.map((name) => SUITES[name]);
  if (names.length === 0 || suites.includes(undefined)) {
    say(`Name what to measure: npm run bench -- ${Object.keys(SUITES).join('|')}`);
    return 1;
  }
  if (suites.some((suite) => suite?.server) && !process.env['TEST_DATABASE_URL']) return besidePostgres(names);
  let missed = 0;
  for (const [at, suite] of suites.entries()) missed += await measure(names[at] ?? '', suite);
  return missed > 0 ? 1 : 0;
}

async function measure(name: string, suite: Suite | undefined): Promise<number> {
  const checks = (await suite?.run()) ?? [];
  process.stdout.write(`\n${table(checks)}\n`);
  await writeResults(join(ROOT, 'bench/results'), name, checks);
  return checks.filter(({ ok }) => !ok).length;
}

/** Runs itself again beside a Postgres that the project's own script starts. */
async function besidePostgres(names: readonly string[]): Promise<number> {
  const args = [
    join(ROOT, 'scripts/engines.mjs'),
    process.execPath,
    ...process.execArgv,
    fileURLToPath(import.meta.url),
  ];
  const child = spawn(process.execPath, [...args, ...names], { stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}
