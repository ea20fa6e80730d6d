import { AsyncLocalStorage } from 'node:async_hooks';
import type pg from 'pg';
import type { Database, Priority, Rows, Sql, SqlValue } from './database.js';
import { asDatabaseError, refuseDatabase } from './postgres.errors.js';
import type { Lease, Sessions } from './sessions.js';

/** Whether the code that runs now runs inside a transaction's body. */
type TransactionScope = { open: boolean };

/** The Database port over either kind of sessions. */
export class PostgresDatabase implements Database {
  constructor(
    private readonly sessions: Sessions,
    private readonly priority: Priority = 'read',
    private readonly scope = new AsyncLocalStorage<TransactionScope>(),
  ) {}

  get engine(): 'embedded' | 'server' {
    return this.sessions.engine;
  }

  at(priority: Priority): PostgresDatabase {
    return priority === this.priority ? this : new PostgresDatabase(this.sessions, priority, this.scope);
  }

  checkFree(): void {
    if (this.scope.getStore()?.open) throw refuseDatabase('NESTED_TRANSACTION');
  }

  /** Lends a session to code that brings its own driver calls (TypeORM). */
  async lease(): Promise<Lease> {
    this.checkFree();
    try {
      return await this.sessions.acquire(this.priority);
    } catch (error) {
      throw asDatabaseError(error);
    }
  }

  async query<Row extends object>(text: string, values?: readonly SqlValue[]): Promise<Rows<Row>> {
    const lease = await this.lease();
    try {
      return await run<Row>(lease.client, text, values);
    } finally {
      lease.release();
    }
  }

  async transaction<T>(body: (tx: Sql) => Promise<T>): Promise<T> {
    const lease = await this.lease();
    const scope: TransactionScope = { open: true };
    let broken: Error | undefined;
    try {
      await run(lease.client, 'begin');
      const result = await this.scope.run(scope, () =>
        body({
          query: async (text, values) => {
            // The session may be somebody else's by now.
            if (!scope.open) throw new Error('The transaction is over: await all of its statements in its body.');
            return run(lease.client, text, values);
          },
        }),
      );
      scope.open = false;
      await commit(lease.client);
      return result;
    } catch (error) {
      scope.open = false;
      broken = await rollback(lease.client);
      throw error;
    } finally {
      lease.release(broken);
    }
  }

  listen(channel: string, notified: () => void): Promise<() => Promise<void>> {
    return this.sessions.listen(channel, notified);
  }

  close(): Promise<void> {
    return this.sessions.close();
  }
}

async function run<Row extends object>(
  client: pg.ClientBase,
  text: string,
  values?: readonly SqlValue[],
): Promise<Rows<Row>> {
  try {
    const result = await client.query<Row>(text, values as unknown[]);
    return { rows: result.rows, rowCount: result.rowCount ?? 0 };
  } catch (error) {
    throw asDatabaseError(error);
  }
}

/** Postgres answers the commit of a failed transaction with a rollback, without an error: that must not pass as done. */
async function commit(client: pg.ClientBase): Promise<void> {
  const { command } = await client.query('commit').catch((error: unknown) => {
    throw asDatabaseError(error);
  });
  if (command !== 'COMMIT') throw new Error('The transaction was rolled back: one of its statements had failed.');
}

/** Rolls back; gives the error when even that failed, so that the session is thrown away. */
async function rollback(client: pg.ClientBase): Promise<Error | undefined> {
  try {
    await client.query('rollback');
    return undefined;
  } catch (error) {
    return error as Error;
  }
}
