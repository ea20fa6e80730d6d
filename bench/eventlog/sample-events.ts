import { randomUUID } from 'node:crypto';
import type { JsonObject, NewEvent } from '#platform/eventlog';

/** What an event of this program carries, some 900 bytes in all: every contender writes the same. */
const DATA: JsonObject = {
  container_id: randomUUID(),
  name: 'expressionist-art',
  parent_id: null,
  modalities: ['text', 'pdf', 'image'],
  embedder: 'all-MiniLM-L6-v2',
  dims: 384,
  policy: { privacy: 'exportable', freshness_lambda: 0.02, retention_days: 365 },
  theme: 'German Expressionism between Dresden and Berlin, its prints and its manifestos. '.repeat(4),
};
const METADATA: JsonObject = {
  schema_version: 1,
  at: new Date(0).toISOString(),
  caller: { kind: 'human', id: 'local:owner', roles: ['owner'] },
  correlation_id: randomUUID(),
  execution_id: randomUUID(),
  operation: 'create_container',
};
export const SAMPLE = { type: 'ContainerCreated', data: DATA, metadata: METADATA };

export function sampleEvents(count: number): NewEvent[] {
  return Array.from({ length: count }, () => ({ id: randomUUID(), ...SAMPLE }));
}

/** A stream nobody has written to. */
export function freshStream(): string {
  return `container-${randomUUID()}`;
}
