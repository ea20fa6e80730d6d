import { Module } from '@nestjs/common';
import { FindEventsHandler } from './operations/find-events.query.js';
import { FindParkedEventsHandler } from './operations/find-parked-events.query.js';
import { FindProjectionsHandler } from './operations/find-projections.query.js';
import { GetRebuildHandler } from './operations/get-rebuild.query.js';
import { RebuildProjectionHandler } from './operations/rebuild-projection.command.js';
import { ReplayParkedEventsHandler } from './operations/replay-parked-events.command.js';
import { RollbackProjectionHandler } from './operations/rollback-projection.command.js';

/** Looking into the log and looking after the read models: operations without a domain. */
@Module({
  providers: [
    FindEventsHandler,
    FindParkedEventsHandler,
    FindProjectionsHandler,
    GetRebuildHandler,
    RebuildProjectionHandler,
    ReplayParkedEventsHandler,
    RollbackProjectionHandler,
  ],
})
export class MaintenanceModule {}
