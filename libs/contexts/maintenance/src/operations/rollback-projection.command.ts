import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Caller } from '#kernel';
import { CommandOperation, Operation } from '#platform/operations';
import { ProjectionHost } from '#platform/projections';

export interface RolledBack {
  readonly name: string;
  readonly version: number;
}

/** Switches the live views back to the build before. */
@Operation({ name: 'rollback_projection', permission: 'projections:admin' })
export class RollbackProjection extends CommandOperation<RolledBack> {
  constructor(
    readonly caller: Caller,
    readonly input: { readonly name: string },
  ) {
    super();
  }
}

@CommandHandler(RollbackProjection)
export class RollbackProjectionHandler implements ICommandHandler<RollbackProjection> {
  constructor(private readonly projections: ProjectionHost) {}

  async execute({ input: { name } }: RollbackProjection): Promise<RolledBack> {
    const { version } = await this.projections.rollback(name);
    return { name, version };
  }
}
