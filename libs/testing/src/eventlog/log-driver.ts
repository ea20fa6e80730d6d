import { randomUUID } from 'node:crypto';
import {
  START,
  type Batch,
  type EventLog,
  type JsonObject,
  type NewEvent,
  type Position,
  type StoredEvent,
  type SubscribeOptions,
} from '#platform/eventlog';
import { Refusal } from '#kernel';

/** Opens one implementation for one group of tests. The engine behind it may be shared with others. */
export type OpenLog = () => Promise<{ readonly log: EventLog; close(): Promise<void> }>;

const PATIENCE_MS = 30_000;

/** A stream, or a type, that no other test uses. */
export function unique(word: string): string {
  return `${word}-${randomUUID()}`;
}

export function newEvent(type = 'Noted', data: JsonObject = {}, id: string = randomUUID()): NewEvent {
  return { id, type, data, metadata: { by: 'suite' } };
}

export function newEvents(count: number, type = 'Noted'): NewEvent[] {
  return Array.from({ length: count }, (_, n) => newEvent(type, { n }));
}

export function idsOf(events: readonly { readonly id: string }[]): string[] {
  return events.map((event) => event.id);
}

export async function collect(events: AsyncIterable<StoredEvent>): Promise<StoredEvent[]> {
  const all: StoredEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

/** The refusal that a promise ends in; fails when it succeeds, or ends in anything else. */
export async function refusalOf(outcome: Promise<unknown>): Promise<Refusal> {
  try {
    await outcome;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('Expected a refusal, and it succeeded.');
}

/** Waits until something holds. */
export async function until(holds: () => Promise<boolean> | boolean, what: string): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`Did not happen in ${PATIENCE_MS} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** What a follower has been handed so far. */
export interface Followed {
  readonly events: StoredEvent[];
  readonly batches: Batch[];
  through: Position;
  caughtUp: boolean;
}

/** Follows the log until `enough`, then aborts; fails when that takes too long. */
export async function follow(
  log: EventLog,
  options: Omit<SubscribeOptions, 'signal'>,
  enough: (seen: Followed) => boolean,
  eachBatch?: (seen: Followed) => Promise<void>,
): Promise<Followed> {
  const stop = new AbortController();
  const seen: Followed = { events: [], batches: [], through: options.after ?? START, caughtUp: false };
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    stop.abort();
  }, PATIENCE_MS);
  try {
    for await (const batch of log.subscribe({ ...options, signal: stop.signal })) {
      seen.batches.push(batch);
      seen.events.push(...batch.events);
      seen.through = batch.through;
      seen.caughtUp = batch.caughtUp;
      await eachBatch?.(seen);
      if (enough(seen)) break;
    }
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
  if (late)
    throw new Error(`The subscription handed over ${seen.events.length} events, and then not what was awaited.`);
  return seen;
}
