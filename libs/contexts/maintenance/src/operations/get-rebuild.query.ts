import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { Caller } from '#kernel';
import { Operation, QueryOperation } from '#platform/operations';
import { ProjectionHost, type RebuildProgress } from '#platform/projections';
import { refuseMaintenance } from '../maintenance.errors.js';
import { Rebuilds, type RebuildOutcome } from '../rebuilds.js';

export type { RebuildReport } from '#platform/projections';

/** A rebuild under way, or the last one and what came of it. */
export type Rebuild = RebuildOutcome & {
  readonly name: string;
  readonly version: number;
  readonly progress?: RebuildProgress;
};

@Operation({ name: 'get_rebuild', permission: 'projections:admin' })
export class GetRebuild extends QueryOperation<Rebuild> {
  constructor(
    readonly caller: Caller,
    readonly input: { readonly name: string },
  ) {
    super();
  }
}

@QueryHandler(GetRebuild)
export class GetRebuildHandler implements IQueryHandler<GetRebuild> {
  constructor(
    private readonly projections: ProjectionHost,
    private readonly rebuilds: Rebuilds,
  ) {}

  async execute({ input: { name } }: GetRebuild): Promise<Rebuild> {
    const status = (await this.projections.status()).find((each) => each.name === name);
    if (!status) throw refuseMaintenance('PROJECTION_UNKNOWN', { name }, `There is no projection named ${name}.`);
    // Also a rebuild that another process, or a raised version, began.
    if (status.rebuild) return { name, version: status.rebuild.version, state: 'running', progress: status.rebuild };
    const last = this.rebuilds.of(name);
    if (!last) throw refuseMaintenance('NO_REBUILD', { name });
    return { name, version: last.version, ...last.outcome };
  }
}
