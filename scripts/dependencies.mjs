// Judges the import graph of a tree by the rules in .dependency-cruiser.cjs: `node scripts/dependencies.mjs [--root DIR]
// [--json] [folders]`. It calls dependency-cruiser's library, because its command refuses Node 20, on which it runs.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { cruise } from 'dependency-cruiser';
import extractConfig from 'dependency-cruiser/config-utl/extract-depcruise-config';
import extractTsConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import { root } from './build.mjs';

const { values } = parseArgs({ options: { root: { type: 'string', default: root }, json: { type: 'boolean' } } });
process.chdir(values.root);

const ruleSet = await extractConfig(join(root, '.dependency-cruiser.cjs'));
const options = { ...ruleSet.options, ruleSet, validate: true, outputType: values.json ? 'json' : 'err' };
// package.json maps #kernel and its kind to dist/, for Node; the rules speak of sources, which tsconfig.json maps to.
const resolve = { importsFields: [] };
const tsConfig = extractTsConfig(join(values.root, 'tsconfig.json'));
const folders = ['apps', 'libs', 'migrations', 'bench'].filter((folder) => existsSync(folder));

const { output, exitCode } = await cruise(folders, options, resolve, { tsConfig });
process.stdout.write(output);
process.exitCode = exitCode;
