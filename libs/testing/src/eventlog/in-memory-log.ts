import {
  checkAppend,
  comparePositions,
  positionOf,
  refuseLog,
  Signal,
  START,
  wrongRevision,
  type Appended,
  type Batch,
  type EventLog,
  type ExpectedRevision,
  type JsonObject,
  type NewEvent,
  type Position,
  type ReadAllOptions,
  type ReadStreamOptions,
  type SerialisedEvent,
  type StoredEvent,
  type StreamRetention,
  type SubscribeOptions,
} from '#platform/eventlog';

const IDLE_MS = 1_000;

interface Entry extends Omit<StoredEvent, 'data' | 'metadata'> {
  readonly text: SerialisedEvent;
}

/** The event log in memory, for tests of what stands on it. It passes the suite that the engines pass. */
export class InMemoryEventLog implements EventLog {
  private readonly entries: Entry[] = [];
  private readonly streams = new Map<string, Entry[]>();
  private readonly retention = new Map<string, StreamRetention>();
  private readonly tombstoned = new Set<string>();
  private readonly written = new Signal();

  async append(
    stream: string,
    events: readonly NewEvent[],
    expected: ExpectedRevision,
    signal?: AbortSignal,
  ): Promise<Appended> {
    const texts = checkAppend(stream, events, expected, signal);
    await Promise.resolve();
    if (this.tombstoned.has(stream)) throw refuseLog('STREAM_TOMBSTONED', { stream });
    const ids = events.map((event) => event.id.toLowerCase());
    const before = this.repeated(stream, ids, expected);
    if (before !== undefined) return before;
    this.expect(stream, expected);
    const entries = this.streams.get(stream) ?? [];
    const added = events.map(({ type }, n): Entry => {
      const position = positionOf(BigInt(this.entries.length + n + 1));
      const revision = entries.length + n;
      return { id: ids[n]!, type, stream, revision, position, recordedAt: new Date(), text: texts[n]! };
    });
    this.streams.set(stream, [...entries, ...added]);
    this.entries.push(...added);
    this.written.fire();
    return endOf(added);
  }

  async *readStream(stream: string, options: ReadStreamOptions = {}): AsyncIterable<StoredEvent> {
    await Promise.resolve();
    const backward = options.direction === 'backward';
    const { from = backward ? Infinity : 0, limit = Infinity } = options;
    const wanted = this.visible(stream).filter(({ revision }) => (backward ? revision <= from : revision >= from));
    yield* (backward ? wanted.reverse() : wanted).slice(0, limit).map(toStored);
  }

  async *readAll(options: ReadAllOptions = {}): AsyncIterable<StoredEvent> {
    await Promise.resolve();
    const { after, types, limit = Infinity, direction } = options;
    const wanted = this.entries.filter(({ type, position }) => {
      if (types !== undefined && !types.includes(type)) return false;
      return after === undefined || comparePositions(position, after) === (direction === 'backward' ? -1 : 1);
    });
    yield* (direction === 'backward' ? wanted.reverse() : wanted).slice(0, limit).map(toStored);
  }

  async *subscribe({ after = START, types, batchSize = 500, signal }: SubscribeOptions): AsyncIterable<Batch> {
    let through = after;
    let announced = false;
    while (!signal.aborted) {
      const seen = this.written.count;
      const later = this.entries.filter(({ position }) => position > through);
      const wanted = later.filter(({ type }) => types === undefined || types.includes(type)).slice(0, batchSize);
      const full = wanted.length === batchSize;
      const end = full ? wanted.at(-1) : later.at(-1);
      if (end !== undefined || (!full && !announced)) {
        through = end?.position ?? through;
        announced = !full;
        yield { events: wanted.map(toStored), through, caughtUp: !full };
      }
      if (!full) await this.written.after(seen, IDLE_MS, signal);
    }
  }

  head(): Promise<Position> {
    return Promise.resolve(this.entries.at(-1)?.position ?? START);
  }

  countAfter(position: Position, limit: number): Promise<number> {
    return Promise.resolve(Math.min(limit, this.entries.filter((entry) => entry.position > position).length));
  }

  setRetention(stream: string, retention: StreamRetention): Promise<void> {
    this.retention.set(stream, retention);
    return Promise.resolve();
  }

  retentionOf(stream: string): Promise<StreamRetention> {
    return Promise.resolve(this.retention.get(stream) ?? {});
  }

  async tombstone(stream: string, expected: ExpectedRevision): Promise<void> {
    await Promise.resolve();
    if (this.tombstoned.has(stream)) throw refuseLog('STREAM_TOMBSTONED', { stream });
    this.expect(stream, expected);
    this.tombstoned.add(stream);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private expect(stream: string, expected: ExpectedRevision): void {
    const last = (this.streams.get(stream)?.length ?? 0) - 1;
    const actual = last < 0 ? 'none' : last;
    const met = expected === 'any' || (expected === 'exists' ? actual !== 'none' : expected === actual);
    if (!met) throw wrongRevision(stream, expected, actual);
  }

  /** What a repeated append was answered the first time. */
  private repeated(stream: string, ids: readonly string[], expected: ExpectedRevision): Appended | undefined {
    const entries = this.streams.get(stream) ?? [];
    if (expected === 'any' || expected === 'exists') {
      const there = entries.filter(({ id }) => ids.includes(id));
      if (there.length === 0) return undefined;
      if (new Set(there.map(({ id }) => id)).size < ids.length) throw refuseLog('EVENT_IDS_REUSED', { stream });
      return endOf(there);
    }
    const from = expected === 'none' ? 0 : expected + 1;
    const there = entries.slice(from, from + ids.length);
    return there.length === ids.length && there.every(({ id }, n) => id === ids[n]) ? endOf(there) : undefined;
  }

  private visible(stream: string): Entry[] {
    if (this.tombstoned.has(stream)) return [];
    const { maxAgeSeconds = Infinity, maxCount = Infinity } = this.retention.get(stream) ?? {};
    const entries = this.streams.get(stream) ?? [];
    const oldest = Date.now() - maxAgeSeconds * 1000;
    return entries.filter(
      ({ revision, recordedAt }) => revision >= entries.length - maxCount && recordedAt.getTime() > oldest,
    );
  }
}

/** Parsed anew for each reader: what one does to an event, no other sees. */
function toStored({ text, ...entry }: Entry): StoredEvent {
  return { ...entry, data: JSON.parse(text.data) as JsonObject, metadata: JSON.parse(text.metadata) as JsonObject };
}

function endOf(entries: readonly Entry[]): Appended {
  const { revision, position } = entries.at(-1)!;
  return { revision, position };
}
