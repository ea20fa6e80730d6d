import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { describeContracts } from '#composition';

/** Writes the published contracts into a folder: one description per surface, the manifest, the list of refusals. */
const folder = resolve(process.argv[2] ?? 'openapi');
const { documents, manifest, errors } = await describeContracts();
await mkdir(folder, { recursive: true });
for (const [surface, document] of Object.entries(documents)) {
  const text = stringify(JSON.parse(JSON.stringify(document)), { lineWidth: 0, aliasDuplicateObjects: false });
  await writeFile(join(folder, `${surface}.openapi.yaml`), text);
}
await writeFile(join(folder, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
await writeFile(join(folder, 'errors.md'), errors);
