// Runs jest projects: `node scripts/jest.mjs unit,int [jest arguments]`. ES modules in jest need a flag of Node's, which is
// why this is not a bare `jest`. With JEST_RESULTS set to a folder the numbers are written there too, one file per run.
import { join } from 'node:path';
import { root } from './build.mjs';
import { run } from './run.mjs';

const [projects = '', ...rest] = process.argv.slice(2);
const args = [
  '--experimental-vm-modules',
  join(root, 'node_modules/jest/bin/jest.js'),
  ...rest,
  '--selectProjects',
  ...projects.split(','),
];
if (process.env.JEST_RESULTS) {
  args.push('--json', `--outputFile=${join(process.env.JEST_RESULTS, `${projects.replaceAll(',', '-')}.json`)}`);
}
process.chdir(root);
process.exitCode = await run(process.execPath, args);
