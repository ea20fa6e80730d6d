import { setTimeout as sleep } from 'node:timers/promises';
import { isRefusal } from '#kernel';
import type { Database, SqlValue } from '#platform/postgres';
import { AppendQueue } from './append-queue.js';
import type {
  Appended,
  Batch,
  EventLog,
  ExpectedRevision,
  JsonObject,
  NewEvent,
  ReadAllOptions,
  ReadStreamOptions,
  StoredEvent,
  StreamRetention,
  SubscribeOptions,
} from './event-log.js';
import { checkAppend, refuseLog, wrongRevision } from './event-log.errors.js';
import { partsOf, positionOf, START, type Position } from './position.js';
import { Signal } from './signal.js';

const PAGE = 500;
const MOST = BigInt(Number.MAX_SAFE_INTEGER);
/** How long a reader sleeps when nobody wakes it: other processes may have written. */
const IDLE_MS = 500;
const BACKOFF_MS = { first: 100, most: 5_000 };

const COLUMNS = 'e.position, e.stream, e.revision, e.id, e.type, e.data, e.metadata, e.recorded_at';

interface EventRow {
  readonly position: number;
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly data: JsonObject;
  readonly metadata: JsonObject;
  readonly recorded_at: Date;
}

interface StreamRow {
  readonly max_age_seconds: number | null;
  readonly max_count: number | null;
  readonly tombstoned: boolean;
}

const NO_RULES: StreamRow = { max_age_seconds: null, max_count: null, tombstoned: false };

/** The event log in Postgres, embedded or on a server. */
export class PostgresEventLog implements EventLog {
  private readonly appends: AppendQueue;
  private readonly written = new Signal();
  private listening?: () => Promise<void>;

  constructor(private readonly database: Database) {
    this.appends = new AppendQueue(database.at('append'), () => this.written.fire());
  }

  /** Hears at once what other processes append; without it, within half a second. */
  async listen(): Promise<void> {
    this.listening = await this.database.listen('eventlog', () => this.written.fire());
  }

  async append(
    stream: string,
    events: readonly NewEvent[],
    expected: ExpectedRevision,
    signal?: AbortSignal,
  ): Promise<Appended> {
    const texts = checkAppend(stream, events, expected, signal);
    return reach(() => this.appends.add(stream, events, texts, expected));
  }

  async *readStream(stream: string, options: ReadStreamOptions = {}): AsyncIterable<StoredEvent> {
    const backward = options.direction === 'backward';
    let from = options.from ?? (backward ? Number.MAX_SAFE_INTEGER : 0);
    let left = options.limit ?? Infinity;
    let rules: StreamRow | undefined;
    while (left > 0 && from >= 0) {
      const size = Math.min(PAGE, left);
      let page = await this.streamPage(stream, backward, from, size, rules);
      // Most streams that are read before a decision are new: what is not there needs no rules.
      if (!rules && page.length > 0) {
        rules = await this.streamRow(stream);
        if (rules.tombstoned) return;
        if (hides(rules)) page = await this.streamPage(stream, backward, from, size, rules);
      }
      yield* page;
      const last = page.at(-1);
      if (!last || page.length < size) return;
      from = last.revision + (backward ? -1 : 1);
      left -= page.length;
    }
  }

  async *readAll(options: ReadAllOptions = {}): AsyncIterable<StoredEvent> {
    const backward = options.direction === 'backward';
    const head = numberOf(await this.head());
    let after = options.after === undefined ? (backward ? head + 1 : 0) : numberOf(options.after);
    let left = options.limit ?? Infinity;
    while (left > 0) {
      const size = Math.min(PAGE, left);
      const page = await this.rows(
        `select ${COLUMNS} from eventlog.events e
         where e.position ${backward ? '<' : '>'} $1 and e.position <= $2 and ($3::text[] is null or e.type = any ($3))
         order by e.position ${backward ? 'desc' : 'asc'} limit $4`,
        [after, head, options.types ?? null, size],
      );
      yield* page;
      const last = page.at(-1);
      if (!last || page.length < size) return;
      after = numberOf(last.position);
      left -= page.length;
    }
  }

  async *subscribe(options: SubscribeOptions): AsyncIterable<Batch> {
    const { signal } = options;
    let after = options.after ?? START;
    let announced = false;
    let failures = 0;
    while (!signal.aborted) {
      const seen = this.written.count;
      try {
        const batch = await this.batchAfter(after, options);
        failures = 0;
        if (batch.through > after || (batch.caughtUp && !announced)) {
          after = batch.through;
          announced = batch.caughtUp;
          yield batch;
        }
        if (batch.caughtUp) await this.written.after(seen, IDLE_MS, signal);
      } catch (error) {
        if (signal.aborted) return;
        if (!isRefusal(error, 'LOG_UNAVAILABLE')) throw error;
        failures += 1;
        // Whoever was told of the failure hears that it is over, even if nothing was written meanwhile.
        announced = false;
        options.onReconnect?.(error, failures);
        await pause(
          Math.min(BACKOFF_MS.first * 2 ** (failures - 1), BACKOFF_MS.most) * (0.5 + Math.random() / 2),
          signal,
        );
      }
    }
  }

  async head(): Promise<Position> {
    const { rows } = await reach(() =>
      this.database.query<{ head: number | null }>('select max(position) as head from eventlog.events'),
    );
    const head = rows[0]?.head;
    return head ? positionOf(BigInt(head)) : START;
  }

