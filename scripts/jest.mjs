// Runs jest projects: `node scripts/jest.mjs unit,int [jest arguments]`. ES modules in jest need a flag of Node's, which is
// why this is not a bare `jest`. With JEST_RESULTS set to a folder the numbers are written there too, one file per run.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './build.mjs';

const [projects = '', ...rest] = process.argv.slice(2);
const args = [
  '--experimental-vm-modules',
  '--disable-warning=ExperimentalWarning',
  join(root, 'node_modules/jest/bin/jest.js'),
  ...rest,
  '--selectProjects',
  ...projects.split(','),
];
if (process.env.JEST_RESULTS) {
  args.push('--json', `--outputFile=${join(process.env.JEST_RESULTS, `${projects.replaceAll(',', '-')}.json`)}`);
}
const { status, signal } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
if (signal) process.kill(process.pid, signal);
process.exitCode = status ?? 1;
