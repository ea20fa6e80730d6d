import { Global, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { LastPositions } from './last-positions.js';
import { OperationMetrics } from './operation-metrics.js';
import { Operations } from './operations.js';

/** Gives every module the door. Metrics and ReadModels come from the composition. */
@Global()
@Module({
  imports: [CqrsModule.forRoot()],
  providers: [{ provide: LastPositions, useFactory: () => new LastPositions() }, OperationMetrics, Operations],
  exports: [Operations],
})
export class OperationsModule {}
