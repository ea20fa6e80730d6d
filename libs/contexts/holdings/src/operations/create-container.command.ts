import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { v7 as uuid } from 'uuid';
import type { Caller } from '#kernel';
import { EventStore } from '#platform/eventlog';
import { CommandOperation, Operation } from '#platform/operations';
import { containerDecider, type CreateData } from '../container/container.decider.js';
import { DEFAULT_EMBEDDER } from '../container/container.state.js';
import { profileFacts, type ProfileChanges } from './container-profile.js';
import { claimName } from './name-claims.js';
import { containerStream, decideOn, stateOf, type Desk } from './streams.js';

export interface NewContainer extends ProfileChanges {
  readonly name: string;
  readonly parentId?: string;
  readonly modalities?: readonly string[];
  /** Left out: the installed one. */
  readonly embedder?: { readonly name?: string; readonly version?: string; readonly dims?: number };
  readonly policy?: Readonly<Record<string, unknown>>;
}

export interface ContainerNamed {
  readonly id: string;
  readonly name: string;
}

@Operation({ name: 'create_container', permission: 'containers:write', deadlineMs: 5_000 })
export class CreateContainer extends CommandOperation<ContainerNamed> {
  constructor(
    readonly caller: Caller,
    readonly input: NewContainer,
  ) {
    super();
  }
}

@CommandHandler(CreateContainer)
export class CreateContainerHandler implements ICommandHandler<CreateContainer> {
  constructor(private readonly store: EventStore) {}

  async execute({ caller, input, execution }: CreateContainer): Promise<ContainerNamed> {
    const desk = { store: this.store, execution };
    const wanted = await this.wanted(desk, caller, input);
    // Whatever speaks against it is said before a name is claimed for it.
    containerDecider.decide({ type: 'Create', data: wanted }, containerDecider.initial());
    const claimId = await claimName(desk, { name: wanted.name, containerId: wanted.id, claimId: wanted.claimId });
    const data = { ...wanted, claimId };
    await decideOn(desk, containerDecider, containerStream(data.id), { type: 'Create', data });
    await this.followParent(desk, data);
    return { id: data.id, name: data.name };
  }

  private async wanted(desk: Desk, caller: Caller, input: NewContainer): Promise<CreateData> {
    const { name, parentId, modalities, embedder, policy } = input;
    const parent = parentId && { id: parentId.toLowerCase(), container: await this.stateOf(desk, parentId) };
    return {
      id: uuid(),
      claimId: uuid(),
      name,
      profile: profileFacts(input),
      ...(parent ? { parent } : {}),
      ...(modalities ? { modalities } : {}),
      ...(embedder ? { embedder } : {}),
      ...(policy ? { policy } : {}),
      createdByAgent: caller.agent?.name,
      installed: [DEFAULT_EMBEDDER],
      day: desk.execution.at.toISOString().slice(0, 10),
    };
  }

  /** Archiving a parent takes along the children it can see; one that came too late to be seen goes by itself. */
  private async followParent(desk: Desk, { id, parent }: CreateData): Promise<void> {
    if (!parent || (await this.stateOf(desk, parent.id)).status !== 'archived') return;
    await decideOn(desk, containerDecider, containerStream(id), { type: 'Archive' });
  }

  private stateOf(desk: Desk, id: string) {
    return stateOf(desk, containerDecider, containerStream(id));
  }
}
