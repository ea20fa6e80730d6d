import { randomUUID } from 'node:crypto';
import pg from 'pg';

/** A database of the bench's own on the real server. */
export interface ServerDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** The real server: scripts/engines.mjs starts one and names it. */
export function serverUrl(): string {
  const url = process.env['TEST_DATABASE_URL'];
  if (!url) throw new Error('TEST_DATABASE_URL names no server: run this by npm run bench.');
  return url;
}

export async function createDatabase(): Promise<ServerDatabase> {
  const name = `bench_${randomUUID().replaceAll('-', '')}`;
  await onServer(`create database ${name}`);
  return {
    url: Object.assign(new URL(serverUrl()), { pathname: `/${name}` }).toString(),
    drop: async () => {
      await onServer(`drop database ${name} with (force)`);
    },
  };
}

/** What the numbers hang on; refuses a server that does not write to the disk what it acknowledges. */
export async function describeServer(): Promise<string> {
  const [row] = await onServer<{ version: string; fsync: string; synchronous: string }>(
    `select current_setting('server_version') as version, current_setting('fsync') as fsync,
            current_setting('synchronous_commit') as synchronous`,
  );
  if (row?.fsync !== 'on' || row.synchronous !== 'on') {
    throw new Error('The server runs with fsync or synchronous_commit off: its numbers would mean nothing.');
  }
  return `Postgres ${row.version}, fsync ${row.fsync}, synchronous_commit ${row.synchronous}`;
}

async function onServer<Row extends object>(statement: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: serverUrl() });
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}
