import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isRefusal } from '#kernel';
import { migrations } from '#migrations';
import { connectServer, holdsDatabase, openEmbedded, type Database } from '#platform/postgres';
import type { Settings } from '#platform/settings';
import { ok, problem, warning, type Check, type Examined } from './check.js';

const TESTED_MAJOR = 18;

/** The database: asked directly, unless a server holds it, which is then asked itself. */
export async function checkDatabase({ settings, running }: Examined): Promise<Check[]> {
  const { dataDir, databaseUrl } = settings;
  if (running !== undefined) return [ok('database', `Embedded; held by the server at ${running}.`)];
  if (databaseUrl === undefined && !holdsDatabase(dataDir)) {
    return [ok('database', 'Embedded; it will be made at the first start.')];
  }
  let database: Database;
  try {
    database = databaseUrl === undefined ? await openEmbedded({ dataDir }) : await connectServer({ url: databaseUrl });
  } catch (error) {
    return [cannotOpen(error, databaseUrl !== undefined)];
  }
  try {
    return await checksOn(database, settings);
  } catch (error) {
    return [cannotOpen(error, databaseUrl !== undefined)];
  } finally {
    await database.close();
  }
}

async function checksOn(database: Database, settings: Settings): Promise<Check[]> {
  return [
    await checkVersion(database),
    await checkVector(database),
    await checkRights(database),
    await checkMigrations(database),
    ...(await checkMasterKey(database, settings)),
  ];
}

async function checkVersion(database: Database): Promise<Check> {
  const version = await valueOf<string>(database, `select current_setting('server_version') as value`);
  const which = database.engine === 'embedded' ? 'Embedded, free' : 'Reached at DATABASE_URL';
  const message = `${which}; Postgres ${version}.`;
  if (Number.parseInt(version, 10) >= TESTED_MAJOR) return ok('database', message);
  return warning('database', message, `It is tested on Postgres ${TESTED_MAJOR}: use that or a newer one.`);
}

async function checkVector(database: Database): Promise<Check> {
  const version = await valueOf<string | null>(
    database,
    `select (select default_version from pg_available_extensions where name = 'vector') as value`,
  );
  if (version !== null) return ok('pgvector', `pgvector ${version} is available.`);
  return warning(
    'pgvector',
    'pgvector is not available on the database server.',
    'Install it there: search by meaning needs it.',
  );
}

async function checkRights(database: Database): Promise<Check> {
  const may = await valueOf<boolean>(database, `select has_database_privilege(current_database(), 'create') as value`);
  if (may) return ok('database rights', 'Schemas can be made.');
  return problem(
    'database rights',
    'The user of DATABASE_URL may not make schemas.',
    'As an administrator, grant it CREATE on the database.',
  );
}

async function checkMigrations(database: Database): Promise<Check> {
  const known = migrations.map(({ name }) => name);
  const isThere = await valueOf<boolean>(database, `select to_regclass('migrations') is not null as value`);
  const { rows } = isThere ? await database.query<{ name: string }>('select name from migrations') : { rows: [] };
  const ran = new Set(rows.map(({ name }) => name));
  const newer = [...ran].filter((name) => !known.includes(name));
  if (newer.length > 0) {
    return problem(
      'migrations',
      `The database has been through ${newer.join(', ')}, which this version does not know.`,
      'Start the newer version that made them.',
    );
  }
  const open = known.filter((name) => !ran.has(name));
  if (open.length === 0) return ok('migrations', `All ${known.length} have been run.`);
  return ok('migrations', `${ran.size} of ${known.length} have been run; the next start runs the rest.`);
}

/** Without the master key, what is sealed stays sealed. */
async function checkMasterKey(database: Database, { dataDir, masterKey }: Settings): Promise<Check[]> {
  const path = join(dataDir, 'master.key');
  if (masterKey !== undefined || existsSync(path)) return [];
  const isThere = await valueOf<boolean>(database, `select to_regclass('keys.data_keys') is not null as value`);
  const sealed = isThere && (await valueOf<boolean>(database, 'select exists (select 1 from keys.data_keys) as value'));
  if (!sealed) return [];
  return [
    problem(
      'master key',
      `Sealed text exists, but there is no master key at ${path}.`,
      'Put the file back, or set MASTER_KEY.',
    ),
  ];
}

function cannotOpen(error: unknown, onServer: boolean): Check {
  if (isRefusal(error, 'DATA_DIR_HELD')) {
    return problem(
      'database',
      error.message.replace(/;.*$/, '.'),
      'It does not answer: wait until it has started or ended, or stop it.',
    );
  }
  if (onServer && isRefusal(error)) {
    return problem('database', 'The server of DATABASE_URL cannot be reached.', 'Start it, or correct DATABASE_URL.');
  }
  const reason = error instanceof Error ? error.message : String(error);
  if (onServer) return problem('database', `The server of DATABASE_URL refuses: ${reason}.`, 'Correct DATABASE_URL.');
  return problem('database', `The embedded database does not open: ${reason}.`, 'Restore DATA_DIR from a backup.');
}

async function valueOf<T>(database: Database, text: string): Promise<T> {
  const { rows } = await database.query<{ value: T }>(text);
  const [row] = rows;
  if (row === undefined) throw new Error('the database gave no answer');
  return row.value;
}
