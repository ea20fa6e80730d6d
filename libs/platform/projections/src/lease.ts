import type { Database, Sql } from '#platform/postgres';
import { refuseProjection } from './projection.errors.js';

export const LEASE_SECONDS = 10;

/** The right to look after one projection or reactor. Its token grows with every new owner. */
export interface Lease {
  readonly name: string;
  readonly token: number;
}

/**
 * Takes the lease when nobody has it, or its owner let it run out, or when it is still the one that this very keeper had
 * `before` and could not give back. An embedded database belongs to one process: whoever else holds a lease in it is dead,
 * and is not waited for.
 */
export async function acquireLease(
  database: Database,
  name: string,
  owner: string,
  before?: Lease,
): Promise<Lease | undefined> {
  const { rows } = await database.query<{ token: number }>(
    `insert into projections.leases as l (name, owner, token, expires_at)
     values ($1, $2, 1, clock_timestamp() + $3 * interval '1 second')
     on conflict (name) do update
       set owner = excluded.owner, token = l.token + 1, expires_at = excluded.expires_at
       where l.expires_at < clock_timestamp() or l.token = $5 or ($4 and l.owner <> excluded.owner)
     returning l.token`,
    [name, owner, LEASE_SECONDS, database.engine === 'embedded', before?.token ?? null],
  );
  return rows[0] && { name, token: rows[0].token };
}

/** Prolongs the lease; false when another owner has it. */
export async function renewLease(database: Database, lease: Lease): Promise<boolean> {
  const { rowCount } = await database.query(
    `update projections.leases set expires_at = clock_timestamp() + $3 * interval '1 second' where name = $1 and token = $2`,
    [lease.name, lease.token, LEASE_SECONDS],
  );
  return rowCount === 1;
}

export async function releaseLease(database: Database, lease: Lease): Promise<void> {
  await database.query('update projections.leases set expires_at = clock_timestamp() where name = $1 and token = $2', [
    lease.name,
    lease.token,
  ]);
}

/**
 * Fences a transaction: it commits only while the lease is still this owner's. The shared row lock makes a new owner wait
 * for that commit, so a paused old owner can never write after the new one has begun.
 */
export async function fence(tx: Sql, lease: Lease): Promise<void> {
  const { rows } = await tx.query<{ token: number }>('select token from projections.leases where name = $1 for share', [
    lease.name,
  ]);
  if (rows[0]?.token !== lease.token) throw refuseProjection('LEASE_LOST', { name: lease.name });
}