  async countAfter(position: Position, limit: number): Promise<number> {
    const { rows } = await reach(() =>
      this.database.query<{ count: number }>(
        'select count(*) from (select 1 from eventlog.events where position > $1 limit $2) as later',
        [numberOf(position), limit],
      ),
    );
    return rows[0]?.count ?? 0;
  }

  async setRetention(stream: string, retention: StreamRetention): Promise<void> {
    await reach(() =>
      this.database.query(
        `insert into eventlog.streams (stream, max_age_seconds, max_count) values ($1, $2, $3)
         on conflict (stream) do update set max_age_seconds = excluded.max_age_seconds, max_count = excluded.max_count`,
        [stream, retention.maxAgeSeconds ?? null, retention.maxCount ?? null],
      ),
    );
  }

  async retentionOf(stream: string): Promise<StreamRetention> {
    const row = await this.streamRow(stream);
    return {
      ...(row.max_age_seconds === null ? {} : { maxAgeSeconds: row.max_age_seconds }),
      ...(row.max_count === null ? {} : { maxCount: row.max_count }),
    };
  }

  async tombstone(stream: string, expected: ExpectedRevision): Promise<void> {
    const { rows } = await reach(() =>
      this.database
        .at('append')
        .query<{ outcome: string; revision: number }>('select * from eventlog.tombstone($1, $2)', [
          stream,
          typeof expected === 'number' ? expected : { none: -1, any: -2, exists: -3 }[expected],
        ]),
    );
    const found = rows[0];
    if (found?.outcome === 'tombstoned') throw refuseLog('STREAM_TOMBSTONED', { stream });
    if (found?.outcome === 'conflict')
      throw wrongRevision(stream, expected, found.revision < 0 ? 'none' : found.revision);
  }

  /** Removes what retention and tombstones have hidden. Gives the number of events removed. */
  async prune(): Promise<number> {
    const { rows } = await reach(() =>
      this.database.at('maintenance').query<{ prune: number }>('select eventlog.prune()'),
    );
    return rows[0]?.prune ?? 0;
  }

  async close(): Promise<void> {
    await this.listening?.();
  }

  /** One page, and how far the log had got when it was read: both from one snapshot. */
  private async batchAfter(after: Position, options: SubscribeOptions): Promise<Batch> {
    const size = options.batchSize ?? PAGE;
    const { rows } = await reach(() =>
      this.database.at('projection').query<EventRow & { head: number }>(
        `with head as materialized (select coalesce(max(position), 0) as head from eventlog.events)
         select h.head, e.* from head h left join lateral (
           select ${COLUMNS} from eventlog.events e
           where e.position > $1 and e.position <= h.head and ($2::text[] is null or e.type = any ($2))
           order by e.position limit $3) e on true`,
        [numberOf(after), options.types ?? null, size],
      ),
    );
    const events = rows.filter((row) => row.id !== null).map(toStored);
    const head = positionOf(BigInt(rows[0]?.head ?? 0));
    const full = events.length === size;
    const through = full ? (events.at(-1)?.position ?? head) : head;
    return { events, through: through > after ? through : after, caughtUp: !full };
  }

  private async rows(text: string, values: readonly SqlValue[]): Promise<StoredEvent[]> {
    const { rows } = await reach(() => this.database.query<EventRow>(text, values));
    return rows.map(toStored);
  }

  private streamPage(
    stream: string,
    backward: boolean,
    from: number,
    size: number,
    rules: StreamRow = NO_RULES,
  ): Promise<StoredEvent[]> {
    const order = backward ? 'desc' : 'asc';
    const where = `e.stream = $1 and e.revision ${backward ? '<=' : '>='} $2`;
    if (!hides(rules)) {
      return this.rows(
        `select ${COLUMNS} from eventlog.events e where ${where} order by e.revision ${order} limit $3`,
        [stream, from, size],
      );
    }
    return this.rows(
      `select ${COLUMNS} from eventlog.events e where ${where}
         and ($3::bigint is null or e.recorded_at > clock_timestamp() - $3 * interval '1 second')
         and ($4::bigint is null or e.revision > (select max(l.revision) from eventlog.events l where l.stream = $1) - $4)
       order by e.revision ${order} limit $5`,
      [stream, from, rules.max_age_seconds, rules.max_count, size],
    );
  }

  private async streamRow(stream: string): Promise<StreamRow> {
    const { rows } = await reach(() =>
      this.database.query<StreamRow>(
        'select max_age_seconds, max_count, tombstoned from eventlog.streams where stream = $1',
        [stream],
      ),
    );
    return rows[0] ?? NO_RULES;
  }
}

function toStored(row: EventRow): StoredEvent {
  return {
    id: row.id,
    type: row.type,
    data: row.data,
    metadata: row.metadata,
    stream: row.stream,
    revision: row.revision,
    position: positionOf(BigInt(row.position)),
    recordedAt: row.recorded_at,
  };
}

/** Whether some events of the stream may be over. */
function hides({ max_age_seconds, max_count }: StreamRow): boolean {
  return max_age_seconds !== null || max_count !== null;
}

function numberOf(position: Position): number {
  const [number = 0n, ...others] = partsOf(position);
  if (others.length > 0) throw refuseLog('FOREIGN_POSITION', { position });
  // Whatever is beyond what the log can count to is beyond its end.
  return number > MOST ? Number(MOST) : Number(number);
}

/** A database that is away is a log that is away. */
async function reach<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isRefusal(error, 'DATABASE_UNAVAILABLE')) throw refuseLog('LOG_UNAVAILABLE', {}, undefined, error);
    throw error;
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  // An abort ends the pause early; the loop that pauses looks at the signal itself.
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
