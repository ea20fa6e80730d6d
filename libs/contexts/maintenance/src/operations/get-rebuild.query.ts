import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { Caller } from '#kernel';
import { Operation, QueryOperation } from '#platform/operations';
import { ProjectionHost, type RebuildProgress, type RebuildReport } from '#platform/projections';
import { refuseMaintenance } from '../maintenance.errors.js';

export type { RebuildReport } from '#platform/projections';

/** A rebuild under way, or the last one and how the builds compared. */
export type Rebuild = { readonly name: string; readonly version: number } & (
  | { readonly state: 'running'; readonly progress: RebuildProgress }
  | { readonly state: 'done'; readonly report: RebuildReport }
);

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
  constructor(private readonly projections: ProjectionHost) {}

  async execute({ input: { name } }: GetRebuild): Promise<Rebuild> {
    const report = await this.projections.lastReport(name);
    const progress = (await this.projections.status()).find((status) => status.name === name)?.rebuild;
    if (progress) return { name, version: progress.version, state: 'running', progress };
    if (!report) throw refuseMaintenance('NO_REBUILD', { name });
    return { name, version: report.version, state: 'done', report };
  }
}
