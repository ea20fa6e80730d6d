export * from './maintenance.errors.js';
export * from './maintenance.module.js';
export {
  FindEvents,
  type EventsPage,
  type FindEventsInput,
  type RecordedEvent,
} from './operations/find-events.query.js';
export { FindParkedEvents, type ParkedEvent } from './operations/find-parked-events.query.js';
export { FindProjections, type ProjectionStatus } from './operations/find-projections.query.js';
export { GetRebuild, type Rebuild, type RebuildReport } from './operations/get-rebuild.query.js';
export { RebuildProjection, type RebuildStarted } from './operations/rebuild-projection.command.js';
export { ReplayParkedEvents, type Replayed } from './operations/replay-parked-events.command.js';
export { RollbackProjection, type RolledBack } from './operations/rollback-projection.command.js';
