import type { KeyObject } from 'node:crypto';
import { ERASED, type DomainEvent } from '#kernel';
import { openBytes, sealBytes } from './codec-envelope.js';
import { isJsonObject } from './codec-json.js';
import { metadataOf, readMetadata, type EventContext, type EventMetadata } from './codec-metadata.js';
import type { EventCatalog, EventSpec } from './event-catalog.js';
import { refuseEvent } from './event-catalog.errors.js';
import type { Json, JsonObject, NewEvent, StoredEvent } from './event-log.js';
import type { Position } from './position.js';

/** An event as a reader gets it: opened, in the current schema, with the circumstances it was written in. */
export type RecordedEvent<E extends DomainEvent = DomainEvent> = E & {
  readonly id: string;
  readonly stream: string;
  readonly revision: number;
  readonly position: Position;
  /** When the engine wrote it. */
  readonly recordedAt: Date;
  readonly metadata: EventMetadata;
  /** Whose key the sealed fields are under; absent when the event has none. */
  readonly subject?: string;
};

/** Where data keys come from. The keyring is the real one. */
export interface DataKeys {
  /** A key for each subject, made at first use. Throws SUBJECT_ERASED when one has been erased. */
  forSealing(subjects: readonly string[]): Promise<ReadonlyMap<string, KeyObject>>;
  /** The key of each subject, or 'erased'. Throws KEY_MISSING for a subject nobody has ever heard of. */
  forOpening(subjects: readonly string[]): Promise<ReadonlyMap<string, KeyObject | 'erased'>>;
}

/** The field of stored data that holds the sealed ones. */
export const SEALED_FIELD = '$sealed';

/** What stands under it. The names of the fields stay readable, so that after an erasure it is known what was there. */
type Envelope = {
  readonly v: 1;
  readonly subject: string;
  readonly fields: readonly string[];
  /** Base64 of iv, ciphertext, tag. */
  readonly box: string;
};

/** Seals, opens and upcasts. It needs no spec to open an envelope, so events of a newer version open too. */
export class EventCodec {
  constructor(
    private readonly catalog: EventCatalog,
    private readonly keys: DataKeys,
  ) {}

  async seal(events: readonly DomainEvent[], ids: readonly string[], context: EventContext): Promise<NewEvent[]> {
    const drafts = events.map((event, index) => draft(this.catalog.get(event.type), event, ids[index] ?? ''));
    const subjects = subjectsOf(drafts.map((each) => each.subject));
    const keys = subjects.length === 0 ? undefined : await this.keys.forSealing(subjects);
    return drafts.map(({ spec, id, data, sealed, subject }) => ({
      id,
      type: spec.type,
      data:
        subject === undefined ? data : { ...data, [SEALED_FIELD]: wrap(keys?.get(subject), id, spec, subject, sealed) },
      metadata: metadataOf(context, spec.version),
    }));
  }

  async open(events: readonly StoredEvent[]): Promise<RecordedEvent[]> {
    const envelopes = events.map(envelopeOf);
    const subjects = subjectsOf(envelopes.map((envelope) => envelope?.subject));
    const keys = subjects.length === 0 ? undefined : await this.keys.forOpening(subjects);
    return events.map((event, index) => {
      const envelope = envelopes[index];
      const metadata = readMetadata(event);
      const plain = envelope === undefined ? event.data : unwrap(keys?.get(envelope.subject), event, envelope);
      return {
        id: event.id,
        type: event.type,
        data: this.catalog.upcast(event.type, metadata.schema_version, plain),
        stream: event.stream,
        revision: event.revision,
        position: event.position,
        recordedAt: event.recordedAt,
        metadata,
        ...(envelope === undefined ? {} : { subject: envelope.subject }),
      };
    });
  }
}

interface Draft {
  readonly spec: EventSpec;
  readonly id: string;
  readonly data: JsonObject;
  readonly sealed: JsonObject;
  readonly subject?: string;
}

