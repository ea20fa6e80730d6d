import {
  eventTypeFilter,
  excludeSystemEvents,
  START as FROM_START,
  type AllStreamResolvedEvent,
  type AllStreamSubscription,
  type EventStoreDBClient,
} from '@eventstore/db-client';
import type { StoredEvent } from './event-log.js';
import { refuseUnreachable } from './eventstoredb-errors.js';
import { fromPosition, toPosition, toStored } from './eventstoredb-event.js';
import { Intake, type News } from './eventstoredb-intake.js';
import type { Position } from './position.js';

/** Records the engine searches between two checkpoints of a filtered subscription. */
const WINDOW = 64;
const WINDOWS_PER_CHECKPOINT = 2;

/** Only the names given, and nothing that looks like them. */
export function exactly(types: readonly string[]): string {
  const escaped = types.map((type) => type.replace(/[\\^$.*+?()[\]{}|#\s-]/g, '\\$&'));
  return `^(?:${escaped.join('|')})$`;
}

/** One connection's subscription. */
export class Feed {
  private readonly subscription: AllStreamSubscription;
  private readonly intake: Intake<AllStreamResolvedEvent>;
  private checkpoint: Position | undefined;

  constructor(client: EventStoreDBClient, after: Position, types: readonly string[] | undefined, size: number) {
    const progress = {
      maxSearchWindow: WINDOW,
      checkpointInterval: WINDOWS_PER_CHECKPOINT,
      checkpointReached: (_: unknown, position: { commit: bigint; prepare: bigint }) => {
        this.checkpoint = toPosition(position);
        this.intake.arrive();
      },
    };
    this.subscription = client.subscribeToAll(
      {
        fromPosition: fromPosition(after, FROM_START),
        filter:
          types === undefined ? excludeSystemEvents(progress) : eventTypeFilter({ ...progress, regex: exactly(types) }),
        requiresLeader: true,
      },
      { highWaterMark: size },
    );
    this.intake = new Intake(this.subscription);
  }

  /** What has arrived, up to a number; throws what ended the subscription once nothing is left. */
  take(most: number): StoredEvent[] {
    const events: StoredEvent[] = [];
    while (events.length < most) {
      const resolved = this.intake.take();
      if (resolved === undefined) break;
      const event = toStored(resolved);
      if (event !== undefined) events.push(event);
    }
    if (events.length === 0 && this.intake.ended !== undefined) {
      throw this.intake.ended.error ?? refuseUnreachable('EventStoreDB ended the subscription.');
    }
    return events;
  }

  /** The engine's last checkpoint; known to be passed only when nothing before it waits to be taken. */
  passed(): Position | undefined {
    return this.intake.waiting === 0 ? this.checkpoint : undefined;
  }

  /** True when there is something to take, be it only the end. */
  holds(): boolean {
    return this.intake.waiting > 0 || this.intake.ended !== undefined;
  }

  news(ms: number, signal: AbortSignal): Promise<News> {
    return this.intake.news(ms, signal);
  }

  /** Something was written through this log: worth a look. */
  nudge(): void {
    this.intake.nudge();
  }

  async close(): Promise<void> {
    await this.intake.close(() => this.subscription.unsubscribe());
  }
}
