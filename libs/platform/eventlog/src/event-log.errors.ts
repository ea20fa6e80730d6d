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

/** Refuses what no engine should ever be asked to store. Every implementation calls it first. */
export function checkAppend(stream: string, events: readonly NewEvent[]): void {
  if (stream === '' || stream.startsWith('$') || stream.length > 200) {
    throw refuseLog('INVALID_APPEND', { stream }, 'A stream name has 1 to 200 characters and does not start with $.');
  }
  if (events.length === 0) throw refuseLog('INVALID_APPEND', { stream }, 'An append needs at least one event.');
  let bytes = 0;
  const ids = new Set<string>();
  for (const event of events) {
    if (!UUID.test(event.id)) throw refuseLog('INVALID_APPEND', { id: event.id }, 'An event id is a uuid.');
    if (event.type === '' || event.type.startsWith('$')) {
      throw refuseLog('INVALID_APPEND', { type: event.type }, 'An event type is not empty and does not start with $.');
    }
    ids.add(event.id.toLowerCase());
    bytes += sizeOf(event);
  }
  if (ids.size !== events.length) throw refuseLog('INVALID_APPEND', { stream }, 'The ids within one append differ.');
  if (bytes > MAX_APPEND_BYTES) {
    throw refuseLog('APPEND_TOO_LARGE', { stream, bytes, limit: MAX_APPEND_BYTES });
  }
}

/** Bytes an event takes in the log, as every engine counts them. */
export function sizeOf(event: NewEvent): number {
  return (
    Buffer.byteLength(JSON.stringify(event.data)) +
    Buffer.byteLength(JSON.stringify(event.metadata)) +
    Buffer.byteLength(event.type)
  );
}
