import type { Database } from './database.js';
import { EmbeddedSessions } from './embedded-sessions.js';
import { PostgresDatabase } from './postgres-database.js';
import { ServerSessions } from './server-sessions.js';

/** The embedded Postgres in a data folder: takes the folder's lock, refuses DATA_DIR_HELD when another process has it. */
export async function openEmbedded(options: { dataDir: string }): Promise<Database> {
  return new PostgresDatabase(await EmbeddedSessions.open(options.dataDir));
}

/** A Postgres server. Asks it once, so that a wrong address is known at the start. */
export async function connectServer(options: { url: string }): Promise<Database> {
  const database = new PostgresDatabase(new ServerSessions(options.url));
  try {
    await database.query('select 1');
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}
