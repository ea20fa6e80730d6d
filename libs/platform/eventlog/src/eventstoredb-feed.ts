import {
  eventTypeFilter,
  excludeSystemEvents,
  START as FROM_START,
  type AllStreamSubscription,
  type EventStoreDBClient,
} from '@eventstore/db-client';
import type { StoredEvent } from './event-log.js';
import { refuseUnreachable } from './eventstoredb-errors.js';
import { fromPosition, toPosition, toStored } from './eventstoredb-event.js';
import { cancel } from './eventstoredb-read.js';
import type { Position } from './position.js';

/** Records the engine searches between two checkpoints of a filtered subscription. */
const WINDOW = 64;
const WINDOWS_PER_CHECKPOINT = 2;

/** Why a wait ended. */
export type News = 'arrival' | 'nudge' | 'quiet';

/** Only the names given, and nothing that looks like them. */
export function exactly(types: readonly string[]): string {
  const escaped = types.map((type) => type.replace(/[\\^$.*+?()[\]{}|#\s-]/g, '\\$&'));
  return `^(?:${escaped.join('|')})$`;
}

/** One connection's subscription, as a buffer to take from. It fills up to its size and then lets the engine wait. */
export class Feed {
  private readonly subscription: AllStreamSubscription;
  private checkpoint: Position | undefined;
  private ended: unknown;
  private wake: (news: News) => void = () => undefined;

  constructor(client: EventStoreDBClient, after: Position, types: readonly string[] | undefined, size: number) {
    const progress = {
      maxSearchWindow: WINDOW,
      checkpointInterval: WINDOWS_PER_CHECKPOINT,
      checkpointReached: (_: unknown, position: { commit: bigint; prepare: bigint }) => {
        this.checkpoint = toPosition(position);
        this.wake('arrival');
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
    const over = (error?: unknown) => {
      this.ended ??= error ?? refuseUnreachable('EventStoreDB ended the subscription.');
      this.wake('arrival');
    };
    this.subscription
      .on('readable', () => this.wake('arrival'))
      .on('error', over)
      .on('end', over)
      .on('close', over);
  }

  /** What has arrived, up to a number; throws what ended the subscription once nothing is left. */
  take(most: number): StoredEvent[] {
    const events: StoredEvent[] = [];
    while (events.length < most) {
      const resolved = this.subscription.read() as Parameters<typeof toStored>[0] | null;
      if (resolved === null) break;
      const event = toStored(resolved);
      if (event !== undefined) events.push(event);
    }
    if (events.length === 0 && this.ended !== undefined) throw this.ended;
    return events;
  }

  /** The engine's last checkpoint; known to be passed only when nothing before it waits to be taken. */
  passed(): Position | undefined {
    return this.subscription.readableLength === 0 ? this.checkpoint : undefined;
  }

  /** True when there is something to take, be it only the end. */
  holds(): boolean {
    return this.subscription.readableLength > 0 || this.ended !== undefined;
  }

  /** Waits for news, at most so long. */
  async news(ms: number, signal: AbortSignal): Promise<News> {
    if (this.holds() || signal.aborted) return 'arrival';
    return await new Promise<News>((resolve) => {
      const done = (news: News) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', aborted);
        this.wake = () => undefined;
        resolve(news);
      };
      const aborted = () => done('arrival');
      const timer = ms === Infinity ? undefined : setTimeout(() => done('quiet'), ms);
      signal.addEventListener('abort', aborted);
      this.wake = done;
    });
  }

  /** Something was written through this log: worth a look. */
  nudge(): void {
    this.wake('nudge');
  }

  async close(): Promise<void> {
    this.ended ??= new Error('closed');
    await cancel(() => this.subscription.unsubscribe());
    this.subscription.destroy();
  }
}
