import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { isRefusal } from '#kernel';
import { Signal } from '#platform/eventlog';
import type { Database } from '#platform/postgres';
import { acquireLease, LEASE_SECONDS, releaseLease, renewLease, type Lease } from './lease.js';

const OWNER = `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`;
const WAIT_MS = 1_000;
const RETRY_MS = 1_000;

/** What a keeper does while it holds the lease: until the signal aborts. */
export type Duty = (lease: Lease, signal: AbortSignal) => Promise<void>;

/**
 * Sees to it that one process at a time does a named duty: waits for the lease, does the duty, prolongs the lease, stops
 * when it is lost, and begins again.
 */
export class Keeper {
  private readonly stopping = new AbortController();
  private readonly woken = new Signal();
  private running?: Promise<void>;
  private held = false;
  /** The lease held last: it is taken again at once when it could not be given back. */
  private last?: Lease;
  /** The last thing that went wrong, for whoever asks. */
  failure?: string;

  constructor(
    private readonly database: Database,
    readonly name: string,
    private readonly duty: Duty,
    private readonly onFailure: (name: string, error: unknown) => void,
  ) {}

  /** True while this process holds the lease. */
  get active(): boolean {
    return this.held;
  }

  start(): void {
    this.running ??= this.run();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        const lease = await acquireLease(this.database, this.name, OWNER, this.last);
        // Held by somebody or by us: either way what failed here before is over.
        this.failure = undefined;
        this.last = lease;
        if (lease) await this.serve(lease);
        else await this.woken.after(this.woken.count, WAIT_MS, signal);
      } catch (error) {
        if (signal.aborted || isRefusal(error, 'LEASE_LOST')) continue;
        this.failure = error instanceof Error ? error.message : String(error);
        this.onFailure(this.name, error);
        await this.woken.after(this.woken.count, RETRY_MS, signal);
      }
    }
  }

  private async serve(lease: Lease): Promise<void> {
    const lost = new AbortController();
    const signal = AbortSignal.any([this.stopping.signal, lost.signal]);
    const renewal = setInterval(() => void this.renew(lease, lost), (LEASE_SECONDS * 1_000) / 3);
    this.held = true;
    try {
      await this.duty(lease, signal);
    } finally {
      this.held = false;
      lost.abort();
      clearInterval(renewal);
      // Whoever waits may begin at once; if the database is away, the lease runs out by itself.
      await releaseLease(this.database, lease).catch(() => undefined);
    }
  }

  private async renew(lease: Lease, lost: AbortController): Promise<void> {
    // A renewal that cannot reach the database says nothing about the lease: the fence of every write decides.
    const still = await renewLease(this.database, lease).catch(() => true);
    if (!still) lost.abort();
  }
}
