import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Caller } from '#kernel';
import { CommandOperation, Operation } from '#platform/operations';
import { ProjectionHost } from '#platform/projections';

export interface RebuildStarted {
  readonly name: string;
  readonly version: number;
}

/** Starts a rebuild beside the live read model and does not wait for its end. */
@Operation({ name: 'rebuild_projection', permission: 'projections:admin' })
export class RebuildProjection extends CommandOperation<RebuildStarted> {
  constructor(
    readonly caller: Caller,
    readonly input: { readonly name: string },
  ) {
    super();
  }
}

@CommandHandler(RebuildProjection)
export class RebuildProjectionHandler implements ICommandHandler<RebuildProjection> {
  constructor(private readonly projections: ProjectionHost) {}

  async execute({ input: { name } }: RebuildProjection): Promise<RebuildStarted> {
    const { version } = await this.projections.rebuild(name);
    return { name, version };
  }
}
