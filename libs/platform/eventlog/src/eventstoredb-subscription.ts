import type { EventStoreDBClient } from '@eventstore/db-client';
import { isRefusal } from '#kernel';
import type { Batch, SubscribeOptions } from './event-log.js';
import { meaningOf, toRefusal } from './eventstoredb-errors.js';
import { placeOf, toStored } from './eventstoredb-event.js';
import { Feed } from './eventstoredb-feed.js';
import type { EventStoreDbReader } from './eventstoredb-read.js';
import { backoffMs, pause } from './eventstoredb-retry.js';
import { START, type Position } from './position.js';

const BATCH = 200;
/** How long the first event waits for company, so that a batch is more than one event while there are many. */
const GATHER_MS = 2;
/** Quiet for so long: time to look whether the log holds more. */
const SETTLE_MS = 20;
/** How often a filtered subscription looks at what it is not told of. */
const IDLE_MS = 500;
/** The least time between two looks. */
const PACE_MS = 100;
/** A checkpoint without events is handed over at most this often. */
const CHECKPOINT_MS = 250;
/** Records looked at to move a checkpoint past the events of others; beyond, the engine's own checkpoints do it. */
const SCAN = 500;
/** An event that is in the log and does not come for so long will not come: the subscription is dead. */
const OVERDUE_MS = 15_000;

/** Follows the log over one connection after the other. */
export class EventStoreDbSubscriptions {
  private readonly feeds = new Set<Feed>();

  constructor(
    private readonly client: EventStoreDBClient,
    private readonly reader: EventStoreDbReader,
    private readonly hosts: string,
    private readonly closing: AbortSignal,
  ) {}

  async *follow(options: SubscribeOptions): AsyncIterable<Batch> {
    const signal = AbortSignal.any([options.signal, this.closing]);
    let through = options.after ?? START;
    let attempt = 0;
    while (!signal.aborted) {
      try {
        for await (const batch of this.connected(through, options, signal)) {
          attempt = 0;
          through = batch.through;
          yield batch;
        }
      } catch (error) {
        if (signal.aborted) return;
        if (!passes(error)) throw toRefusal(error, this.hosts);
        attempt += 1;
        options.onReconnect?.(error, attempt);
        await pause(backoffMs(attempt), signal);
      }
    }
  }

  /** Lets filtered subscriptions move their checkpoints past an append at once, instead of at their next look. */
  nudge(): void {
    for (const feed of this.feeds) feed.nudge();
  }

  private async *connected(after: Position, options: SubscribeOptions, signal: AbortSignal): AsyncIterable<Batch> {
    const { types, batchSize = BATCH } = options;
    const wanted = types === undefined ? undefined : new Set(types);
    const feed = new Feed(this.client, after, types, batchSize);
    this.feeds.add(feed);
    let through = after;
    let announced = false;
    let told = Date.now();
    let looked = 0;
    let overdueSince: number | undefined;
    // Without a filter every event arrives by itself; with one, only a look tells what others have written.
    const idleMs = wanted === undefined ? Infinity : IDLE_MS;
    try {
      while (!signal.aborted) {
        const events = feed
          .take(batchSize)
          .filter((event) => event.position > through && (wanted?.has(event.type) ?? true));
        if (events.length > 0) {
          through = latest(events.at(-1)!.position, feed.passed());
          announced = false;
          told = Date.now();
          overdueSince = undefined;
          yield { events, through, caughtUp: false };
          continue;
        }
        const passed = latest(through, feed.passed());
        if (passed > through && Date.now() - told > CHECKPOINT_MS) {
          through = passed;
          told = Date.now();
          yield { events: [], through, caughtUp: false };
          continue;
        }
        const news = await feed.news(announced ? idleMs : Math.max(SETTLE_MS, looked + PACE_MS - Date.now()), signal);
        if (news === 'nudge') announced = false;
        if (news === 'arrival') await pause(GATHER_MS, signal);
        if (news !== 'quiet') continue;
        looked = Date.now();
        const seen = await this.survey(latest(through, feed.passed()), wanted);
        if (seen === undefined) {
          overdueSince ??= Date.now();
          if (Date.now() - overdueSince > OVERDUE_MS)
            throw new Error('The subscription does not deliver what the log holds.');
          continue;
        }
        overdueSince = undefined;
        // What arrived during the survey comes first.
        if (feed.holds()) continue;
        if (announced && seen === through) continue;
        announced = true;
        through = seen;
        told = Date.now();
        yield { events: [], through, caughtUp: true };
      }
    } finally {
      this.feeds.delete(feed);
      await feed.close();
    }
  }

  /** The end of the log, when nothing wanted stands between a position and it; undefined when something may. */
  private async survey(from: Position, wanted: ReadonlySet<string> | undefined): Promise<Position | undefined> {
    const head = await this.reader.head();
    if (head <= from) return from;
    if (wanted === undefined) return undefined;
    let looked = 0;
    for await (const resolved of this.reader.forward(from)) {
      const place = placeOf(resolved);
      if (place === undefined || place > head) break;
      const event = toStored(resolved);
      looked += 1;
      if ((event !== undefined && wanted.has(event.type)) || looked > SCAN) return undefined;
      if (place === head) break;
    }
    return head;
  }
}

/** Whether trying again may help. */
function passes(error: unknown): boolean {
  const meaning = meaningOf(isRefusal(error, 'LOG_UNAVAILABLE') ? (error.cause ?? new Error(error.message)) : error);
  return meaning === 'unknown' || meaning === 'elsewhere';
}

function latest(one: Position, other: Position | undefined): Position {
  return other !== undefined && other > one ? other : one;
}
