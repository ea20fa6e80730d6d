import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { v7 as uuid } from 'uuid';
import type { Caller } from '#kernel';
import { EventStore } from '#platform/eventlog';
import { CommandOperation, Operation } from '#platform/operations';
import { containerDecider } from '../container/container.decider.js';
import { containerBy } from './container-reference.js';
import type { ContainerNamed } from './create-container.command.js';
import { claimName, releaseName } from './name-claims.js';
import { containerStream, decideOn } from './streams.js';

@Operation({ name: 'rename_container', permission: 'containers:write', deadlineMs: 5_000 })
export class RenameContainer extends CommandOperation<ContainerNamed> {
  constructor(
    readonly caller: Caller,
    /** A uuid or a name. */
    readonly reference: string,
    readonly name: string,
  ) {
    super();
  }
}

@CommandHandler(RenameContainer)
export class RenameContainerHandler implements ICommandHandler<RenameContainer> {
  constructor(private readonly store: EventStore) {}

  async execute({ reference, name, execution }: RenameContainer): Promise<ContainerNamed> {
    const desk = { store: this.store, execution };
    const container = await containerBy(desk, reference);
    const wanted = { name, claimId: uuid(), day: execution.at.toISOString().slice(0, 10) };
    const { id, spentClaims: lapsed } = container;
    if (containerDecider.decide({ type: 'Rename', data: wanted }, container).length === 0) return { id, name };
    const claimId = await claimName(desk, { name, containerId: id, claimId: wanted.claimId, lapsed });
    const command = { type: 'Rename' as const, data: { ...wanted, claimId } };
    const { events } = await decideOn(desk, containerDecider, containerStream(id), command);
    for (const event of events) {
      if (event.type !== 'ContainerRenamed' || event.data.previous_claim_id === claimId) continue;
      await releaseName(desk, event.data.previous_name, event.data.previous_claim_id);
    }
    return { id, name };
  }
}