function draft(spec: EventSpec, event: DomainEvent, id: string): Draft {
  const { type, data } = event;
  if (!isJsonObject(data)) throw refuseEvent('EVENT_NOT_JSON', { type }, `The data of ${type} is not plain JSON.`);
  if (SEALED_FIELD in data) {
    throw refuseEvent('EVENT_FIELD_RESERVED', { type }, `The data of ${type} has a field named ${SEALED_FIELD}.`);
  }
  if (spec.sealed === undefined) return { spec, id, data, sealed: {} };
  const { fields } = spec.sealed;
  return {
    spec,
    id,
    data: pick(data, (field) => !fields.includes(field)),
    sealed: pick(data, (field, value) => fields.includes(field) && value !== undefined),
    subject: subjectOf(spec, data),
  };
}

/** Whose key an event's sealed fields go under; undefined when it has none. */
export function subjectOf(spec: EventSpec, data: JsonObject): string | undefined {
  const { sealed, type } = spec;
  if (sealed === undefined || sealed.fields.every((field) => data[field] === undefined)) return undefined;
  const subject: unknown = sealed.subject(data);
  if (typeof subject !== 'string' || subject === '')
    throw new Error(`${type} does not say whose its sealed fields are.`);
  return subject;
}

function wrap(key: KeyObject | undefined, id: string, spec: EventSpec, subject: string, sealed: JsonObject): Envelope {
  if (key === undefined) throw new Error(`No key was given for ${subject}.`);
  const fields = Object.keys(sealed);
  const plain = Buffer.from(JSON.stringify(sealed));
  return {
    v: 1,
    subject,
    fields,
    box: sealBytes(key, plain, binding(id, spec.type, subject, fields)).toString('base64'),
  };
}

function unwrap(key: KeyObject | 'erased' | undefined, event: StoredEvent, envelope: Envelope): JsonObject {
  const { [SEALED_FIELD]: _envelope, ...open } = event.data;
  if (key === 'erased') return { ...open, ...Object.fromEntries(envelope.fields.map((field) => [field, ERASED])) };
  if (key === undefined) throw new Error(`No key was given for ${envelope.subject}.`);
  const bound = binding(event.id, event.type, envelope.subject, envelope.fields);
  const plain = openBytes(key, Buffer.from(envelope.box, 'base64'), bound);
  if (plain === undefined) throw broken(event);
  return { ...open, ...(JSON.parse(plain.toString()) as JsonObject) };
}

function envelopeOf(event: StoredEvent): Envelope | undefined {
  const found: unknown = event.data[SEALED_FIELD];
  if (found === undefined) return undefined;
  if (!isEnvelope(found)) throw broken(event);
  return found;
}

function isEnvelope(value: unknown): value is Envelope {
  if (typeof value !== 'object' || value === null) return false;
  const { v, subject, fields, box } = value as Record<string, unknown>;
  return (
    v === 1 &&
    typeof subject === 'string' &&
    typeof box === 'string' &&
    Array.isArray(fields) &&
    fields.every((field) => typeof field === 'string')
  );
}

/** What an envelope belongs to. Event ids are compared without case, as engines may fold it. */
function binding(id: string, type: string, subject: string, fields: readonly string[]): string {
  return JSON.stringify([id.toLowerCase(), type, subject, fields]);
}

function broken(event: StoredEvent): Error {
  const { id, type, stream, revision } = event;
  return refuseEvent(
    'ENVELOPE_BROKEN',
    { id, type, stream, revision },
    `The sealed envelope of ${type} at ${stream}@${revision} does not belong to it, or was changed.`,
  );
}

function pick(data: JsonObject, wanted: (field: string, value: Json | undefined) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(data).filter(([field, value]) => wanted(field, value)));
}

function subjectsOf(subjects: readonly (string | undefined)[]): string[] {
  const found = new Set<string>();
  for (const subject of subjects) if (subject !== undefined) found.add(subject);
  return [...found];
}
