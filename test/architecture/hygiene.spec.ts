import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { project } from './tree.js';

const NOT_OURS = new Set(['node_modules', '.git', 'dist', '.data', '.cache', 'coverage', 'results']);

function filesUnder(folder: string): string[] {
  return readdirSync(join(project, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (NOT_OURS.has(entry.name) || entry.name.startsWith('.dist-')) return [];
    if (entry.isDirectory()) return filesUnder(path);
    return entry.isFile() ? [path] : [];
  });
}

const files = filesUnder('.');
const read = (file: string) => readFileSync(join(project, file), 'utf8');

/** What must not stand in a file, and an example, put together here so that this file does not hold it. */
const BANNED: ReadonlyArray<readonly [what: string, pattern: RegExp, example: string]> = [
  [
    'the host of a package registry',
    /\bregistry\.[a-z]+\.(?:org|com)\b|\bnpm\.pkg\.|-npm\.pkg\./i,
    ['registry', 'npmjs', 'org'].join('.'),
  ],
  [
    'the host of a package mirror',
    /\b(?:deb|ftp|security|snapshot|archive)\.(?:debian|ubuntu)\.(?:org|com)\b/i,
    ['deb', 'debian', 'org'].join('.'),
  ],
  ['the number of an issue', /\bissues? #\d|\bissues\/\d/i, ['see issue', '12'].join(' #')],
  ["somebody's working folder", /(?<![\w.])\/work\//, ['', 'work', 'x'].join('/')],
];

const HALF_A_SUITE = /\b(?:it|test|describe)(?:\.\w+)*\.(?:only|skip|todo|failing)\b|\b[xf](?:it|test|describe)\(/;

describe('the files of the project', () => {
  it('are found', () =>
    expect(files).toEqual(expect.arrayContaining(['package.json', '.ci/run', 'libs/kernel/src/index.ts'])));

  it.each(BANNED)('do not mention %s', (_what, pattern, example) => {
    expect(example).toMatch(pattern);
    expect(files.filter((file) => pattern.test(read(file)))).toEqual([]);
  });

  it('record no download address in the lockfile', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, { resolved?: string }> };
    expect(Object.keys(packages).length).toBeGreaterThan(100);
    expect(Object.values(packages).filter(({ resolved }) => resolved !== undefined)).toEqual([]);
  });

  it('leave no test out', () => {
    for (const word of ['only', 'skip', 'todo']) expect(`describe.${word}('x')`).toMatch(HALF_A_SUITE);
    expect(`x${'it'}('x')`).toMatch(HALF_A_SUITE);
    expect(files.filter((file) => file.endsWith('.ts') && HALF_A_SUITE.test(read(file)))).toEqual([]);
  });
});
