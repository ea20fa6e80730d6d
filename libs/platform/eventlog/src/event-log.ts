import type { Position } from './position.js';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

/** What the stream must look like for an append to happen. A number is the revision of its last event. */
export type ExpectedRevision = 'any' | 'none' | 'exists' | number;

/** An event as it goes into the log. */
export interface NewEvent {
  /** A uuid. The same ids at the same expected revision are the same append: it happens once. */
  readonly id: string;
  readonly type: string;
  readonly data: JsonObject;
  readonly metadata: JsonObject;
}

/** An event as it stands in the log. */
export interface StoredEvent extends NewEvent {
  readonly stream: string;
  /** Counts from 0 within the stream. */
  readonly revision: number;
  readonly position: Position;
  /** When the engine wrote it. */
  readonly recordedAt: Date;
}

export interface Appended {
  /** Revision of the last event of this append. */
  readonly revision: number;
  /** Position of the last event of this append. */
  readonly position: Position;
}

export interface ReadStreamOptions {
  readonly direction?: 'forward' | 'backward';
  /** First revision to read, inclusive; default: the start when reading forward, the end when reading backward. */
  readonly from?: number;
  readonly limit?: number;
}

export interface ReadAllOptions {
  /** Exclusive; default: the start when reading forward, the end when reading backward. */
  readonly after?: Position;
  readonly direction?: 'forward' | 'backward';
  /** Exact event types; omitted means all. */
  readonly types?: readonly string[];
  readonly limit?: number;
}

export interface SubscribeOptions {
  /** Exclusive: the checkpoint to go on from. */
  readonly after?: Position;
  readonly types?: readonly string[];
  /** At most this many events in one batch. */
  readonly batchSize?: number;
  readonly signal: AbortSignal;
  /** Told about each lost connection before it is tried again. */
  readonly onReconnect?: (error: unknown, attempt: number) => void;
}

/** What a subscription hands over at a time. */
export interface Batch {
  readonly events: readonly StoredEvent[];
  /** Everything up to here has been seen, events of other types too. This is what to keep as a checkpoint. */
  readonly through: Position;
  /** True when, at the moment of reading, the log held nothing more. */
  readonly caughtUp: boolean;
}

/** How long a stream keeps its events. Reads hide what is over; the engine removes it in its own time. */
export interface StreamRetention {
  readonly maxAgeSeconds?: number;
  readonly maxCount?: number;
}

/**
 * The log of events. EventStoreDB's semantics are the only semantics, on every engine:
 * - an append is all or nothing; a wrong revision throws WRONG_REVISION, naming the actual one, and changes nothing;
 * - the same event ids at the same expected revision succeed again without a second copy; for 'any' and 'exists' the same
 *   ids already in the stream do; only some of them there throws EVENT_IDS_REUSED;
 * - an event id may stand in several streams;
 * - a reader that tails the log sees every event, in position order, once per subscription;
 * - a tombstoned stream takes no append (STREAM_TOMBSTONED), reads as empty, and stays in `readAll` until the engine
 *   removes it; retention works the same way;
 * - an engine out of reach throws LOG_UNAVAILABLE; the outcome of an append under way is then unknown, and repeating it
 *   with the same ids is safe.
 */
export interface EventLog {
  append(
    stream: string,
    events: readonly NewEvent[],
    expected: ExpectedRevision,
    signal?: AbortSignal,
  ): Promise<Appended>;
  /** Reads one stream. A stream that does not exist is empty. */
  readStream(stream: string, options?: ReadStreamOptions): AsyncIterable<StoredEvent>;
  /** Reads the whole log up to the moment of the call. */
  readAll(options?: ReadAllOptions): AsyncIterable<StoredEvent>;
  /** Follows the log for ever: the next batch is fetched when the last one has been taken. Ends when the signal aborts. */
  subscribe(options: SubscribeOptions): AsyncIterable<Batch>;
  /** Position of the last event; START when there is none. */
  head(): Promise<Position>;
  /** How many events stand after a position, counted up to a limit. */
  countAfter(position: Position, limit: number): Promise<number>;
  setRetention(stream: string, retention: StreamRetention): Promise<void>;
  retentionOf(stream: string): Promise<StreamRetention>;
  tombstone(stream: string, expected: ExpectedRevision): Promise<void>;
  close(): Promise<void>;
}

/** Where an engine draws the line: data, metadata and type of all events of one append together. */
export const MAX_APPEND_BYTES = 1024 * 1024;
