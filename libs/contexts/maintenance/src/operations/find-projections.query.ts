import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { Caller } from '#kernel';
import { Operation, QueryOperation } from '#platform/operations';
import { ProjectionHost, type ProjectionStatus } from '#platform/projections';

export type { ProjectionStatus } from '#platform/projections';

@Operation({ name: 'find_projections', permission: 'projections:admin' })
export class FindProjections extends QueryOperation<ProjectionStatus[]> {
  constructor(readonly caller: Caller) {
    super();
  }
}

@QueryHandler(FindProjections)
export class FindProjectionsHandler implements IQueryHandler<FindProjections> {
  constructor(private readonly projections: ProjectionHost) {}

  execute(): Promise<ProjectionStatus[]> {
    return this.projections.status();
  }
}
