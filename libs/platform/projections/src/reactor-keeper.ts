import { setTimeout as sleep } from 'node:timers/promises';
import { v5 as uuidV5 } from 'uuid';
import { isRefusal, type Clock } from '#kernel';
import { START, Signal, type EventStore, type Position, type StoredEvent } from '#platform/eventlog';
import type { Database, Sql } from '#platform/postgres';
import { saveCheckpoint } from './builds.js';
import { fence, type Lease } from './lease.js';
import { park, parkBehind, parkedOf } from './parking.js';
import { isAway } from './projection.errors.js';
import type { Reaction, Reactor, Timer } from './reactor.js';

const VERSION = 0;
const ATTEMPTS = 5;
const RETRY_MS = 100;
const TIMER_LOOK_MS = 1_000;
const TIMER_RETRY_MS = 10_000;
/** How many due timers are fetched at a time. */
const TIMERS = 100;
const NAMESPACE = '2b6c3d8e-8a53-5f0a-9a57-0f4c1f5f3c77';

interface TimerRow {
  readonly key: string;
  readonly due_at: Date;
  readonly data: Record<string, unknown>;
}

/** Runs one reactor while this process holds its lease. */
export class ReactorKeeper {
  private readonly scheduled = new Signal();

  constructor(
    private readonly database: Database,
    private readonly store: EventStore,
    readonly reactor: Reactor,
    private readonly clock: Clock,
  ) {}

  /** The keeper's duty. */
  readonly serve = async (lease: Lease, signal: AbortSignal): Promise<void> => {
    const failed = new AbortController();
    const stop = AbortSignal.any([signal, failed.signal]);
    const tasks = [this.keepReacting(lease, stop), this.keepTime(lease, stop)];
    for (const task of tasks) task.catch(() => failed.abort());
    await Promise.allSettled(tasks);
    if (!signal.aborted) await Promise.all(tasks);
  };

  private async keepReacting(lease: Lease, signal: AbortSignal): Promise<void> {
    const blocked = new Set((await parkedOf(this.database, this.run)).map(({ stream }) => stream));
    const subscription = this.store.log.subscribe({
      after: await this.checkpoint(),
      types: this.reactor.handles,
      signal,
    });
    for await (const batch of subscription) {
      for (const event of batch.events) {
        if (signal.aborted) return;
        await this.take(event, lease, signal, blocked);
      }
      await this.commit(lease, batch.through, () => Promise.resolve());
    }
  }

  private async take(event: StoredEvent, lease: Lease, signal: AbortSignal, blocked: Set<string>): Promise<void> {
    if (blocked.has(event.stream)) {
      await this.commit(lease, event.position, (tx) => parkBehind(tx, this.run, event));
      return;
    }
    const reaction = new PendingReaction(this.reactor.name, event.id, signal);
    try {
      await this.persevere(signal, async () => {
        const [opened] = await this.store.open([event]);
        reaction.reset();
        if (opened) await this.reactor.react(opened, reaction);
      });
      await this.commit(lease, event.position, (tx) => reaction.save(tx));
      if (reaction.changesTimers) this.scheduled.fire();
    } catch (error) {
      // What was done but could not be written down is done again, with the same ids.
      if (signal.aborted || isRefusal(error, 'LEASE_LOST') || isAway(error)) throw error;
      await this.commit(lease, event.position, (tx) => park(tx, this.run, event, error));
      blocked.add(event.stream);
    }
  }

  /** Timers fire in the order they are due. One that keeps failing is tried again later, and holds up no other. */
  private async keepTime(lease: Lease, signal: AbortSignal): Promise<void> {
    const later = new Map<string, number>();
    while (!signal.aborted) {
      const seen = this.scheduled.count;
      const now = this.clock.now();
      const { rows } = await this.database.query<TimerRow>(
        `select key, due_at, data from projections.timers
         where reactor = $1 and due_at <= $2 and key <> all ($3) order by due_at, key limit $4`,
        [this.reactor.name, now, [...later.keys()], TIMERS],
      );
      for (const row of rows) {
        if (signal.aborted) return;
        const fired = await this.fire({ key: row.key, dueAt: row.due_at, data: row.data }, lease, signal);
        if (!fired) later.set(row.key, now.getTime() + TIMER_RETRY_MS);
      }
      if (rows.length < TIMERS) await this.scheduled.after(seen, await this.untilNext(now), signal);
      for (const [key, until] of later) if (until <= this.clock.now().getTime()) later.delete(key);
    }
  }

