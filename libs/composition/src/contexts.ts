import type { Type } from '@nestjs/common';
import * as holdings from '#contexts/holdings';
import { MaintenanceModule, refuseMaintenance } from '#contexts/maintenance';
import type { RefusalSpec } from '#kernel';
import { refuseEvent, refuseKey, refuseLog, refuseRun, type EventSpec } from '#platform/eventlog';
import { refuseHttp } from '#platform/http-kit';
import { refuseOperation } from '#platform/operations';
import { refuseDatabase } from '#platform/postgres';
import { refuseProjection, type Projection, type Reactor } from '#platform/projections';

type Refusals = { readonly specs: Readonly<Record<string, RefusalSpec>> };

/** What a context brings besides its handlers. */
export interface ContextParts {
  readonly events: readonly EventSpec[];
  readonly projections: readonly Projection[];
  readonly reactors: readonly Reactor[];
}

/** Every context of the program. */
export const CONTEXTS: readonly { readonly module: Type; readonly parts?: Partial<ContextParts> }[] = [
  {
    module: holdings.HoldingsModule,
    parts: { events: holdings.holdingsEvents, projections: holdings.holdingsProjections },
  },
  { module: MaintenanceModule },
];

/** Every family of refusals, for the published list of codes. */
export const REFUSALS: readonly Refusals[] = [
  refuseHttp,
  refuseOperation,
  refuseDatabase,
  refuseLog,
  refuseEvent,
  refuseKey,
  refuseRun,
  refuseProjection,
  refuseMaintenance,
  holdings.refuseContainer,
  holdings.refuseSlug,
];

/** One kind of part, of all contexts. */
export function partsOf<Kind extends keyof ContextParts>(kind: Kind): ContextParts[Kind][number][] {
  return CONTEXTS.flatMap(({ parts }) => [...(parts?.[kind] ?? [])]);
}
