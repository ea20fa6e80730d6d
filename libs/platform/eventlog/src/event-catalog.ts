import { createHash } from 'node:crypto';
import { refuseEvent } from './event-catalog.errors.js';
import type { JsonObject } from './event-log.js';

/** Turns the data of one schema version into the next. Sealed fields may hold `ERASED` instead of their value. */
export type Upcast = (data: JsonObject) => JsonObject;

/** What the log must know about one type of event. */
export interface EventSpec {
  /** A string that never changes its meaning; not a class name. */
  readonly type: string;
  /** The schema version written today, counted from 1. */
  readonly version: number;
  /** The top-level fields that are encrypted, and whose key they are encrypted under (a note, a document, a principal). */
  readonly sealed?: { readonly subject: (data: JsonObject) => string; readonly fields: readonly string[] };
  /** From version n to n+1, for every n below the current version. */
  readonly upcasts?: Readonly<Record<number, Upcast>>;
}

/**
 * The event types a process knows. Writing an undeclared type is a fault. Reading one is not: it was written by a newer
 * version, and comes out opened but otherwise as it was stored, so that a projection that does not handle it goes on.
 */
export class EventCatalog {
  /** Changes when stored events come out of the log differently: a version was raised, or an upcast rewritten. */
  readonly fingerprint: string;
  private readonly specs = new Map<string, EventSpec>();

  constructor(specs: readonly EventSpec[]) {
    for (const spec of specs) {
      if (this.specs.has(spec.type)) throw new Error(`Event type ${spec.type} is declared twice.`);
      check(spec);
      this.specs.set(spec.type, spec);
    }
    this.fingerprint = fingerprintOf(specs);
  }

  has(type: string): boolean {
    return this.specs.has(type);
  }

  find(type: string): EventSpec | undefined {
    return this.specs.get(type);
  }

  /** The spec of a type about to be written. */
  get(type: string): EventSpec {
    const spec = this.specs.get(type);
    if (spec === undefined) throw refuseEvent('EVENT_UNDECLARED', { type }, `Event type ${type} is not declared.`);
    return spec;
  }

  types(): string[] {
    return [...this.specs.keys()];
  }

  /** Brings stored data up to the current schema. */
  upcast(type: string, version: number, data: JsonObject): JsonObject {
    const spec = this.specs.get(type);
    if (spec === undefined || version === spec.version) return data;
    if (version > spec.version) {
      throw refuseEvent(
        'EVENT_TOO_NEW',
        { type, version, known: spec.version },
        `${type} was written in schema version ${version}; this process knows ${spec.version}.`,
      );
    }
    let current = data;
    for (let from = version; from < spec.version; from += 1) current = upcastOf(spec, from)(current);
    return current;
  }
}

function check(spec: EventSpec): void {
  if (spec.type === '' || spec.type.startsWith('$')) {
    throw new Error(`An event type is not empty and does not start with $: "${spec.type}".`);
  }
  if (!Number.isInteger(spec.version) || spec.version < 1) {
    throw new Error(`Event type ${spec.type} needs a schema version of 1 or more.`);
  }
  for (let from = 1; from < spec.version; from += 1) upcastOf(spec, from);
  for (const key of Object.keys(spec.upcasts ?? {})) {
    const from = Number(key);
    if (!Number.isInteger(from) || from < 1 || from >= spec.version) {
      throw new Error(`Event type ${spec.type} has an upcast from version ${key}, but is at version ${spec.version}.`);
    }
  }
  const fields = spec.sealed?.fields;
  if (fields !== undefined && (fields.length === 0 || new Set(fields).size !== fields.length)) {
    throw new Error(`Event type ${spec.type} must name each of its sealed fields once.`);
  }
}

function upcastOf(spec: EventSpec, from: number): Upcast {
  const upcast = spec.upcasts?.[from];
  if (upcast === undefined) {
    throw new Error(`Event type ${spec.type} has no upcast from version ${from} to ${from + 1}.`);
  }
  return upcast;
}

function fingerprintOf(specs: readonly EventSpec[]): string {
  const hash = createHash('sha256');
  const lines = specs
    .filter((spec) => spec.version > 1)
    .map((spec) => JSON.stringify([spec.type, spec.version, ...Object.values(spec.upcasts ?? {}).map(String)]));
  for (const line of lines.sort()) hash.update(line).update('\n');
  return hash.digest('hex').slice(0, 16);
}
