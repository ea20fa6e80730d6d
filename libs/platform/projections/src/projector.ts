import { setTimeout as sleep } from 'node:timers/promises';
import { isRefusal } from '#kernel';
import { Signal, START, type Batch, type EventStore, type Position, type StoredEvent } from '#platform/eventlog';
import type { Database, Sql } from '#platform/postgres';
import { saveCheckpoint, schemaOf, type Build } from './builds.js';
import { fence, type Lease } from './lease.js';
import { failedAgain, park, parkBehind, parkedOf, unpark } from './parking.js';
import { isAway, refuseProjection } from './projection.errors.js';
import type { Projection } from './projection.js';
import { RowBuffer } from './row-buffer.js';

const READ_AHEAD = 1_000;
/** One transaction should last no longer: it holds the embedded engine's only session, but one of many on a server. */
const BATCH_MS = { embedded: 40, server: 250 };
const BATCH = { first: 100, least: 10, most: 5_000 };
/** How often it is written down that events of no concern were passed over. */
const PASSED_MS = { embedded: 1_000, server: 0 };
/**
 * How long to let more events gather before looking again, unless somebody waits for them: where one session serves all,
 * a command would otherwise wait for the projection of the one before it.
 */
const GATHER_MS = { embedded: 20, server: 0 };
const RETRY_MS = { first: 100, most: 5_000 };

/** Folds events into the tables of one build: rows and checkpoint in one transaction, fenced by the lease. */
export class Projector {
  readonly moved = new Signal();
  /** Events taken in by this process. */
  processed = 0;
  /** Why the last batch failed, while it is being tried again. */
  failure?: string;
  private batchSize = BATCH.first;
  private at: Position;
  private blocked?: Set<string>;
  private awaited: Position = START;
  private readonly hurried = new Signal();
  private savedAt = Number.NEGATIVE_INFINITY;
  private following?: Promise<void>;

  constructor(
    private readonly database: Database,
    private readonly store: EventStore,
    private readonly projection: Projection,
    readonly build: Build,
    private readonly lease: Lease,
  ) {
    this.at = build.position;
  }

  get position(): Position {
    return this.at;
  }

  /** Somebody waits for this position: from now on it is not put off. */
  hurryTo(position: Position): void {
    if (position <= this.awaited) return;
    this.awaited = position;
    this.hurried.fire();
  }

  /** Follows the log until the signal aborts. */
  follow(signal: AbortSignal): Promise<void> {
    this.following = this.run(signal).catch((error: unknown) => {
      if (!signal.aborted || isRefusal(error, 'LEASE_LOST')) throw error;
    });
    return this.following;
  }

  /** Resolves when it follows no more, however that ended. */
  async settled(): Promise<void> {
    await this.following?.catch(() => undefined);
  }

  /** Takes in everything up to a position and stops exactly there, or before it when the signal aborts. */
  async advanceTo(target: Position, signal: AbortSignal): Promise<void> {
    await this.catchUp(target, signal).catch((error: unknown) => {
      if (!signal.aborted || isRefusal(error, 'LEASE_LOST')) throw error;
    });
  }

  private async catchUp(target: Position, signal: AbortSignal): Promise<void> {
    if (this.at >= target) return;
    let batch: StoredEvent[] = [];
    for await (const event of this.store.log.readAll({ after: this.at, types: this.projection.handles })) {
      if (event.position > target) break;
      batch.push(event);
      if (batch.length < READ_AHEAD) continue;
      await this.take(batch, event.position, signal);
      if (signal.aborted) return;
      batch = [];
    }
    await this.take(batch, target, signal);
  }

  /** Tries parked events again, each stream in order; a stream stops at its first failure. */
  async replay(eventId?: string): Promise<{ replayed: number; stillParked: number }> {
    const parked = await parkedOf(this.database, this.build);
    const stream = parked.find(({ id }) => id === eventId)?.stream;
    if (eventId !== undefined && stream === undefined)
      throw refuseProjection('EVENT_NOT_PARKED', { event_id: eventId });
    const stuck = new Set<string>();
    let replayed = 0;
    // To be read anew, however far this gets.
    this.blocked = undefined;
    for (const entry of parked) {
      if (stuck.has(entry.stream) || (eventId !== undefined && entry.stream !== stream)) continue;
      if (await this.replayOne(entry.stream, entry.revision, entry.position)) replayed += 1;
      else stuck.add(entry.stream);
    }
    return { replayed, stillParked: parked.length - replayed };
  }

  private async run(signal: AbortSignal): Promise<void> {
    const subscription = this.store.log.subscribe({
      after: this.at,
      types: this.projection.handles,
      batchSize: READ_AHEAD,
      signal,
      onReconnect: (error) => (this.failure = String(error)),
    });
    for await (const batch of readAhead(subscription)) {
      await this.take(batch.events, batch.through, signal);
      if (batch.caughtUp) await this.gather(signal);
      if (signal.aborted) return;
    }
  }

  private async gather(signal: AbortSignal): Promise<void> {
    const seen = this.hurried.count;
    const ms = GATHER_MS[this.database.engine];
    if (ms > 0 && this.at >= this.awaited) await this.hurried.after(seen, ms, signal);
  }

