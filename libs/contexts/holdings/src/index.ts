export * from './container/container.errors.js';
export type * from './container/container.events.js';
export * from './slug/slug.errors.js';
export type * from './slug/slug.events.js';
export { ArchiveContainer, type ArchivedContainers } from './operations/archive-container.command.js';
export { CreateContainer, type ContainerNamed, type NewContainer } from './operations/create-container.command.js';
export { FindContainers, type ContainerFilter, type ContainerPage } from './operations/find-containers.query.js';
export { GetContainer } from './operations/get-container.query.js';
export { RenameContainer } from './operations/rename-container.command.js';
export {
  ReviseContainer,
  type ContainerRevision,
  type ContainerRevisionResult,
} from './operations/revise-container.command.js';
export type * from './operations/container-profile.js';
export type * from './operations/container.view.js';
export { HoldingsModule, holdingsEvents, holdingsProjections } from './holdings.module.js';
