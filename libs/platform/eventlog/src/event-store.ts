import { v5 as uuidV5, v7 as uuidV7 } from 'uuid';
import type { DomainEvent } from '#kernel';
import { EventCodec, type DataKeys, type RecordedEvent } from './codec.js';
import type { EventContext } from './codec-metadata.js';
import type { EventCatalog } from './event-catalog.js';
import type { Appended, EventLog, ExpectedRevision, ReadStreamOptions, StoredEvent } from './event-log.js';

/** How many events are opened together: one question for all the keys they need. */
const OPEN_TOGETHER = 256;
const DERIVED_IDS = '6f0f5c52-3f5c-5b0e-9d0b-4f6b8d6c2a11';

/** The log with its codec: what everyone outside the platform writes and reads events through. */
export class EventStore {
  readonly log: EventLog;
  readonly catalog: EventCatalog;
  private readonly codec: EventCodec;

  constructor(parts: { readonly log: EventLog; readonly catalog: EventCatalog; readonly keys: DataKeys }) {
    this.log = parts.log;
    this.catalog = parts.catalog;
    this.codec = new EventCodec(parts.catalog, parts.keys);
  }

  /** Seals and appends. Without ids the events get new ones, or derived ones if the context asks for them. */
  async append(
    stream: string,
    events: readonly DomainEvent[],
    expected: ExpectedRevision,
    context: EventContext,
    ids: readonly string[] = eventIds(stream, events.length, context),
    signal?: AbortSignal,
  ): Promise<Appended> {
    if (ids.length !== events.length) throw new Error(`${events.length} events need as many ids, not ${ids.length}.`);
    return this.log.append(stream, await this.codec.seal(events, ids, context), expected, signal);
  }

  /** Reads one stream. A stream that does not exist is empty. */
  async *read<E extends DomainEvent = DomainEvent>(
    stream: string,
    options?: ReadStreamOptions,
  ): AsyncGenerator<RecordedEvent<E>, void, undefined> {
    let batch: StoredEvent[] = [];
    for await (const event of this.log.readStream(stream, options)) {
      batch.push(event);
      if (batch.length < OPEN_TOGETHER) continue;
      yield* (await this.open(batch)) as RecordedEvent<E>[];
      batch = [];
    }
    if (batch.length > 0) yield* (await this.open(batch)) as RecordedEvent<E>[];
  }

  /**
   * Opens what was read from the log: sealed fields restored, or `ERASED` where the key is gone; data in the current
   * schema. A broken envelope throws for the whole batch; its refusal names the event.
   */
  open(events: readonly StoredEvent[]): Promise<RecordedEvent[]> {
    return this.codec.open(events);
  }
}

/** New ids, ordered by time; derived ones depend on execution, stream and ordinal only. */
export function eventIds(stream: string, count: number, context: EventContext): string[] {
  const derive = (ordinal: number) => uuidV5(`${context.executionId}/${stream}/${ordinal}`, DERIVED_IDS);
  return Array.from({ length: count }, (_, ordinal) =>
    context.deterministicIds === true ? derive(ordinal) : uuidV7(),
  );
}