  private async take(events: readonly StoredEvent[], through: Position, signal: AbortSignal): Promise<void> {
    let from = 0;
    do {
      const slice = events.slice(from, from + this.batchSize);
      from += slice.length;
      const last = from >= events.length ? through : (slice.at(-1)?.position ?? through);
      if (slice.length > 0 || this.owesCheckpoint()) await this.persist(slice, last, signal);
      this.processed += slice.length;
      this.at = last;
      this.moved.fire();
    } while (from < events.length && !signal.aborted);
  }

  /** Writes a slice, tries again while the database is away, and finds the poison when it is the events' fault. */
  private async persist(events: readonly StoredEvent[], through: Position, signal: AbortSignal): Promise<void> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        await this.write(events, through);
        this.failure = undefined;
        return;
      } catch (error) {
        if (isRefusal(error, 'LEASE_LOST')) throw error;
        if (!isAway(error)) return this.writeSingly(events, through, signal);
        this.failure = String(error);
        await sleep(Math.min(RETRY_MS.first * 2 ** attempt, RETRY_MS.most), undefined, { signal });
      }
    }
  }

  private async write(events: readonly StoredEvent[], through: Position): Promise<void> {
    const blocked = await this.blockedStreams();
    const opened = await this.store.open(events.filter((event) => !blocked.has(event.stream)));
    // Folded before the transaction begins, which then lasts no longer than its statements do. Nobody else writes these
    // tables while the lease is held, and when it is not, the fence refuses whatever was folded.
    const rows = new RowBuffer(this.database, schemaOf(this.build), this.projection.tables);
    for (const event of opened) {
      // Most folds need nothing looked up: a turn of the event loop for each event would cost as much as the fold.
      const looking = this.projection.apply(event, rows);
      if (looking) await looking;
    }
    const started = performance.now();
    await this.inTransaction(through, async (tx) => {
      for (const event of events) if (blocked.has(event.stream)) await parkBehind(tx, this.build, event);
      await rows.flush(tx);
    });
    this.adapt(events.length, performance.now() - started);
  }

  /** One event a transaction: those that fail are parked, the rest go on. */
  private async writeSingly(events: readonly StoredEvent[], through: Position, signal: AbortSignal): Promise<void> {
    for (const event of events) {
      try {
        await this.write([event], event.position);
      } catch (error) {
        if (isRefusal(error, 'LEASE_LOST') || isAway(error)) throw error;
        await this.inTransaction(event.position, (tx) => park(tx, this.build, event, error));
        this.blocked?.add(event.stream);
      }
      // Not a return: whoever called would take the rest of the events for written.
      signal.throwIfAborted();
    }
    await this.inTransaction(through, () => Promise.resolve());
  }

  private async replayOne(stream: string, revision: number, position: Position): Promise<boolean> {
    try {
      for await (const event of this.store.log.readStream(stream, { from: revision, limit: 1 })) {
        if (event.revision !== revision) break;
        const opened = await this.store.open([event]);
        await this.database.transaction(async (tx) => {
          await fence(tx, this.lease);
          const rows = new RowBuffer(tx, schemaOf(this.build), this.projection.tables);
          for (const each of opened) await this.projection.apply(each, rows);
          await rows.flush(tx);
          await unpark(tx, this.build, position);
        });
        return true;
      }
      // The stream's own retention removed it: there is nothing left to replay.
      await unpark(this.database, this.build, position);
      return true;
    } catch (error) {
      if (isRefusal(error, 'LEASE_LOST') || isAway(error)) throw error;
      await failedAgain(this.database, this.build, position, error);
      return false;
    }
  }

  private async inTransaction(through: Position, body: (tx: Sql) => Promise<void>): Promise<void> {
    await this.database.transaction(async (tx) => {
      await fence(tx, this.lease);
      await body(tx);
      await saveCheckpoint(tx, this.build.name, this.build.version, through);
    });
    this.savedAt = performance.now();
  }

  /**
   * Passing over events leaves no rows, so after a crash it can be done again; but other processes wait for the checkpoint
   * they read. The embedded engine has no other process, and one session: a transaction at every append would hold it.
   */
  private owesCheckpoint(): boolean {
    return performance.now() - this.savedAt >= PASSED_MS[this.database.engine];
  }

  private async blockedStreams(): Promise<Set<string>> {
    this.blocked ??= new Set((await parkedOf(this.database, this.build)).map(({ stream }) => stream));
    return this.blocked;
  }

  private adapt(events: number, ms: number): void {
    if (events < this.batchSize / 2) return;
    const ideal = Math.round(events * (BATCH_MS[this.database.engine] / Math.max(ms, 1)));
    this.batchSize = Math.max(BATCH.least, Math.min(BATCH.most, ideal, this.batchSize * 2));
  }
}

/** Fetches the next batch while the last one is being written, as long as there is more to fetch. */
async function* readAhead(subscription: AsyncIterable<Batch>): AsyncGenerator<Batch, void, undefined> {
  const batches = subscription[Symbol.asyncIterator]();
  try {
    for (let next = batches.next(); ;) {
      const read = await next;
      if (read.done) return;
      const batch = read.value;
      if (!batch.caughtUp) {
        next = batches.next();
        // It is awaited in its turn; until then a failure must not count as unheard of.
        next.catch(() => undefined);
      }
      yield batch;
      if (batch.caughtUp) next = batches.next();
    }
  } finally {
    await batches.return?.();
  }
}
