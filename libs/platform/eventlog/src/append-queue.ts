import { setImmediate } from 'node:timers/promises';
import type { Database } from '#platform/postgres';
import type { Appended, ExpectedRevision, NewEvent } from './event-log.js';
import { refuseLog, wrongRevision, type SerialisedEvent } from './event-log.errors.js';
import { positionOf } from './position.js';

const MAX_APPENDS = 256;
/** Large batches go in several flushes: the server reads the next while it writes the last. */
const MAX_BYTES = 256 * 1024;
const FLUSHES = { embedded: 1, server: 2 };

interface Pending {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly json: string;
  readonly resolve: (appended: Appended) => void;
  readonly reject: (error: unknown) => void;
}

interface Outcome {
  readonly outcome: 'appended' | 'repeated' | 'conflict' | 'reused' | 'tombstoned';
  readonly revision: number;
  readonly position: number | null;
}

const CODES = { none: -1, any: -2, exists: -3 } as const;

/**
 * Gathers the appends that arrive while others are being written, and writes them with one call. Each is judged by itself;
 * the lock and the fsync are shared. Without it a lock per append collapses under many writers.
 */
export class AppendQueue {
  private readonly pending: Pending[] = [];
  private flushing = 0;

  constructor(
    private readonly database: Database,
    private readonly onAppended: () => void,
  ) {}

  add(
    stream: string,
    events: readonly NewEvent[],
    texts: readonly SerialisedEvent[],
    expected: ExpectedRevision,
  ): Promise<Appended> {
    // Whoever flushes does so for all who wait: only here it can be told who stands inside a transaction.
    this.database.checkFree();
    const code = typeof expected === 'number' ? expected : CODES[expected];
    const json = `{"s":${JSON.stringify(stream)},"e":${code},"v":[${events.map((event, at) => eventJson(event, texts[at])).join()}]}`;
    return new Promise((resolve, reject) => {
      this.pending.push({ stream, expected, json, resolve, reject });
      if (this.flushing < FLUSHES[this.database.engine]) void this.flush();
    });
  }

  private async flush(): Promise<void> {
    this.flushing += 1;
    for (;;) {
      // Whoever was just answered writes again in this turn of the loop: those appends share the next flush.
      await setImmediate();
      if (this.pending.length === 0) break;
      await this.write(this.take());
    }
    this.flushing -= 1;
  }

  private take(): Pending[] {
    let bytes = 0;
    let size = 0;
    while (size < this.pending.length && size < MAX_APPENDS && bytes < MAX_BYTES) {
      bytes += this.pending[size]?.json.length ?? 0;
      size += 1;
    }
    return this.pending.splice(0, size);
  }

  private async write(batch: readonly Pending[]): Promise<void> {
    try {
      const { rows } = await this.database.query<Outcome>('select * from eventlog.append($1, $2)', [
        `[${batch.map((append) => append.json).join()}]`,
        this.database.engine === 'server',
      ]);
      batch.forEach((append, at) => settle(append, rows[at]));
      this.onAppended();
    } catch (error) {
      for (const append of batch) append.reject(error);
    }
  }
}

/** Data and metadata go as strings: SQL never looks inside them, so no odd character in one can sink its neighbours. */
function eventJson(event: NewEvent, text: SerialisedEvent | undefined): string {
  return JSON.stringify({ i: event.id, t: event.type, d: text?.data, m: text?.metadata });
}

function settle(append: Pending, row: Outcome | undefined): void {
  switch (row?.outcome) {
    case 'appended':
    case 'repeated':
      append.resolve({ revision: row.revision, position: positionOf(BigInt(row.position ?? 0)) });
      return;
    case 'conflict':
      append.reject(wrongRevision(append.stream, append.expected, row.revision < 0 ? 'none' : row.revision));
      return;
    case 'reused':
      append.reject(refuseLog('EVENT_IDS_REUSED', { stream: append.stream }));
      return;
    case 'tombstoned':
      append.reject(refuseLog('STREAM_TOMBSTONED', { stream: append.stream }));
      return;
    case undefined:
      append.reject(new Error('The log answered fewer appends than it was given.'));
  }
}
