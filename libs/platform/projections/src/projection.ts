import type { SqlValue } from '#platform/postgres';
import type { RecordedEvent } from '#platform/eventlog';

/** A cell: what SQL takes, or JSON for a json/jsonb column. */
export type Cell = SqlValue | Readonly<Record<string, unknown>> | readonly unknown[];
export type Row = Readonly<Record<string, Cell>>;

/** One table of a projection. It is created anew, in the schema of its build, at every rebuild. */
export interface Table {
  /** Column name to SQL type and constraints, e.g. `{ id: 'uuid', name: 'text not null' }`. */
  readonly columns: Readonly<Record<string, string>>;
  /** The columns of the primary key. */
  readonly key: readonly string[];
  /** What follows `on <table>` in a create index statement, e.g. `(created_at desc)` or `using gin (tags)`. */
  readonly indexes?: readonly string[];
}

/**
 * Where a projection puts its rows. Writes are collected and flushed in few statements, in order, inside the transaction
 * that also moves the checkpoint.
 */
export interface RowWriter {
  /** Inserts the row, or replaces the one with the same key. */
  upsert(table: string, row: Row): void;
  /** Changes some columns of the row with this key; nothing happens when there is none. */
  patch(table: string, key: Row, changes: Row): void;
  delete(table: string, key: Row): void;
  /** The row as it stands now, pending writes included. */
  get(table: string, key: Row): Promise<Row | undefined>;
}

/** A read model: a pure fold of events into tables. Delivered twice, an event leaves the same rows. */
export interface Projection {
  readonly name: string;
  /** Raise it when the fold or the tables change: the read model is then rebuilt beside the old one at the next start. */
  readonly version: number;
  readonly tables: Readonly<Record<string, Table>>;
  /** Event types. */
  readonly handles: readonly string[];
  apply(event: RecordedEvent, rows: RowWriter): void | Promise<void>;
}
