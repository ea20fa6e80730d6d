import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { Caller } from '#kernel';
import { Operation, QueryOperation } from '#platform/operations';
import { ContainerRows } from '../read/container-rows.js';
import { isContainerName, isUuid } from '../slug/slug.state.js';
import { noSuchContainer } from './container-reference.js';
import type { ContainerView } from './container.view.js';

@Operation({ name: 'get_container', permission: 'containers:read', deadlineMs: 5_000, reads: ['containers'] })
export class GetContainer extends QueryOperation<ContainerView> {
  constructor(
    readonly caller: Caller,
    /** A uuid or a name. */
    readonly reference: string,
  ) {
    super();
  }
}

@QueryHandler(GetContainer)
export class GetContainerHandler implements IQueryHandler<GetContainer> {
  constructor(private readonly rows: ContainerRows) {}

  async execute({ reference }: GetContainer): Promise<ContainerView> {
    const row = await this.find(reference);
    if (!row) throw noSuchContainer(reference);
    return row;
  }

  private async find(reference: string): Promise<ContainerView | null> {
    if (isUuid(reference)) return this.rows.findOneBy({ id: reference });
    return isContainerName(reference) ? this.rows.findOneBy({ name: reference }) : null;
  }
}
