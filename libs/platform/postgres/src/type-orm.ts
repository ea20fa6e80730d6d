import { EventEmitter } from 'node:events';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { migrations } from '#migrations';
import type pg from 'pg';
import type { Database } from './database.js';
import { PostgresDatabase } from './postgres-database.js';
import { asDatabaseError } from './postgres.errors.js';

type Connected = (error: unknown, client?: pg.ClientBase, release?: (error?: Error) => void) => void;

/** What TypeORM's driver needs of pg, on the sessions of our Database: so both obey one queue and one guard. */
function driverOn(database: PostgresDatabase) {
  class Pool extends EventEmitter {
    connect(connected: Connected): void {
      database.lease().then(
        (lease) => connected(undefined, lease.client, (error) => lease.release(error)),
        (error: unknown) => connected(error),
      );
    }

    /** The sessions belong to the Database, which outlives TypeORM's use of them. */
    end(done?: () => void): void {
      done?.();
    }
  }
  return { Pool, defaults: {} };
}

/** TypeORM over the same sessions as the Database. Schema changes come from migrations only. */
export async function dataSourceFor(
  database: Database,
  entities: NonNullable<DataSourceOptions['entities']> = [],
): Promise<DataSource> {
  if (!(database instanceof PostgresDatabase)) throw new TypeError('TypeORM needs a Postgres database.');
  const source = new DataSource({
    type: 'postgres',
    driver: driverOn(database),
    entities,
    migrations,
    migrationsTableName: 'migrations',
    migrationsTransactionMode: 'each',
    synchronize: false,
    installExtensions: false,
    logging: false,
  });
  return source.initialize();
}

/**
 * Brings everything that is not a projection to the newest shape. Gives the names of what it ran. Processes that start at
 * the same time do it one after the other.
 */
export async function migrate(database: Database): Promise<string[]> {
  const source = await dataSourceFor(database.at('maintenance'));
  const unlock = await lockMigrations(database);
  try {
    const ran = await source.runMigrations();
    return ran.map((migration) => migration.name);
  } finally {
    await unlock();
    await source.destroy();
  }
}

/** Holds a session's lock beside the sessions that migrate; the embedded engine has one session, and one process. */
async function lockMigrations(database: Database): Promise<() => Promise<void>> {
  if (!(database instanceof PostgresDatabase) || database.engine === 'embedded') return () => Promise.resolve();
  const lease = await database.lease();
  try {
    await lease.client.query('select pg_advisory_lock(7801, 2)');
  } catch (error) {
    lease.release(error as Error);
    throw asDatabaseError(error);
  }
  return async () => {
    const failure = await lease.client.query('select pg_advisory_unlock(7801, 2)').then(
      () => undefined,
      (error: unknown) => error as Error,
    );
    // A session that is thrown away gives its lock back, too.
    lease.release(failure);
  };
}
