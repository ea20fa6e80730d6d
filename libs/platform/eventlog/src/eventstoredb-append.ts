import { jsonEvent, type EventStoreDBClient } from '@eventstore/db-client';
import { refuseLog, sizeOf, wrongRevision } from './event-log.errors.js';
import type { Appended, ExpectedRevision, NewEvent, StoredEvent } from './event-log.js';
import { actualRevision, meaningOf } from './eventstoredb-errors.js';
import { toExpected, toPosition } from './eventstoredb-event.js';
import type { EventStoreDbReader } from './eventstoredb-read.js';
import { Patience } from './eventstoredb-retry.js';

/** How far back the end of a stream is searched for the events of an append whose answer was lost. */
const TAIL: Window = { events: 1_000, bytes: Infinity };
/** The same before a new append, where every one pays for it. */
const GLANCE: Window = { events: 32, bytes: 256 * 1024 };

interface Window {
  /** Beyond as many as the append has. */
  readonly events: number;
  readonly bytes: number;
}

/**
 * Appends, and finds out what happened when the answer is lost. At an exact revision (or none) the engine recognises a
 * repeated append for ever, so it is simply made again. For 'any' and 'exists' it remembers ids only for a while: there
 * the end of the stream is read before the append is repeated.
 */
export class EventStoreDbAppender {
  constructor(
    private readonly client: EventStoreDBClient,
    private readonly reader: EventStoreDbReader,
    private readonly patienceMs: number,
    private readonly hosts: string,
  ) {}

  async append(
    stream: string,
    events: readonly NewEvent[],
    expected: ExpectedRevision,
    signal?: AbortSignal,
  ): Promise<Appended> {
    const loose = expected === 'any' || expected === 'exists';
    const patience = new Patience(this.patienceMs, this.hosts);
    // The engine looks only at the first id to tell a repeated append; the others of a batch are looked at here.
    let window = loose && events.length > 1 ? GLANCE : undefined;
    for (;;) {
      if (window !== undefined) {
        const found = await this.find(stream, events, window);
        if (found !== undefined) return found;
      }
      try {
        return await this.once(stream, events, expected);
      } catch (error) {
        const meaning = meaningOf(error);
        if (meaning === 'wrong revision') throw conflict(stream, expected, actualRevision(error));
        if (meaning === 'tombstoned') throw refuseLog('STREAM_TOMBSTONED', { stream }, undefined, error);
        if (meaning === 'too large') throw refuseLog('APPEND_TOO_LARGE', { stream }, undefined, error);
        if (meaning === 'unknown' && loose) window = TAIL;
        await patience.after(error, signal);
      }
    }
  }

  private async once(stream: string, events: readonly NewEvent[], expected: ExpectedRevision): Promise<Appended> {
    const { nextExpectedRevision, position } = await this.client.appendToStream(
      stream,
      events.map(({ id, type, data, metadata }) => jsonEvent({ id, type, data, metadata })),
      { expectedRevision: toExpected(expected), requiresLeader: true },
    );
    const revision = Number(nextExpectedRevision);
    // An append that the engine recognised as repeated may come back without its position.
    if (position === undefined) return { revision, position: (await this.eventAt(stream, revision)).position };
    return { revision, position: toPosition(position) };
  }

  private async eventAt(stream: string, revision: number): Promise<StoredEvent> {
    for await (const event of this.reader.stream(stream, { from: revision, limit: 1 })) {
      if (event.revision === revision) return event;
    }
    throw new Error(`Revision ${revision} of ${stream} was acknowledged and cannot be read.`);
  }

  /** The append as it stands at the end of the stream already; refuses when only a part of it does. */
  private async find(stream: string, events: readonly NewEvent[], window: Window): Promise<Appended | undefined> {
    const wanted = new Set(events.map((event) => event.id.toLowerCase()));
    let last: StoredEvent | undefined;
    let found = 0;
    let looked = 0;
    let bytes = 0;
    const limit = window.events + 2 * events.length;
    for await (const event of this.reader.stream(stream, { direction: 'backward', limit })) {
      looked += 1;
      bytes += sizeOf(event);
      if (wanted.delete(event.id.toLowerCase())) {
        last ??= event;
        found += 1;
      }
      // An append stands in one piece: from its last event on, as many as it has are looked at, and no more.
      if (last !== undefined && last.revision - event.revision + 1 >= events.length) break;
      if (last === undefined && (looked >= window.events + events.length || bytes > window.bytes)) break;
    }
    if (last === undefined) return undefined;
    if (found < events.length) throw refuseLog('EVENT_IDS_REUSED', { stream, found, of: events.length });
    return { revision: last.revision, position: last.position };
  }
}

/** A loose expectation cannot be wrong about a revision: what the engine then means is ids that are partly there. */
function conflict(stream: string, expected: ExpectedRevision, actual: number | 'none'): Error {
  if (expected === 'any' || (expected === 'exists' && actual !== 'none'))
    return refuseLog('EVENT_IDS_REUSED', { stream });
  return wrongRevision(stream, expected, actual);
}
