import pg from 'pg';
import type { Priority } from './database.js';

/** A session of Postgres, lent for a while. */
export interface Lease {
  readonly client: pg.ClientBase;
  /** Gives it back; with an error, it is thrown away where another can be had. */
  release(error?: Error): void;
}

/** Where sessions come from: the one of the embedded engine, or a server's pool. */
export interface Sessions {
  readonly engine: 'embedded' | 'server';
  acquire(priority: Priority): Promise<Lease>;
  listen(channel: string, notified: () => void): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

const INT8 = 20;

/** Counts and revisions stay below 2^53: read them as numbers. */
export const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8 && format !== 'binary'
      ? Number
      : (pg.types.getTypeParser(oid, format) as (text: string) => unknown)) as typeof pg.types.getTypeParser,
};
