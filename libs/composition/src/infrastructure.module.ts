import { Module } from '@nestjs/common';
import { EventStore } from '#platform/eventlog';
import { InfrastructureController, PROGRAM_VERSION, Readiness, type Probe } from '#platform/http-kit';
import { DATABASE, type Database } from '#platform/postgres';
import { ProjectionHost, refuseProjection } from '#platform/projections';
import { programVersion } from '#platform/settings';
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
    { name: 'projections', check: () => checkProjections(projections) },
  ];
}

/** One that lags or is being rebuilt still answers; one that nobody looks after, or that fails, falls ever further behind. */
async function checkProjections(projections: ProjectionHost): Promise<void> {
  const stuck = (await projections.status()).filter(({ state }) => state === 'failing' || state === 'idle');
  if (stuck.length > 0) {
    throw refuseProjection(
      'PROJECTION_IDLE',
      { projections: stuck.map(({ name }) => name) },
      `Not running: ${stuck.map(({ name, state }) => `${name} (${state})`).join(', ')}.`,
    );
  }
}
