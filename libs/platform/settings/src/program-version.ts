import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The version in the package.json above this file, wherever it was built to. */
export function programVersion(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const manifest = readManifest(join(folder, 'package.json'));
    if (manifest?.name === 'scriptorium') return manifest.version;
    if (folder === dirname(folder)) throw new Error('The package.json of the program is missing.');
  }
}

function readManifest(path: string): { name: string; version: string } | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as { name: string; version: string };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
