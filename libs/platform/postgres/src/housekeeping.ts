import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from './database.js';

const FIRST_MS = 60_000;
const EVERY_MS = 60 * 60_000;
/** Between two tables whoever waits gets the session. */
const BREATH_MS = 100;

export interface Chore {
  /** What is being done, for the log when it fails. */
  readonly name: string;
  /** Ends early when the signal aborts. */
  run(signal: AbortSignal): Promise<unknown>;
}

/** Keeps statistics and free space in order where no server process does: the embedded engine has no autovacuum. */
export function vacuumTables(database: Database): Chore {
  const idle = database.at('maintenance');
  return {
    name: 'vacuum',
    run: async (signal) => {
      const { rows } = await idle.query<{ name: string; grows_only: boolean }>(
        `select format('%I.%I', schemaname, tablename) as name, schemaname = 'eventlog' and tablename = 'events' as grows_only
         from pg_tables where schemaname not in ('pg_catalog', 'information_schema') order by 1`,
      );
      for (const { name, grows_only } of rows) {
        if (signal.aborted) return;
        // The log is only ever appended to: it leaves no dead rows, and vacuuming it would hold the engine for seconds.
        await idle.query(grows_only ? `analyze ${name}` : `vacuum (analyze) ${name}`);
        await sleep(BREATH_MS);
      }
    },
  };
}

/** Does its chores now and then, one after the other, until it is stopped. */
export class Housekeeping {
  private readonly stopping = new AbortController();
  private running?: Promise<void>;

  constructor(
    private readonly chores: readonly Chore[],
    private readonly onFailure: (chore: string, error: unknown) => void,
    private readonly times = { firstMs: FIRST_MS, everyMs: EVERY_MS },
  ) {}

  start(): void {
    this.running ??= this.keep();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async keep(): Promise<void> {
    const { signal } = this.stopping;
    let wait = this.times.firstMs;
    for (;;) {
      await sleep(wait, undefined, { signal, ref: false }).catch(() => undefined);
      wait = this.times.everyMs;
      for (const chore of this.chores) {
        if (signal.aborted) return;
        await chore.run(signal).catch((error: unknown) => this.onFailure(chore.name, error));
      }
      if (signal.aborted) return;
    }
  }
}
