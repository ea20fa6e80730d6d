import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { project } from './tree.js';

const readJson = <T>(file: string) => JSON.parse(readFileSync(join(project, file), 'utf8')) as T;

/** Folders below `folder` that have this file. */
const withEntry = (folder: string, entry: string) =>
  readdirSync(join(project, folder))
    .map((name) => `${folder}/${name}`)
    .filter((path) => existsSync(join(project, path, 'src', entry)));

describe('the layout', () => {
  it('is what nest-cli.json says', () => {
    const { projects } = readJson<{
      projects: Record<string, { type: string; root: string; sourceRoot: string; entryFile: string }>;
    }>('nest-cli.json');
    const apps = withEntry('apps', 'main.ts');
    const libraries = ['libs', 'libs/platform', 'libs/contexts', 'libs/surfaces'].flatMap((folder) =>
      withEntry(folder, 'index.ts'),
    );
    const rootsOf = (type: string) =>
      Object.values(projects)
        .filter((entry) => entry.type === type)
        .map((entry) => entry.root);
    expect(rootsOf('application').sort()).toEqual(apps.sort());
    expect(rootsOf('library').sort()).toEqual(libraries.sort());
    for (const { root, sourceRoot, entryFile } of Object.values(projects)) {
      expect(sourceRoot).toBe(`${root}/src`);
      expect(existsSync(join(project, sourceRoot, `${entryFile}.ts`))).toBe(true);
    }
  });

  it('has the same short names for the compiler and for Node', () => {
    const { imports } = readJson<{ imports: Record<string, string> }>('package.json');
    const { compilerOptions } = readJson<{ compilerOptions: { paths: Record<string, [string]> } }>('tsconfig.json');
    const sources = Object.entries(imports).map(([name, built]) => [
      name,
      [built.replace('/dist/', '/').replace(/\.js$/, '.ts')],
    ]);
    expect(Object.fromEntries(sources)).toEqual(compilerOptions.paths);
  });
});

describe('docker-compose.yml', () => {
  const { services, volumes } = parse(readFileSync(join(project, 'docker-compose.yml'), 'utf8')) as {
    services: Record<
      string,
      { image?: string; ports?: string[]; volumes?: string[]; environment: Record<string, string>; depends_on?: object }
    >;
    volumes: Record<string, null>;
  };

  it('names the production set', () => {
    expect(Object.keys(services).sort()).toEqual(['app', 'eventstore', 'postgres']);
    expect(services.postgres?.image).toBe('pgvector/pgvector:pg18');
    expect(services.eventstore?.image).toMatch(/^eventstore\/eventstore:\d/);
    expect(Object.keys(services.app?.depends_on ?? {}).sort()).toEqual(['eventstore', 'postgres']);
  });

  it('lets nobody else in: one port, on loopback, behind a token that must be given', () => {
    expect(Object.values(services).flatMap((service) => service.ports ?? [])).toEqual(['127.0.0.1:7801:7801']);
    expect(services.app?.environment.MCP_TOKEN).toMatch(/^\$\{MCP_TOKEN:\?.+\}$/);
    expect(services.postgres?.environment.POSTGRES_PASSWORD).toMatch(/^\$\{POSTGRES_PASSWORD:\?.+\}$/);
  });

  it('declares the volumes it uses', () => {
    const used = Object.values(services).flatMap((service) =>
      (service.volumes ?? []).map((volume) => volume.split(':')[0]),
    );
    expect(used.sort()).toEqual(Object.keys(volumes).sort());
  });
});
