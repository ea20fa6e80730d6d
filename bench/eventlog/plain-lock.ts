import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { freshStream, SAMPLE } from './sample-events.js';

const SETUP = `
  create sequence plain_position;
  create table plain_events (
    position bigint primary key default nextval('plain_position'),
    stream text collate "C" not null,
    revision bigint not null,
    id uuid not null,
    type text collate "C" not null,
    data json not null,
    metadata json not null,
    recorded_at timestamptz not null default clock_timestamp()
  );
  create unique index on plain_events (stream, revision);
  create index on plain_events (id)`;

const INSERT = `
  insert into plain_events (stream, revision, id, type, data, metadata)
  select $1, coalesce(max(revision), -1) + 1, $2, $3, $4, $5 from plain_events where stream = $1`;

/** What one would write first: a transaction per append that holds one lock; a connection per writer; the same table. */
export class PlainLock {
  private readonly data = JSON.stringify(SAMPLE.data);
  private readonly metadata = JSON.stringify(SAMPLE.metadata);

  private constructor(
    private readonly pool: pg.Pool,
    private readonly idle: pg.PoolClient[],
  ) {}

  static async open(url: string, writers: number): Promise<PlainLock> {
    const pool = new pg.Pool({ connectionString: url, max: writers });
    await pool.query(SETUP);
    return new PlainLock(pool, await Promise.all(Array.from({ length: writers }, () => pool.connect())));
  }

  async append(): Promise<void> {
    const client = this.idle.pop();
    if (!client) throw new Error('There are more writers than connections.');
    try {
      const stream = freshStream();
      await client.query('begin');
      await client.query('select pg_advisory_xact_lock(7801)');
      await client.query(INSERT, [stream, randomUUID(), SAMPLE.type, this.data, this.metadata]);
      await client.query('commit');
    } finally {
      this.idle.push(client);
    }
  }

  async close(): Promise<void> {
    for (const client of this.idle.splice(0)) client.release();
    await this.pool.end();
  }
}
