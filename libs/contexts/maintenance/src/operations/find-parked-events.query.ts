import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { Caller } from '#kernel';
import { Operation, QueryOperation } from '#platform/operations';
import { ProjectionHost, type ParkedEvent } from '#platform/projections';

export type { ParkedEvent } from '#platform/projections';

@Operation({ name: 'find_parked_events', permission: 'projections:admin' })
export class FindParkedEvents extends QueryOperation<ParkedEvent[]> {
  constructor(
    readonly caller: Caller,
    readonly input: { readonly name: string },
  ) {
    super();
  }
}

@QueryHandler(FindParkedEvents)
export class FindParkedEventsHandler implements IQueryHandler<FindParkedEvents> {
  constructor(private readonly projections: ProjectionHost) {}

  execute({ input: { name } }: FindParkedEvents): Promise<ParkedEvent[]> {
    return this.projections.parked(name);
  }
}
