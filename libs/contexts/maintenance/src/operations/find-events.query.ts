import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { Caller } from '#kernel';
import { EventStore, parsePosition, type RecordedEvent, type StoredEvent } from '#platform/eventlog';
import { Operation, QueryOperation } from '#platform/operations';
import { refuseMaintenance } from '../maintenance.errors.js';

export type { RecordedEvent } from '#platform/eventlog';

export interface FindEventsInput {
  /** The cursor of the page before. */
  readonly after?: string;
  readonly types?: readonly string[];
  readonly stream?: string;
  readonly limit: number;
  readonly direction: 'forward' | 'backward';
}

export interface EventsPage {
  readonly items: readonly RecordedEvent[];
  readonly nextCursor: string | null;
}

@Operation({ name: 'find_events', permission: 'events:read' })
export class FindEvents extends QueryOperation<EventsPage> {
  constructor(
    readonly caller: Caller,
    readonly input: FindEventsInput,
  ) {
    super();
  }
}

@QueryHandler(FindEvents)
export class FindEventsHandler implements IQueryHandler<FindEvents> {
  constructor(private readonly store: EventStore) {}

  async execute({ input, execution }: FindEvents): Promise<EventsPage> {
    const events = input.stream === undefined ? this.ofLog(input) : this.ofStream(input.stream, input);
    const found: StoredEvent[] = [];
    for await (const event of events) {
      execution.signal.throwIfAborted();
      found.push(event);
      // One more than asked for tells whether there is a next page.
      if (found.length > input.limit) break;
    }
    const page = found.slice(0, input.limit);
    const last = found.length > input.limit ? page.at(-1) : undefined;
    return { items: await this.store.open(page), nextCursor: last ? cursorAt(last, input) : null };
  }

  private ofLog({ after, types, limit, direction }: FindEventsInput): AsyncIterable<StoredEvent> {
    const position = after === undefined ? undefined : parsePosition(after);
    if (after !== undefined && position === undefined) throw refuseMaintenance('INVALID_CURSOR', { cursor: after });
    return this.store.log.readAll({ after: position, types, direction, limit: limit + 1 });
  }

  private async *ofStream(stream: string, { after, types, direction }: FindEventsInput): AsyncIterable<StoredEvent> {
    const from = after === undefined ? undefined : revisionAfter(after, direction);
    if (from !== undefined && from < 0) return;
    for await (const event of this.store.log.readStream(stream, { from, direction })) {
      if (!types || types.includes(event.type)) yield event;
    }
  }
}

/** A stream's cursor is a revision, written `@12`; the log's is a position. */
function cursorAt(event: StoredEvent, { stream }: FindEventsInput): string {
  return stream === undefined ? event.position : `@${event.revision}`;
}

function revisionAfter(cursor: string, direction: 'forward' | 'backward'): number {
  const revision = /^@(\d{1,15})$/.exec(cursor)?.[1];
  if (revision === undefined) throw refuseMaintenance('INVALID_CURSOR', { cursor });
  return Number(revision) + (direction === 'forward' ? 1 : -1);
}