  private async fire(timer: Timer, lease: Lease, signal: AbortSignal): Promise<boolean> {
    const reaction = new PendingReaction(this.reactor.name, `${timer.key}@${timer.dueAt.toISOString()}`, signal);
    try {
      await this.persevere(
        signal,
        async () => {
          reaction.reset();
          await this.reactor.onTimer?.(timer, reaction);
        },
        1,
      );
    } catch (error) {
      if (signal.aborted || isRefusal(error, 'LEASE_LOST')) throw error;
      return false;
    }
    await this.database.transaction(async (tx) => {
      await fence(tx, lease);
      await tx.query('delete from projections.timers where reactor = $1 and key = $2 and due_at = $3', [
        this.reactor.name,
        timer.key,
        timer.dueAt,
      ]);
      await reaction.save(tx);
    });
    return true;
  }

  private async untilNext(now: Date): Promise<number> {
    const { rows } = await this.database.query<{ due_at: Date }>(
      'select due_at from projections.timers where reactor = $1 and due_at > $2 order by due_at limit 1',
      [this.reactor.name, now],
    );
    const due = rows[0]?.due_at.getTime() ?? Infinity;
    return Math.max(1, Math.min(TIMER_LOOK_MS, due - now.getTime()));
  }

  /** Tries a few times; while an engine is away, for as long as it takes. */
  private async persevere(signal: AbortSignal, deed: () => Promise<void>, attempts = ATTEMPTS): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await deed();
        return;
      } catch (error) {
        if (!isAway(error) && attempt >= attempts) throw error;
        await sleep(RETRY_MS * 2 ** Math.min(attempt - 1, 5), undefined, { signal });
      }
    }
  }

  private async commit(lease: Lease, through: Position, body: (tx: Sql) => Promise<void>): Promise<void> {
    await this.database.transaction(async (tx) => {
      await fence(tx, lease);
      await body(tx);
      await saveCheckpoint(tx, this.reactor.name, VERSION, through);
    });
  }

  private async checkpoint(): Promise<Position> {
    const begin = this.reactor.from === 'now' ? await this.store.log.head() : START;
    await this.database.query(
      `insert into projections.builds (name, version, fold, state, position) values ($1, $2, 0, 'reactor', $3)
       on conflict (name, version) do nothing`,
      [this.reactor.name, VERSION, begin],
    );
    const { rows } = await this.database.query<{ position: Position }>(
      'select position from projections.builds where name = $1 and version = $2',
      [this.reactor.name, VERSION],
    );
    return rows[0]?.position ?? begin;
  }

  private get run() {
    return { name: this.reactor.name, version: VERSION };
  }
}

/** Collects what a reaction asks for, until the deed is done and it can be saved with the checkpoint. */
class PendingReaction implements Reaction {
  private timers = new Map<string, Timer | undefined>();

  constructor(
    private readonly reactor: string,
    private readonly cause: string,
    readonly signal: AbortSignal,
  ) {}

  get changesTimers(): boolean {
    return this.timers.size > 0;
  }

  id(purpose: string): string {
    return uuidV5(`${this.reactor}/${this.cause}/${purpose}`, NAMESPACE);
  }

  schedule(timer: Timer): void {
    this.timers.set(timer.key, timer);
  }

  cancel(key: string): void {
    this.timers.set(key, undefined);
  }

  reset(): void {
    this.timers.clear();
  }

  async save(tx: Sql): Promise<void> {
    for (const [key, timer] of this.timers) {
      if (timer) {
        await tx.query(
          `insert into projections.timers (reactor, key, due_at, data) values ($1, $2, $3, $4)
           on conflict (reactor, key) do update set due_at = excluded.due_at, data = excluded.data`,
          [this.reactor, key, timer.dueAt, JSON.stringify(timer.data)],
        );
      } else {
        await tx.query('delete from projections.timers where reactor = $1 and key = $2', [this.reactor, key]);
      }
    }
  }
}
