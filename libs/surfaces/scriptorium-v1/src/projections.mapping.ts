import type { ParkedEvent, ProjectionStatus, Rebuild, RebuildReport } from '#contexts/maintenance';
import type {
  ScriptoriumParkedEventDto,
  ScriptoriumProjectionDto,
  ScriptoriumRebuildDto,
  ScriptoriumRebuildReportDto,
} from './projections.dto.js';

export function toProjection({
  name,
  version,
  position,
  lag,
  parked,
  state,
  rebuild,
  error,
}: ProjectionStatus): ScriptoriumProjectionDto {
  return { name, version, position, lag, parked, state, ...(rebuild ? { rebuild } : {}), ...(error ? { error } : {}) };
}

export function toRebuild(rebuild: Rebuild): ScriptoriumRebuildDto {
  const { name, version, state } = rebuild;
  const rest = rebuild.state === 'done' ? { report: toReport(rebuild.report) } : { progress: rebuild.progress };
  return { name, version, state, ...rest };
}

function toReport({
  previous,
  position,
  events,
  seconds,
  identical,
  tables,
}: RebuildReport): ScriptoriumRebuildReportDto {
  return {
    previous,
    position,
    events,
    seconds,
    identical,
    tables: tables.map(({ onlyBefore, onlyAfter, ...table }) => ({
      ...table,
      only_before: onlyBefore,
      only_after: onlyAfter,
    })),
  };
}

export function toParked({ parkedAt, ...parked }: ParkedEvent): ScriptoriumParkedEventDto {
  return { ...parked, parked_at: parkedAt.toISOString() };
}
