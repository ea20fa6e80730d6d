import { randomUUID } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import type { ContainerCreated, ContainerEvent } from '#contexts/holdings';
import type { Caller } from '#kernel';
import type { EventContext, EventStore, Keyring } from '#platform/eventlog';

/** Containers that are made and changed together; each gets two events now and two when the next ones are made. */
const TOGETHER = 500;
const EVENTS_EACH = 4;
const CALLER: Caller = { kind: 'human', id: 'local:owner', roles: ['owner'] };
const TEXT = 'Prints, manifestos and letters of the painters who met in Dresden and moved on to Berlin. ';

interface Container {
  readonly id: string;
  readonly claimId: string;
  readonly number: number;
}

/**
 * Fills the log as the program would: containers, sealed under a key each, made and then revised, renamed, paused and
 * archived, through the store. Changes follow their container at a distance, so that they meet rows written before.
 */
export class SampleLog {
  private filled = 0;
  private containers = 0;
  private waiting: readonly Container[] = [];

  constructor(
    private readonly store: EventStore,
    private readonly keys: Keyring,
  ) {}

  /** Goes on until the log holds so many events. */
  async fillTo(events: number): Promise<void> {
    while (this.filled < events) {
      const made = await this.make(Math.min(TOGETHER, Math.ceil((events - this.filled) / EVENTS_EACH)));
      await this.change(this.waiting);
      this.waiting = made;
      if (this.filled + made.length * 2 < events) continue;
      await this.change(made);
      this.waiting = [];
    }
  }

  private async make(count: number): Promise<Container[]> {
    const made = Array.from({ length: count }, () => ({ id: uuid(), claimId: uuid(), number: (this.containers += 1) }));
    await this.keys.forSealing(made.map(({ id }) => `container-${id}`));
    await Promise.all(
      made.map((container) => this.append(container, 'none', [created(container), revised(container, 'contribute')])),
    );
    return made;
  }

  private async change(containers: readonly Container[]): Promise<void> {
    await Promise.all(
      containers.map((container) => this.append(container, 1, [renamed(container), lastOf(container)])),
    );
  }

  private async append({ id }: Container, expected: 'none' | number, events: readonly ContainerEvent[]): Promise<void> {
    await this.store.append(`container-${id}`, events, expected, contextOf());
    this.filled += events.length;
  }
}

function contextOf(): EventContext {
  return {
    caller: CALLER,
    correlationId: randomUUID(),
    executionId: randomUUID(),
    operation: 'bench',
    at: new Date(),
  };
}

function created({ id, claimId, number }: Container): ContainerCreated {
  return {
    type: 'ContainerCreated',
    data: {
      container_id: id,
      claim_id: claimId,
      parent_id: null,
      name: `shelf-${number}`,
      theme: `German Expressionism ${number}`,
      description: TEXT.repeat(3),
      mission_context: null,
      visibility: 'private',
      collaboration_policy: 'read-only',
      auto_refresh: false,
      modalities: ['text', 'pdf', 'image'],
      embedder: 'all-MiniLM-L6-v2',
      embedder_version: '1',
      dims: 384,
      policy: { privacy: 'exportable', freshness_lambda: 0.02, retention_days: 365 },
      acl: { owner: CALLER.id },
      created_by_agent: null,
      manifest_version: '1.0.0',
    },
  };
}

function revised({ id }: Container, policy: 'read-only' | 'contribute'): ContainerEvent {
  return {
    type: 'ContainerRevised',
    data: { container_id: id, description: TEXT.repeat(2), collaboration_policy: policy, manifest_version: '1.0.1' },
  };
}

function renamed({ id, claimId, number }: Container): ContainerEvent {
  return {
    type: 'ContainerRenamed',
    data: {
      container_id: id,
      name: `shelf-${number}-b`,
      claim_id: uuid(),
      previous_name: `shelf-${number}`,
      previous_claim_id: claimId,
      manifest_version: '1.0.2',
    },
  };
}

function lastOf(container: Container): ContainerEvent {
  switch (container.number % 3) {
    case 0:
      return { type: 'ContainerPaused', data: { container_id: container.id } };
    case 1:
      return { type: 'ContainerArchived', data: { container_id: container.id } };
    default:
      return revised(container, 'read-only');
  }
}
