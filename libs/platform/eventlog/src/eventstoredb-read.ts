import {
  BACKWARDS,
  END,
  FORWARDS,
  START as FROM_START,
  type AllStreamResolvedEvent,
  type EventStoreDBClient,
  type ResolvedEvent,
  type StreamingRead,
} from '@eventstore/db-client';
import type { ReadAllOptions, ReadStreamOptions, StoredEvent } from './event-log.js';
import { meaningOf } from './eventstoredb-errors.js';
import { fromPosition, placeOf, toStored } from './eventstoredb-event.js';
import { Intake } from './eventstoredb-intake.js';
import { Patience } from './eventstoredb-retry.js';
import { START, type Position } from './position.js';

/** Pages in which the end of the log is searched for an event of ours, among the engine's own. */
const PAGES = [1, 32, 512];

/** Reads that survive a lost connection: they go on behind the last event they gave. */
export class EventStoreDbReader {
  constructor(
    private readonly client: EventStoreDBClient,
    private readonly limits: { readonly patienceMs: number; readonly deadlineMs: number },
    private readonly hosts: string,
  ) {}

  async *stream(
    stream: string,
    { direction = 'forward', from, limit = Infinity }: ReadStreamOptions,
  ): AsyncIterable<StoredEvent> {
    if (limit <= 0) return;
    const forward = direction === 'forward';
    let next = from === undefined ? undefined : BigInt(from);
    let left = limit;
    const open = () =>
      this.client.readStream(stream, {
        direction: forward ? FORWARDS : BACKWARDS,
        fromRevision: next ?? (forward ? FROM_START : END),
        requiresLeader: true,
        ...(left === Infinity ? {} : { maxCount: left }),
      });
    for await (const resolved of this.resumed(open)) {
      const event = toStored(resolved);
      if (event === undefined) continue;
      yield event;
      left -= 1;
      if (left === 0 || (!forward && event.revision === 0)) return;
      next = BigInt(event.revision) + (forward ? 1n : -1n);
    }
  }

  /** The client cannot ask for a filtered read, only for a filtered subscription: types are picked out here. */
  async *all({ after, direction = 'forward', types, limit = Infinity }: ReadAllOptions): AsyncIterable<StoredEvent> {
    if (limit <= 0) return;
    const wanted = types === undefined ? undefined : new Set(types);
    const end = direction === 'forward' ? await this.head() : undefined;
    let left = limit;
    for await (const resolved of direction === 'forward' ? this.forward(after) : this.backward(after)) {
      const event = toStored(resolved);
      if (event === undefined) continue;
      if (end !== undefined && event.position > end) return;
      if (wanted?.has(event.type) ?? true) {
        yield event;
        left -= 1;
      }
      if (left === 0 || event.position === end) return;
    }
  }

  /** The last event that is not the engine's own. */
  async head(): Promise<Position> {
    let before: Position | undefined;
    for (let page = 0; ; page += 1) {
      const size = PAGES[Math.min(page, PAGES.length - 1)]!;
      let seen = 0;
      for await (const resolved of this.backward(before, size)) {
        const event = toStored(resolved);
        if (event !== undefined) return event.position;
        before = placeOf(resolved) ?? before;
        seen += 1;
      }
      if (seen < size) return START;
    }
  }

  /** Everything after a position, the engine's own events too. */
  forward(after: Position | undefined): AsyncIterable<AllStreamResolvedEvent> {
    let last = after;
    const open = () =>
      this.client.readAll({ direction: FORWARDS, fromPosition: fromPosition(last, FROM_START), requiresLeader: true });
    const note = (place: Position) => (last = place);
    // Reading forward includes the position it starts from.
    return this.placed(open, note, (place) => last === undefined || place > last);
  }

  private backward(before: Position | undefined, maxCount?: number): AsyncIterable<AllStreamResolvedEvent> {
    let last = before;
    const open = () =>
      this.client.readAll({
        direction: BACKWARDS,
        fromPosition: fromPosition(last, END),
        requiresLeader: true,
        ...(maxCount === undefined ? {} : { maxCount }),
      });
    const note = (place: Position) => (last = place);
    return this.placed(open, note, (place) => last === undefined || place < last);
  }

  private async *placed(
    open: () => StreamingRead<AllStreamResolvedEvent>,
    note: (place: Position) => void,
    isNew: (place: Position) => boolean,
  ): AsyncIterable<AllStreamResolvedEvent> {
    for await (const resolved of this.resumed(open)) {
      const place = placeOf(resolved);
      if (place === undefined || !isNew(place)) continue;
      note(place);
      yield resolved;
    }
  }

  private async *resumed<E extends ResolvedEvent>(open: () => StreamingRead<E>): AsyncIterable<E> {
    const patience = new Patience(this.limits.patienceMs, this.hosts);
    for (;;) {
      const reading = open();
      const intake = new Intake<E>(reading);
      try {
        for (let resolved = intake.take(); ; resolved = intake.take()) {
          if (resolved !== undefined) {
            patience.renew();
            yield resolved;
            continue;
          }
          if (intake.ended?.error !== undefined) throw intake.ended.error;
          if (intake.ended !== undefined) return;
          // The client sets no deadline for a read.
          if ((await intake.news(this.limits.deadlineMs)) === 'quiet') throw new Error('EventStoreDB does not answer.');
        }
      } catch (error) {
        const meaning = meaningOf(error);
        if (meaning === 'missing' || meaning === 'tombstoned') return;
        await patience.after(error);
      } finally {
        await intake.close(() => reading.cancel());
      }
    }
  }
}
