import { Global, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { EventStore } from '#platform/eventlog';
import { LastPositions } from './last-positions.js';
import { OperationMetrics } from './operation-metrics.js';
import { Operations } from './operations.js';

/** Gives every module the door. EventStore, Metrics and ReadModels come from the composition. */
@Global()
@Module({
  imports: [CqrsModule.forRoot()],
  providers: [
    {
      provide: LastPositions,
      useFactory: async (store: EventStore) => new LastPositions(await store.log.head()),
      inject: [EventStore],
    },
    OperationMetrics,
    Operations,
  ],
  exports: [Operations],
})
export class OperationsModule {}
