import type { Position, StoredEvent } from '#platform/eventlog';
import type { Sql } from '#platform/postgres';
import type { ParkedEvent } from './status.js';

/** Which run of events: a build of a projection, or a reactor (version 0). */
export interface RunKey {
  readonly name: string;
  readonly version: number;
}

/** Puts an event aside with its error. */
export async function park(tx: Sql, run: RunKey, event: StoredEvent, error: unknown): Promise<void> {
  await insertParked(tx, run, event, describe(error), false);
}

/** Puts an event aside because one of its stream is parked before it: replayed, they must come in order. */
export async function parkBehind(tx: Sql, run: RunKey, event: StoredEvent): Promise<void> {
  await insertParked(tx, run, event, 'An earlier event of this stream is parked.', true);
}

/** The parked events of a run, oldest first. */
export async function parkedOf(sql: Sql, run: RunKey): Promise<ParkedEvent[]> {
  const { rows } = await sql.query<Omit<ParkedEvent, 'parkedAt'> & { parked_at: Date }>(
    `select event_id as id, stream, revision, position, type, error, behind, attempts, parked_at
     from projections.parked where name = $1 and version = $2 order by position`,
    [run.name, run.version],
  );
  return rows.map(({ parked_at, ...parked }) => ({ ...parked, parkedAt: parked_at }));
}

export async function unpark(tx: Sql, run: RunKey, position: Position): Promise<void> {
  await tx.query('delete from projections.parked where name = $1 and version = $2 and position = $3', [
    run.name,
    run.version,
    position,
  ]);
}

export async function failedAgain(sql: Sql, run: RunKey, position: Position, error: unknown): Promise<void> {
  await sql.query(
    `update projections.parked set error = $4, behind = false, attempts = attempts + 1
     where name = $1 and version = $2 and position = $3`,
    [run.name, run.version, position, describe(error)],
  );
}

async function insertParked(tx: Sql, run: RunKey, event: StoredEvent, error: string, behind: boolean): Promise<void> {
  await tx.query(
    `insert into projections.parked (name, version, position, event_id, stream, revision, type, error, behind)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict (name, version, position) do nothing`,
    [run.name, run.version, event.position, event.id, event.stream, event.revision, event.type, error, behind],
  );
}

function describe(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 500);
}
