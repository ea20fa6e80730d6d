import {
  ANY,
  NO_STREAM,
  START as FROM_START,
  STREAM_EXISTS,
  type AppendExpectedRevision,
  type END,
  type Position as EnginePosition,
  type ReadPosition,
  type ResolvedEvent,
} from '@eventstore/db-client';
import type { ExpectedRevision, JsonObject, StoredEvent } from './event-log.js';
import { refuseUnreachable } from './eventstoredb-errors.js';
import { refuseLog } from './event-log.errors.js';
import { partsOf, positionOf, START, type Position } from './position.js';

/** What servers send when they do not know a position. */
const NO_POSITION = 0xffff_ffff_ffff_ffffn;

/** An event of ours; undefined for the engine's own, and for links. */
export function toStored({ event }: ResolvedEvent): StoredEvent | undefined {
  if (event === undefined || event.type.startsWith('$') || event.streamId.startsWith('$')) return undefined;
  return {
    id: event.id,
    type: event.type,
    data: event.data as JsonObject,
    metadata: (event.metadata ?? {}) as JsonObject,
    stream: event.streamId,
    revision: Number(event.revision),
    position: toPosition(event.position),
    recordedAt: event.created,
  };
}

/** Place of any event, also of one that is not ours. */
export function placeOf({ event }: ResolvedEvent): Position | undefined {
  return event === undefined ? undefined : toPosition(event.position);
}

export function toPosition(position: EnginePosition | undefined): Position {
  if (position === undefined || position.commit === NO_POSITION) {
    throw refuseUnreachable('This EventStoreDB server does not tell the positions of the events of a stream.', {
      hint: 'Use a current version of the server.',
    });
  }
  return positionOf(position.commit, position.prepare);
}

/** Where to begin, in the engine's words. */
export function fromPosition(position: Position | undefined, otherwise: typeof FROM_START | typeof END): ReadPosition {
  if (position === undefined) return otherwise;
  if (position === START) return FROM_START;
  const [commit, prepare] = partsOf(position);
  if (commit === undefined || prepare === undefined) {
    throw refuseLog('FOREIGN_POSITION', { position });
  }
  return { commit, prepare };
}

export function toExpected(expected: ExpectedRevision): AppendExpectedRevision {
  if (expected === 'any') return ANY;
  if (expected === 'none') return NO_STREAM;
  return expected === 'exists' ? STREAM_EXISTS : BigInt(expected);
}
