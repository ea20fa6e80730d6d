import { setTimeout as sleep } from 'node:timers/promises';
import { meaningOf, toRefusal } from './eventstoredb-errors.js';

const FIRST_MS = 50;
const LONGEST_MS = 5_000;

/** How long to wait before the nth new attempt: twice as long each time, up to a limit, spread so that callers disperse. */
export function backoffMs(attempt: number, longestMs = LONGEST_MS): number {
  const full = Math.min(longestMs, FIRST_MS * 2 ** Math.min(attempt - 1, 16));
  return full / 2 + Math.random() * (full / 2);
}

/** Sleeps; an abort ends it early. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    if (signal?.aborted !== true) throw error;
  }
}

/** One call's patience: it may be repeated while the engine is away, but not for ever. */
export class Patience {
  private attempts = 0;
  private since: number | undefined;

  constructor(
    private readonly ms: number,
    private readonly hosts: string,
  ) {}

  /** Waits before the next attempt, or throws what the caller is told. */
  async after(error: unknown, signal?: AbortSignal): Promise<void> {
    const meaning = meaningOf(error);
    this.since ??= Date.now();
    this.attempts += 1;
    const wait = backoffMs(this.attempts, 1_000);
    const over = Date.now() + wait - this.since > this.ms;
    if (over || (meaning !== 'unknown' && meaning !== 'elsewhere')) throw toRefusal(error, this.hosts);
    await pause(wait, signal);
    signal?.throwIfAborted();
  }

  /** Progress was made: the next failure is a new one. */
  renew(): void {
    this.attempts = 0;
    this.since = undefined;
  }
}
