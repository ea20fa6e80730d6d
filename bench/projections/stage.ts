import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { holdingsEvents, holdingsProjections } from '#contexts/holdings';
import { EventCatalog, EventStore, openKeyring, PostgresEventLog, type Keyring } from '#platform/eventlog';
import { connectServer, migrate, openEmbedded, type Database } from '#platform/postgres';
import { ProjectionHost, type Projection } from '#platform/projections';
import { createDatabase } from '../server.js';

/** Where a stage's database is, in words that another process understands. */
export interface Place {
  readonly engine: 'embedded' | 'server';
  readonly dataDir: string;
  readonly url?: string;
}

/** A log and what projections need, on one engine. */
export interface Stage {
  readonly database: Database;
  readonly store: EventStore;
  readonly keys: Keyring;
  close(): Promise<void>;
}

const MASTER_KEY = '5c'.repeat(32);

/** The projection that is measured: a real one. */
export const PROJECTION = holdingsProjections.find(({ name }) => name === 'containers') as Projection;

/** A new database on the engine, for as long as the body runs. */
export async function withPlace<T>(engine: Place['engine'], body: (place: Place) => Promise<T>): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), 'scriptorium-bench-'));
  const server = engine === 'server' ? await createDatabase() : undefined;
  try {
    return await body({ engine, dataDir, ...(server ? { url: server.url } : {}) });
  } finally {
    await server?.drop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

export async function openStage({ dataDir, url }: Place): Promise<Stage> {
  const database = url === undefined ? await openEmbedded({ dataDir }) : await connectServer({ url });
  await migrate(database);
  return { database, ...(await openStore(database)), close: () => database.close() };
}

/** A store that has no data key in memory yet, as after a start. */
export async function openStore(database: Database): Promise<{ store: EventStore; keys: Keyring }> {
  const keys = await openKeyring({ database, dataDir: tmpdir(), masterKey: MASTER_KEY });
  const log = new PostgresEventLog(database);
  return { store: new EventStore({ log, catalog: new EventCatalog(holdingsEvents), keys }), keys };
}

/** A host of the projection. Another version than that of the live build makes it rebuild at its start. */
export function hostOn(
  { database, store }: Omit<Stage, 'keys' | 'close'>,
  version = PROJECTION.version,
): ProjectionHost {
  return new ProjectionHost({
    database,
    store,
    projections: [{ ...PROJECTION, version }],
    onFailure: (name, error) => console.error(`${name} failed`, error),
  });
}

/** Forgets every build of the projection, as if it had never run. */
export async function forgetBuilds({ database }: Stage): Promise<void> {
  const { rows } = await database.query<{ version: number }>('select version from projections.builds');
  for (const { version } of rows) await database.query(`drop schema "${PROJECTION.name}_v${version}" cascade`);
  await database.query('delete from projections.builds');
}
