import { defineRefusals, type Refusal } from '#kernel';
import { MAX_APPEND_BYTES, type ExpectedRevision, type NewEvent } from './event-log.js';

export const refuseLog = defineRefusals({
  WRONG_REVISION: {
    kind: 'conflict',
    message: 'The stream has moved on.',
    hint: 'Read it again and decide on what it says now.',
  },
  EVENT_IDS_REUSED: {
    kind: 'conflict',
    message: 'Some of these event ids are in the stream already, but not all of them.',
    hint: 'Use new event ids for a new append, or repeat the old append whole.',
  },
  STREAM_TOMBSTONED: {
    kind: 'conflict',
    message: 'The stream was closed for good.',
    hint: 'Write to a new stream.',
  },
  APPEND_TOO_LARGE: {
    kind: 'invalid',
    message: 'The events are too large for one append.',
    hint: 'Put large content into the blob store and name it in the event.',
  },
  INVALID_APPEND: {
    kind: 'invalid',
    message: 'The append is not well formed.',
    hint: 'Give a stream name, at least one event, and a uuid for each.',
  },
  APPEND_CANCELLED: {
    kind: 'cancelled',
    message: 'The append was cancelled before anything was written.',
    hint: 'Repeat it if it is still wanted.',
  },
  FOREIGN_POSITION: {
    kind: 'invalid',
    message: 'The position comes from another engine.',
    hint: 'Use a position that this log gave.',
  },
  LOG_UNAVAILABLE: {
    kind: 'unavailable',
    message: 'The event log cannot be reached.',
    hint: 'Try again in a moment; repeating the same request is safe.',
  },
});

/** The conflict that names what is there. */
export function wrongRevision(stream: string, expected: ExpectedRevision, actual: number | 'none'): Refusal {
  return refuseLog(
    'WRONG_REVISION',
    { stream, expected, actual },
    `Stream ${stream} was expected at revision ${expected} and is at ${actual}.`,
  );
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const NAME_RULE = 'has 1 to 200 characters, none of them a control character, and does not start with $';

function isName(text: string): boolean {
  return /^(?!\$)[^\p{Cc}\p{Cs}]{1,200}$/u.test(text);
}

/** The JSON texts of an event, made once: measured by every engine, stored as they are by those that take text. */
export interface SerialisedEvent {
  readonly data: string;
  readonly metadata: string;
}

/** Refuses what no engine should ever be asked to store. Every implementation calls it first. */
export function checkAppend(
  stream: string,
  events: readonly NewEvent[],
  expected: ExpectedRevision,
  signal?: AbortSignal,
): SerialisedEvent[] {
  if (signal?.aborted) throw refuseLog('APPEND_CANCELLED', { stream });
  if (!isName(stream)) {
    throw refuseLog('INVALID_APPEND', { stream }, `A stream name ${NAME_RULE}.`);
  }
  if (typeof expected === 'number' && !(Number.isSafeInteger(expected) && expected >= 0)) {
    throw refuseLog('INVALID_APPEND', { stream, expected }, 'A revision is a whole number from 0 on.');
  }
  if (events.length === 0) throw refuseLog('INVALID_APPEND', { stream }, 'An append needs at least one event.');
  if (new Set(events.map((event) => event.id.toLowerCase())).size !== events.length) {
    throw refuseLog('INVALID_APPEND', { stream }, 'The ids within one append differ.');
  }
  const texts = events.map(serialise);
  const bytes = events.reduce((total, event, at) => total + sizeOf(event, texts[at]), 0);
  if (bytes > MAX_APPEND_BYTES) throw refuseLog('APPEND_TOO_LARGE', { stream, bytes, limit: MAX_APPEND_BYTES });
  return texts;
}

function serialise(event: NewEvent): SerialisedEvent {
  if (!UUID.test(event.id)) throw refuseLog('INVALID_APPEND', { id: event.id }, 'An event id is a uuid.');
  if (!isName(event.type)) {
    throw refuseLog('INVALID_APPEND', { type: event.type }, `An event type ${NAME_RULE}.`);
  }
  return { data: JSON.stringify(event.data), metadata: JSON.stringify(event.metadata) };
}

/** Bytes an event takes in the log, as every engine counts them. */
export function sizeOf(event: NewEvent, text: SerialisedEvent = serialise(event)): number {
  return Buffer.byteLength(text.data) + Buffer.byteLength(text.metadata) + Buffer.byteLength(event.type);
}
