import { EventStoreDBClient, type ExpectedRevision as EngineRevision } from '@eventstore/db-client';
import { checkAppend, refuseLog, wrongRevision } from './event-log.errors.js';
import type {
  Appended,
  Batch,
  EventLog,
  ExpectedRevision,
  NewEvent,
  ReadAllOptions,
  ReadStreamOptions,
  StoredEvent,
  StreamRetention,
  SubscribeOptions,
} from './event-log.js';
import { EventStoreDbAppender } from './eventstoredb-append.js';
import { actualRevision, meaningOf, refuseUnreachable } from './eventstoredb-errors.js';
import { toExpected } from './eventstoredb-event.js';
import { EventStoreDbReader } from './eventstoredb-read.js';
import { pause, Patience } from './eventstoredb-retry.js';
import { EventStoreDbSubscriptions } from './eventstoredb-subscription.js';
import { badUrl, connectionString, hostsOf } from './eventstoredb-url.js';
import type { Position } from './position.js';

export interface EventStoreDbOptions {
  /** `esdb://user:password@host:2113?tls=true`; several hosts, or `esdb+discover://`, for a cluster. */
  readonly url: string;
  /** How long one call to the engine may take; `defaultDeadline` in the url wins. */
  readonly deadlineMs?: number;
  /** How long a call is repeated while the engine is away, before LOG_UNAVAILABLE. */
  readonly patienceMs?: number;
}

/** How long closing waits for the engine to take leave of open calls. */
const CLOSE_MS = 2_000;

/** Opens the log on EventStoreDB. Connects with the first call, and again whenever the connection is lost. */
export function connectEventStoreDb(options: EventStoreDbOptions): EventLog {
  return new EventStoreDbLog(options);
}

class EventStoreDbLog implements EventLog {
  private readonly client: EventStoreDBClient;
  private readonly reader: EventStoreDbReader;
  private readonly appender: EventStoreDbAppender;
  private readonly subscriptions: EventStoreDbSubscriptions;
  private readonly closing = new AbortController();
  private readonly patienceMs: number;
  private readonly hosts: string;

  constructor({ url, deadlineMs = 5_000, patienceMs = 10_000 }: EventStoreDbOptions) {
    this.client = openClient(connectionString(url, deadlineMs));
    this.hosts = hostsOf(url);
    this.patienceMs = patienceMs;
    this.reader = new EventStoreDbReader(this.client, { patienceMs, deadlineMs }, this.hosts);
    this.appender = new EventStoreDbAppender(this.client, this.reader, patienceMs, this.hosts);
    this.subscriptions = new EventStoreDbSubscriptions(this.client, this.reader, this.hosts, this.closing.signal);
  }

  async append(
    stream: string,
    events: readonly NewEvent[],
    expected: ExpectedRevision,
    signal?: AbortSignal,
  ): Promise<Appended> {
    checkAppend(stream, events, expected);
    signal?.throwIfAborted();
    this.checkOpen();
    const appended = await unlessAborted(this.appender.append(stream, events, expected, signal), signal);
    this.subscriptions.nudge();
    return appended;
  }

  readStream(stream: string, options: ReadStreamOptions = {}): AsyncIterable<StoredEvent> {
    this.checkOpen();
    return this.reader.stream(stream, options);
  }

  readAll(options: ReadAllOptions = {}): AsyncIterable<StoredEvent> {
    this.checkOpen();
    return this.reader.all(options);
  }

  subscribe(options: SubscribeOptions): AsyncIterable<Batch> {
    this.checkOpen();
    return this.subscriptions.follow(options);
  }

  async head(): Promise<Position> {
    this.checkOpen();
    return await this.reader.head();
  }

  async countAfter(position: Position, limit: number): Promise<number> {
    this.checkOpen();
    let count = 0;
    if (limit <= 0) return count;
    for await (const event of this.reader.all({ after: position, limit })) if (event.position > position) count += 1;
    return count;
  }

