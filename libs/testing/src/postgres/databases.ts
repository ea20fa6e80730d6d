import { createHash, randomUUID } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { connectServer, migrate, openEmbedded, type Database } from '#platform/postgres';

/** A database of one test's own; `close` also removes it. */
export interface TestDatabase {
  readonly database: Database;
  /** The data folder, for embedded ones. */
  readonly dataDir?: string;
  readonly url?: string;
  readonly close: () => Promise<void>;
}

const CACHE = resolve('.cache/embedded');

/** A fresh data folder with a migrated database in it: copied from a prepared one, which takes a fraction of the time. */
export async function preparedDataDir(): Promise<string> {
  const prepared = join(CACHE, await fingerprint());
  if (!(await exists(prepared))) await prepare(prepared);
  const dataDir = await mkdtemp(join(tmpdir(), 'scriptorium-test-'));
  await cp(prepared, dataDir, { recursive: true });
  return dataDir;
}

/** An embedded, migrated database in a folder of its own. */
export async function embeddedDatabase(): Promise<TestDatabase> {
  const dataDir = await preparedDataDir();
  const database = await openEmbedded({ dataDir });
  return {
    database,
    dataDir,
    close: async () => {
      await database.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** A migrated database of its own on the real server that TEST_DATABASE_URL names. */
export async function serverDatabase(): Promise<TestDatabase> {
  const server = process.env['TEST_DATABASE_URL'];
  if (!server) throw new Error('TEST_DATABASE_URL names no server: run these suites with `npm run test:engines`.');
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await onServer(server, `create database ${name}`);
  const url = Object.assign(new URL(server), { pathname: `/${name}` }).toString();
  const database = await connectServer({ url });
  await migrate(database);
  return {
    database,
    url,
    close: async () => {
      await database.close();
      await onServer(server, `drop database ${name} with (force)`);
    },
  };
}

async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Test workers may race here: each prepares aside, the first to finish wins. */
async function prepare(target: string): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const draft = await mkdtemp(join(CACHE, 'draft-'));
  const database = await openEmbedded({ dataDir: draft });
  await migrate(database);
  await database.close();
  await rename(draft, target).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    await rm(draft, { recursive: true, force: true });
  });
}

/** Changes whenever the engine or a migration does. */
async function fingerprint(): Promise<string> {
  const hash = createHash('sha256').update(await readFile('package-lock.json'));
  for (const file of (await readdir('migrations')).sort()) hash.update(await readFile(join('migrations', file)));
  return hash.digest('hex').slice(0, 16);
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
