import { randomUUID } from 'node:crypto';
import { SYSTEM, shown, type DomainEvent, type Sealable } from '#kernel';
import {
  EventCatalog,
  EventStore,
  PostgresEventLog,
  type Appended,
  type EventContext,
  type EventLog,
} from '#platform/eventlog';
import type { Database } from '#platform/postgres';
import type { Projection } from '#platform/projections';
import { InMemoryKeys } from '../eventlog/in-memory-keys.js';
import type { TestDatabase } from '../postgres/databases.js';

/** Where events go and where read models are; the log is the database's own unless another is given. */
export interface TestEngines extends TestDatabase {
  readonly log?: EventLog;
}

/** A tiny domain of its own for the tests of the platform: books on a shelf, whose readers may be erased. */
export type BookEvent =
  | DomainEvent<'BookShelved', { book: string; title: string }>
  | DomainEvent<'BookRetitled', { book: string; title: string }>
  | DomainEvent<'BookLent', { book: string; reader: string; name: Sealable<string> }>
  | DomainEvent<'BookRemoved', { book: string }>
  | DomainEvent<'DustGathered', { book: string }>;

export const bookCatalog = new EventCatalog([
  { type: 'BookShelved', version: 1 },
  { type: 'BookRetitled', version: 1 },
  { type: 'BookLent', version: 1, sealed: { subject: (data) => data['reader'] as string, fields: ['name'] } },
  { type: 'BookRemoved', version: 1 },
  { type: 'DustGathered', version: 1 },
]);

/** A title with this in it breaks the projection, until `cured` says otherwise. */
export const POISON = 'poison';

/** The read model of the shelf; `version` 2 shows titles in capitals. */
export function shelfProjection(name: string, options: { version?: number; cured?: () => boolean } = {}): Projection {
  const { version = 1, cured = () => false } = options;
  const title = (text: string) => {
    if (text.includes(POISON) && !cured()) throw new Error(`Cannot shelve "${text}".`);
    return version === 1 ? text : text.toUpperCase();
  };
  return {
    name,
    version,
    tables: {
      [`${name}_books`]: {
        columns: {
          book: 'uuid',
          title: 'text not null',
          reader_name: 'text',
          changes: 'integer not null',
          info: 'json',
        },
        key: ['book'],
        indexes: ['(title)'],
      },
    },
    handles: ['BookShelved', 'BookRetitled', 'BookLent', 'BookRemoved'],
    async apply(recorded, rows) {
      const event = recorded as unknown as BookEvent;
      const table = `${name}_books`;
      const key = { book: event.data.book };
      switch (event.type) {
        case 'BookShelved':
          rows.upsert(table, {
            ...key,
            title: title(event.data.title),
            changes: recorded.revision,
            info: { by: 'test' },
          });
          return;
        case 'BookRetitled':
          rows.patch(table, key, { title: title(event.data.title), changes: recorded.revision });
          return;
        case 'BookLent': {
          const row = await rows.get(table, key);
          if (row) rows.upsert(table, { ...row, reader_name: shown(event.data.name), changes: recorded.revision });
          return;
        }
        case 'BookRemoved':
          rows.delete(table, key);
          return;
        case 'DustGathered':
          return;
      }
    },
  };
}

/** An event store over a database's own log, with keys in memory. */
export class Shelf {
  readonly keys = new InMemoryKeys();
  readonly store: EventStore;

  constructor(
    readonly database: Database,
    log: EventLog = new PostgresEventLog(database),
  ) {
    this.store = new EventStore({ log, catalog: bookCatalog, keys: this.keys });
  }

  async shelve(title: string, book: string = randomUUID()): Promise<{ book: string; at: Appended }> {
    return { book, at: await this.append(book, { type: 'BookShelved', data: { book, title } }) };
  }

  append(book: string, ...events: BookEvent[]): Promise<Appended> {
    return this.store.append(`book-${book}`, events, 'any', testContext());
  }

  async rows(name: string): Promise<object[]> {
    const { rows } = await this.database.query(`select * from live."${name}_books" order by title, book`);
    return rows;
  }
}

export function testContext(): EventContext {
  const id = randomUUID();
  return { caller: SYSTEM, correlationId: id, executionId: id, operation: 'test', at: new Date() };
}