  async setRetention(stream: string, { maxAgeSeconds, maxCount }: StreamRetention): Promise<void> {
    this.checkOpen();
    await this.patiently(stream, async () => {
      const { metadata = {} } = await this.client.getStreamMetadata(stream, { requiresLeader: true });
      // Who may read it, and whatever else others keep there, stays.
      const { maxAge: _age, maxCount: _count, ...others } = metadata;
      await this.client.setStreamMetadata(
        stream,
        {
          ...others,
          ...(maxAgeSeconds === undefined ? {} : { maxAge: maxAgeSeconds }),
          ...(maxCount === undefined ? {} : { maxCount }),
        },
        { requiresLeader: true },
      );
    });
  }

  async retentionOf(stream: string): Promise<StreamRetention> {
    this.checkOpen();
    const { metadata = {} } = await this.patiently(stream, () =>
      this.client.getStreamMetadata(stream, { requiresLeader: true }),
    );
    const { maxAge, maxCount } = metadata;
    return {
      ...(maxAge === undefined ? {} : { maxAgeSeconds: maxAge }),
      ...(maxCount === undefined ? {} : { maxCount }),
    };
  }

  async tombstone(stream: string, expected: ExpectedRevision): Promise<void> {
    this.checkOpen();
    // The client's type leaves out `stream_exists`; its code, and the engine, take it.
    const expectedRevision = toExpected(expected) as EngineRevision;
    const patience = new Patience(this.patienceMs, this.hosts);
    for (let unknown = false; ;) {
      try {
        await this.client.tombstoneStream(stream, { expectedRevision, requiresLeader: true });
        return;
      } catch (error) {
        const meaning = meaningOf(error);
        if (meaning === 'wrong revision') throw wrongRevision(stream, expected, actualRevision(error));
        // After a lost answer this is the answer.
        if (meaning === 'tombstoned' && unknown) return;
        if (meaning === 'tombstoned') throw refuseLog('STREAM_TOMBSTONED', { stream }, undefined, error);
        unknown ||= meaning === 'unknown';
        await patience.after(error);
      }
    }
  }

  async close(): Promise<void> {
    if (this.closing.signal.aborted) return;
    this.closing.abort();
    const over = new AbortController();
    const disposed = this.client.dispose().finally(() => over.abort());
    await Promise.race([disposed, pause(CLOSE_MS, over.signal)]);
  }

  private checkOpen(): void {
    if (this.closing.signal.aborted) throw refuseUnreachable('The event log was closed.');
  }

  /** Repeats what may be repeated without harm. */
  private async patiently<R>(stream: string, action: () => Promise<R>): Promise<R> {
    const patience = new Patience(this.patienceMs, this.hosts);
    for (;;) {
      try {
        return await action();
      } catch (error) {
        if (meaningOf(error) === 'tombstoned') throw refuseLog('STREAM_TOMBSTONED', { stream }, undefined, error);
        await patience.after(error);
      }
    }
  }
}

function openClient(url: string): EventStoreDBClient {
  let client: EventStoreDBClient;
  try {
    client = EventStoreDBClient.connectionString(url);
  } catch (error) {
    throw badUrl(reasonIn(error));
  }
  // The client would send all appends of the process over one long call and keep their promises in one table for all
  // clients: when any such call breaks, it drops everyone's, and a late answer to one of them then ends the process.
  // One call for each append has its own deadline and its own failure.
  Reflect.set(client, 'supports', () => Promise.resolve(false));
  return client;
}

/** The client's own message quotes the connection string, password included. */
function reasonIn(error: unknown): string {
  const { expected, location } = error as { expected?: string; location?: readonly [number, number] };
  if (expected !== undefined) return `at character ${(location?.[0] ?? 0) + 1} it should have ${expected}`;
  return error instanceof Error ? error.message.replace(/\.$/, '') : 'it was refused';
}

/** Stops waiting when the signal aborts; what was sent cannot be called back. */
async function unlessAborted<R>(work: Promise<R>, signal: AbortSignal | undefined): Promise<R> {
  if (signal === undefined) return await work;
  let stop = () => undefined as void;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
