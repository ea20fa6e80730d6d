import type { Type } from '@nestjs/common';
import { MaintenanceModule, refuseMaintenance } from '#contexts/maintenance';
import type { RefusalSpec } from '#kernel';
import { refuseLog, type EventSpec } from '#platform/eventlog';
import { refuseHttp } from '#platform/http-kit';
import { refuseOperation } from '#platform/operations';
import { refuseDatabase } from '#platform/postgres';
import { refuseProjection, type Projection, type Reactor } from '#platform/projections';

type Refusals = { readonly specs: Readonly<Record<string, RefusalSpec>> };

/** What a context brings besides its handlers. Its module carries it as the static property `parts`. */
export interface ContextParts {
  readonly events: readonly EventSpec[];
  readonly projections: readonly Projection[];
  readonly reactors: readonly Reactor[];
}

/** Every context of the program. */
export const CONTEXTS: readonly { readonly module: Type; readonly parts?: Partial<ContextParts> }[] = [
  { module: MaintenanceModule },
];

/** Every family of refusals, for the published list of codes. */
export const REFUSALS: readonly Refusals[] = [
  refuseHttp,
  refuseOperation,
  refuseDatabase,
  refuseLog,
  refuseProjection,
  refuseMaintenance,
];

/** One kind of part, of all contexts. */
export function partsOf<Kind extends keyof ContextParts>(kind: Kind): ContextParts[Kind][number][] {
  return CONTEXTS.flatMap(({ parts }) => [...(parts?.[kind] ?? [])]);
}
