import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { Caller } from '#kernel';
import { Operation, QueryOperation } from '#platform/operations';
import { ContainerRows } from '../read/container-rows.js';
import { folded } from '../read/containers.projection.js';
import type { ContainerState, ContainerView } from './container.view.js';

export interface ContainerFilter {
  readonly state: ContainerState | 'all';
  /** Part of the name or the theme, in any case. */
  readonly search?: string;
  readonly limit: number;
  readonly offset: number;
}

export interface ContainerPage {
  /** Newest first. */
  readonly containers: readonly ContainerView[];
  /** How many there are on all pages. */
  readonly total: number;
}

@Operation({ name: 'find_containers', permission: 'containers:read', deadlineMs: 5_000, reads: ['containers'] })
export class FindContainers extends QueryOperation<ContainerPage> {
  constructor(
    readonly caller: Caller,
    readonly input: ContainerFilter,
  ) {
    super();
  }
}

@QueryHandler(FindContainers)
export class FindContainersHandler implements IQueryHandler<FindContainers> {
  constructor(private readonly rows: ContainerRows) {}

  async execute({ input: { state, search = '', limit, offset } }: FindContainers): Promise<ContainerPage> {
    const query = this.rows
      .createQueryBuilder('c')
      .orderBy('c.createdAt', 'DESC')
      .addOrderBy('c.id', 'DESC')
      .limit(limit)
      .offset(offset);
    if (state !== 'all') query.andWhere('c.state = :state', { state });
    if (search !== '') {
      query.andWhere('(strpos(c.nameFolded, :part) > 0 or strpos(c.themeFolded, :part) > 0)', { part: folded(search) });
    }
    const [containers, total] = await query.getManyAndCount();
    return { containers, total };
  }
}
