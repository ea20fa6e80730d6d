import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Module } from '@nestjs/common';
import { EventStore } from '#platform/eventlog';
import { InfrastructureController, PROGRAM_VERSION, Readiness, type Probe } from '#platform/http-kit';
import { DATABASE, type Database } from '#platform/postgres';
import { ProjectionHost } from '#platform/projections';
import { ProjectionMetrics } from './projection-metrics.js';

/** `/health`, `/ready`, `/metrics`. */
@Module({
  controllers: [InfrastructureController],
  providers: [
    { provide: PROGRAM_VERSION, useFactory: programVersion },
    {
      provide: Readiness,
      useFactory: (database: Database, store: EventStore, projections: ProjectionHost) =>
        new Readiness(probesOf(database, store, projections)),
      inject: [DATABASE, EventStore, ProjectionHost],
    },
    ProjectionMetrics,
  ],
})
export class InfrastructureModule {}

function probesOf(database: Database, store: EventStore, projections: ProjectionHost): Probe[] {
  return [
    { name: 'database', check: async () => void (await database.query('select 1')) },
    { name: 'event_log', check: async () => void (await store.log.head()) },
    { name: 'projections', check: async () => void (await projections.status()) },
  ];
}

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
