import type { Caller, CallerKind, Role } from '#kernel';
import type { JsonObject, StoredEvent } from './event-log.js';

/** Under which circumstances events are written. Handlers get it from the execution and pass it on. */
export interface EventContext {
  readonly caller: Caller;
  readonly correlationId: string;
  /** The event that led to this, when it was one. */
  readonly causationId?: string;
  readonly executionId: string;
  readonly operation: string;
  readonly at: Date;
  /** Version of the constitution the gates judged by. */
  readonly constitutionVersion?: number;
  readonly verdicts?: readonly JsonObject[];
  /** What the gates saw: lengths, flags, hashes. Never free text, because metadata is not sealed. */
  readonly facts?: JsonObject;
  /** Derive event ids from execution and stream, so that the same execution run again writes nothing new. */
  readonly deterministicIds?: boolean;
}

/** The circumstances as they stand beside the data in the log. */
export type EventMetadata = {
  /** The version the data was stored in. What a reader gets has been brought up to the current one. */
  readonly schema_version: number;
  readonly at: string;
  readonly caller: {
    readonly kind: CallerKind;
    readonly id: string;
    readonly roles: readonly Role[];
    readonly agent_name?: string;
    readonly agent_version?: string;
  };
  readonly correlation_id: string;
  readonly causation_id?: string;
  readonly execution_id: string;
  readonly operation: string;
  readonly constitution_version?: number;
  readonly verdicts?: readonly JsonObject[];
  readonly facts?: JsonObject;
};

export function metadataOf(context: EventContext, schemaVersion: number): EventMetadata {
  const { caller } = context;
  return {
    schema_version: schemaVersion,
    at: context.at.toISOString(),
    caller: {
      kind: caller.kind,
      id: caller.id,
      roles: caller.roles,
      ...present('agent_name', caller.agent?.name),
      ...present('agent_version', caller.agent?.version),
    },
    correlation_id: context.correlationId,
    ...present('causation_id', context.causationId),
    execution_id: context.executionId,
    operation: context.operation,
    ...present('constitution_version', context.constitutionVersion),
    ...present('verdicts', context.verdicts),
    ...present('facts', context.facts),
  };
}

/** The way back: for those who act on an event in the circumstances it was written in. */
export function contextOf(metadata: EventMetadata): EventContext {
  const { agent_name: name, agent_version: version, ...caller } = metadata.caller;
  return {
    caller: name === undefined ? caller : { ...caller, agent: { name, ...present('version', version) } },
    correlationId: metadata.correlation_id,
    ...present('causationId', metadata.causation_id),
    executionId: metadata.execution_id,
    operation: metadata.operation,
    at: new Date(metadata.at),
    ...present('constitutionVersion', metadata.constitution_version),
    ...present('verdicts', metadata.verdicts),
    ...present('facts', metadata.facts),
  };
}

/** The metadata of a stored event. One that other software wrote has none of ours, and gets what can be said of it. */
export function readMetadata(event: StoredEvent): EventMetadata {
  if (typeof event.metadata['schema_version'] === 'number') return event.metadata as unknown as EventMetadata;
  return {
    at: event.recordedAt.toISOString(),
    caller: { kind: 'service', id: 'unknown', roles: [] },
    correlation_id: event.id,
    execution_id: event.id,
    operation: 'unknown',
    ...event.metadata,
    schema_version: 1,
  };
}

function present<Key extends string, Value>(key: Key, value: Value | undefined): { [K in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { [K in Key]?: Value });
}
