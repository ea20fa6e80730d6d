import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Caller } from '#kernel';
import { CommandOperation, Operation } from '#platform/operations';
import { ProjectionHost } from '#platform/projections';

export interface Replayed {
  readonly replayed: number;
  readonly stillParked: number;
}

/** Applies parked events again: one, or all of a projection. */
@Operation({ name: 'replay_parked_events', permission: 'projections:admin', deadlineMs: 60_000 })
export class ReplayParkedEvents extends CommandOperation<Replayed> {
  constructor(
    readonly caller: Caller,
    readonly input: { readonly name: string; readonly eventId?: string },
  ) {
    super();
  }
}

@CommandHandler(ReplayParkedEvents)
export class ReplayParkedEventsHandler implements ICommandHandler<ReplayParkedEvents> {
  constructor(private readonly projections: ProjectionHost) {}

  execute({ input: { name, eventId } }: ReplayParkedEvents): Promise<Replayed> {
    return this.projections.replay(name, eventId);
  }
}
