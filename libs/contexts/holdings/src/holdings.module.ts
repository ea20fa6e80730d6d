import { Module, type Provider } from '@nestjs/common';
import { DATABASE, dataSourceFor, type Database } from '#platform/postgres';
import { ArchiveContainerHandler } from './operations/archive-container.command.js';
import { CreateContainerHandler } from './operations/create-container.command.js';
import { FindContainersHandler } from './operations/find-containers.query.js';
import { GetContainerHandler } from './operations/get-container.query.js';
import { RenameContainerHandler } from './operations/rename-container.command.js';
import { ReviseContainerHandler } from './operations/revise-container.command.js';
import { ContainerRow, ContainerRows } from './read/container-rows.js';
import { containersProjection } from './read/containers.projection.js';

export { holdingsEvents } from './holdings.catalog.js';
export const holdingsProjections = [containersProjection];

const rows: Provider = {
  provide: ContainerRows,
  inject: [DATABASE],
  useFactory: async (database: Database) => {
    const source = await dataSourceFor(database, [ContainerRow]);
    return new ContainerRows(ContainerRow, source.manager);
  },
};

/** Containers: what is held, under which name. Event store, database and read models come from the composition. */
@Module({
  providers: [
    rows,
    CreateContainerHandler,
    RenameContainerHandler,
    ReviseContainerHandler,
    ArchiveContainerHandler,
    GetContainerHandler,
    FindContainersHandler,
  ],
})
export class HoldingsModule {}
