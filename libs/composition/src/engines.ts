import { mkdir } from 'node:fs/promises';
import {
  connectEventStoreDb,
  EventCatalog,
  EventStore,
  openKeyring,
  PostgresEventLog,
  type EventLog,
} from '#platform/eventlog';
import {
  connectServer,
  Housekeeping,
  migrate,
  openEmbedded,
  vacuumTables,
  type Chore,
  type Database,
} from '#platform/postgres';
import { ProjectionHost } from '#platform/projections';
import type { Settings } from '#platform/settings';
import type { Logger } from '#platform/telemetry';
import { partsOf } from './contexts.js';

/** Shorter than any operation's deadline, so that a caller hears what is away instead of that time is up. */
const LOG_PATIENCE_MS = 2_000;

/** What the program stands on: where events are kept, where read models are, and what fills them. */
export interface Engines {
  readonly database: Database;
  readonly store: EventStore;
  readonly projections: ProjectionHost;
  /** Stops the projections, then closes the log, then the database. */
  close(): Promise<void>;
}

/** Opens the engines the settings name, brings the database to the newest shape and starts the projections. */
export async function openEngines(settings: Settings, logger: Logger): Promise<Engines> {
  const reportFailure = (name: string, error: unknown) =>
    logger.error({ err: error, name }, 'failed, and will be tried again');
  const opened: (() => Promise<void>)[] = [];
  // One that cannot be closed must not leave the others open.
  const close = async () => {
    for (const closing of opened.splice(0).reverse()) {
      await closing().catch((error: unknown) => logger.error({ err: error }, 'could not be closed'));
    }
  };
  try {
    await mkdir(settings.dataDir, { recursive: true, mode: 0o700 });
    const database = await openDatabase(settings);
    opened.push(() => database.close());
    await migrate(database);
    const log = await openLog(settings, database);
    opened.push(() => log.close());
    // Asked once, so that a wrong address is known at the start.
    await log.head();
    const keys = await openKeyring({ database, dataDir: settings.dataDir, masterKey: settings.masterKey });
    const store = new EventStore({ log, catalog: new EventCatalog(partsOf('events')), keys });
    const projections = new ProjectionHost({
      database,
      store,
      projections: partsOf('projections'),
      reactors: partsOf('reactors'),
      onFailure: reportFailure,
    });
    opened.push(() => projections.stop());
    await projections.start();
    const housekeeping = new Housekeeping(choresOf(database, log), reportFailure);
    opened.push(() => housekeeping.stop());
    housekeeping.start();
    return { database, store, projections, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function openDatabase({ databaseUrl, dataDir }: Settings): Promise<Database> {
  return databaseUrl === undefined ? openEmbedded({ dataDir }) : connectServer({ url: databaseUrl });
}

async function openLog({ eventStoreUrl }: Settings, database: Database): Promise<EventLog> {
  if (eventStoreUrl === undefined) {
    const own = new PostgresEventLog(database);
    await own.listen();
    return own;
  }
  return connectEventStoreDb({ url: eventStoreUrl, patienceMs: LOG_PATIENCE_MS });
}

/** A server's own processes vacuum it; EventStoreDB scavenges itself. */
function choresOf(database: Database, log: EventLog): Chore[] {
  return [
    ...(database.engine === 'embedded' ? [vacuumTables(database)] : []),
    ...(log instanceof PostgresEventLog ? [{ name: 'prune the log', run: () => log.prune() }] : []),
  ];
}
