import { Module, type DynamicModule } from '@nestjs/common';
import { OperationsModule } from '#platform/operations';
import { CONTEXTS } from './contexts.js';
import { PUBLISHED } from './surfaces.js';

/** Everything there is: the core, the door, all contexts, all surfaces. */
@Module({})
export class AppModule {
  static on(core: DynamicModule): DynamicModule {
    return {
      module: AppModule,
      imports: [
        core,
        OperationsModule,
        ...CONTEXTS.map(({ module }) => module),
        ...PUBLISHED.flatMap(({ modules }) => [...modules]),
      ],
    };
  }
}
