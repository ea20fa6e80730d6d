import { Global, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { EventStore } from '#platform/eventlog';
import { READ_MODELS } from '#platform/operations';
import { DATABASE } from '#platform/postgres';
import { ProjectionHost } from '#platform/projections';
import { LOGGER, Metrics, type Logger } from '#platform/telemetry';
import type { Engines } from './engines.js';

/** Closes the engines after the last request was answered. */
class EnginesLifetime implements OnApplicationShutdown {
  constructor(private readonly engines: Engines) {}

  onApplicationShutdown(): Promise<void> {
    return this.engines.close();
  }
}

/** The engines, under the names that contexts inject them by. */
@Global()
@Module({})
export class CoreModule {
  static forRoot(engines: Engines, logger: Logger, metrics: Metrics): DynamicModule {
    return {
      module: CoreModule,
      providers: [
        { provide: DATABASE, useValue: engines.database },
        { provide: EventStore, useValue: engines.store },
        { provide: ProjectionHost, useValue: engines.projections },
        { provide: READ_MODELS, useValue: engines.projections },
        { provide: LOGGER, useValue: logger },
        { provide: Metrics, useValue: metrics },
        { provide: EnginesLifetime, useFactory: () => new EnginesLifetime(engines) },
      ],
      exports: [DATABASE, EventStore, ProjectionHost, READ_MODELS, LOGGER, Metrics],
    };
  }

  /** The same names with nothing behind them, for looking at routes and operations without running any. */
  static forPreview(): DynamicModule {
    const names = [DATABASE, EventStore, ProjectionHost, READ_MODELS, LOGGER, Metrics];
    return { module: CoreModule, providers: names.map((provide) => ({ provide, useValue: {} })), exports: names };
  }
}
