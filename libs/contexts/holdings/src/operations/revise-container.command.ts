import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Caller } from '#kernel';
import { EventStore } from '#platform/eventlog';
import { CommandOperation, Operation } from '#platform/operations';
import { containerDecider } from '../container/container.decider.js';
import { profileFacts, type ProfileChanges } from './container-profile.js';
import { containerBy } from './container-reference.js';
import { containerStream, decideOn } from './streams.js';

export interface ContainerRevision extends ProfileChanges {
  /** Pauses, resumes, or restores what was archived. */
  readonly state?: 'active' | 'paused';
}

export interface ContainerRevisionResult {
  readonly id: string;
  readonly name: string;
  /** False when it said all of this before. */
  readonly changed: boolean;
}

@Operation({ name: 'revise_container', permission: 'containers:write', deadlineMs: 5_000 })
export class ReviseContainer extends CommandOperation<ContainerRevisionResult> {
  constructor(
    readonly caller: Caller,
    /** A uuid or a name. */
    readonly reference: string,
    readonly input: ContainerRevision,
  ) {
    super();
  }
}

@CommandHandler(ReviseContainer)
export class ReviseContainerHandler implements ICommandHandler<ReviseContainer> {
  constructor(private readonly store: EventStore) {}

  async execute({ reference, input, execution }: ReviseContainer): Promise<ContainerRevisionResult> {
    const desk = { store: this.store, execution };
    const { id, name } = await containerBy(desk, reference);
    const { state } = input;
    const data = { profile: profileFacts(input), state, day: execution.at.toISOString().slice(0, 10) };
    const { events } = await decideOn(desk, containerDecider, containerStream(id), { type: 'Revise', data });
    return { id, name, changed: events.length > 0 };
  }
}
