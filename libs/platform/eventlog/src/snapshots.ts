import { createHash } from 'node:crypto';
import type { Decider, DomainEvent } from '#kernel';
import type { Database, Sql } from '#platform/postgres';
import { isJson } from './codec-json.js';

/** A stream folded up to one of its events. */
export interface Snapshot {
  /** Revision and id of the last event folded in. A log in which that event is another one does not go with it. */
  readonly revision: number;
  readonly eventId: string;
  readonly state: unknown;
  /** Whose sealed fields went into the state: it goes when one of them is erased. */
  readonly subjects: readonly string[];
}

/** Folded states of long streams. Only ever a shortcut: every answer is the same without them. */
export interface Snapshots {
  /** A new one is taken when this many events have come since the last. */
  readonly every: number;
  /** The last snapshot of a fold; undefined when there is none that can be used. Does not throw. */
  find(stream: string, fold: string): Promise<Snapshot | undefined>;
  /** Stores it in its own time; the caller goes on. */
  offer(stream: string, fold: string, snapshot: Snapshot): void;
  /** Drops one that does not go with the log. */
  discard(stream: string, fold: string): Promise<void>;
}

/** Names a fold: when its source text, its declared version or the upcasts before it change, old snapshots are not met. */
export function foldKey<State, Command, Event extends DomainEvent>(
  decider: Decider<State, Command, Event>,
  catalogFingerprint: string,
  foldVersion: number,
): string {
  const source = (name: 'initial' | 'evolve') => String(Reflect.get(decider, name));
  const text = JSON.stringify([foldVersion, catalogFingerprint, source('initial'), source('evolve')]);
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

export interface PostgresSnapshotsOptions {
  readonly database: Database;
  /** Default 100. */
  readonly every?: number;
  /** Told about each snapshot that could not be read or stored. */
  readonly onError?: (error: unknown, stream: string) => void;
}

interface Offer {
  readonly stream: string;
  readonly fold: string;
  readonly snapshot: Snapshot;
}

interface StateRow {
  readonly revision: string;
  readonly event_id: string;
  readonly state: string;
  readonly digest: string;
  readonly subjects: string[];
}

/** More streams than this waiting to be stored means the database cannot keep up: further ones are left out. */
const MAX_WAITING = 100;

/** Snapshots in a table beside the read models, stored one at a time at the lowest priority. */
export class PostgresSnapshots implements Snapshots {
  readonly every: number;
  /** How many could not be read or stored. */
  failures = 0;
  private readonly database: Database;
  private readonly onError: (error: unknown, stream: string) => void;
  private readonly waiting = new Map<string, Offer>();
  private storing: Promise<void> | undefined;

  constructor(options: PostgresSnapshotsOptions) {
    this.database = options.database;
    this.every = options.every ?? 100;
    this.onError = options.onError ?? (() => undefined);
  }

  async find(stream: string, fold: string): Promise<Snapshot | undefined> {
    try {
      const { rows } = await this.database.query<StateRow>(
        `select revision::text, event_id::text, state::text as state, digest, subjects
         from snapshots.states where stream = $1 and fold = $2`,
        [stream, fold],
      );
      const row = rows[0];
      if (row === undefined) return undefined;
      if (digestOf(row.state) !== row.digest)
        throw new Error(`The snapshot of ${stream} was changed after it was taken.`);
      const { event_id: eventId, subjects } = row;
      return { revision: Number(row.revision), eventId, state: JSON.parse(row.state), subjects };
    } catch (error) {
      this.failed(error, stream);
      return undefined;
    }
  }

  offer(stream: string, fold: string, snapshot: Snapshot): void {
    const key = JSON.stringify([stream, fold]);
    if (!this.waiting.has(key) && this.waiting.size >= MAX_WAITING) return;
    this.waiting.set(key, { stream, fold, snapshot });
    this.storing ??= this.storeAll();
  }

  async discard(stream: string, fold: string): Promise<void> {
    try {
      await this.database.query('delete from snapshots.states where stream = $1 and fold = $2', [stream, fold]);
    } catch (error) {
      this.failed(error, stream);
    }
  }

  /** Resolves when everything offered so far is stored or has failed. */
  async settled(): Promise<void> {
    await this.storing;
  }

  private async storeAll(): Promise<void> {
    for (const [key, offer] of this.waiting) {
      this.waiting.delete(key);
      try {
        await this.store(offer);
      } catch (error) {
        this.failed(error, offer.stream);
      }
    }
    this.storing = undefined;
  }

  private async store({ stream, fold, snapshot }: Offer): Promise<void> {
    const { revision, eventId, state, subjects } = snapshot;
    if (!isJson(state)) throw new Error(`The state of ${stream} is not plain JSON and cannot be kept as a snapshot.`);
    const text = JSON.stringify(state);
    await this.database.at('maintenance').transaction(async (tx) => {
      if (!(await holdKeys(tx, subjects))) return;
      await tx.query(
        `insert into snapshots.states (stream, fold, revision, event_id, state, digest, subjects)
         values ($1, $2, $3, $4, $5::json, $6, $7::text[])
         on conflict (stream, fold) do update set revision = excluded.revision, event_id = excluded.event_id,
           state = excluded.state, digest = excluded.digest, subjects = excluded.subjects, taken_at = now()
         where states.revision < excluded.revision`,
        [stream, fold, revision, eventId, text, digestOf(text), subjects],
      );
      await tx.query(
        `delete from snapshots.states where stream = $1 and fold <> $2 and taken_at < now() - interval '7 days'`,
        [stream, fold],
      );
    });
  }

  private failed(error: unknown, stream: string): void {
    this.failures += 1;
    this.onError(error, stream);
  }
}

/** Part of an erasure, inside its transaction. */
export async function forgetSnapshots(tx: Sql, subject: string): Promise<void> {
  await tx.query('delete from snapshots.states where subjects @> array[$1::text]', [subject]);
}

/**
 * False when one of the subjects has been erased. The rows stay locked until the snapshot is stored, so that an erasure
 * comes either before, and is seen, or after, and takes the snapshot with it.
 */
async function holdKeys(tx: Sql, subjects: readonly string[]): Promise<boolean> {
  if (subjects.length === 0) return true;
  const { rows } = await tx.query(
    'select subject from keys.data_keys where subject = any($1::text[]) and erased_at is null order by subject for share',
    [subjects],
  );
  return rows.length === subjects.length;
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
