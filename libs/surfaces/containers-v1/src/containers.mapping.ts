import type {
  ContainerFilter,
  ContainerPage,
  ContainerRevision,
  ContainerView,
  NewContainer,
} from '#contexts/holdings';
import type {
  ContainersDescribeDto,
  ContainersDetailDto,
  ContainersDoneDto,
  ContainersItemDto,
  ContainersListDto,
} from './containers-answers.dto.js';
import type {
  ContainersCreateRequestDto,
  ContainersListRequestDto,
  ContainersUpdateRequestDto,
} from './containers-requests.dto.js';
import type { Payload } from './envelope.js';

/** What a policy means when it does not say. */
const OBSERVABILITY = { diagnostics_enabled: true, freshness_lambda: 0.02 } as const;
const MIB = 1024 * 1024;

export function containersToNew(dto: ContainersCreateRequestDto): NewContainer {
  const { name, parent_id, modalities, embedder, embedder_version, dims, policy } = dto;
  return {
    ...profileIn(dto),
    name,
    modalities,
    policy,
    parentId: parent_id ?? undefined,
    embedder: { name: embedder, version: embedder_version, dims },
  };
}

export function containersToRevision(dto: ContainersUpdateRequestDto): ContainerRevision {
  return { ...profileIn(dto), state: dto.state };
}

export function containersToFilter({ state, limit, offset, search }: ContainersListRequestDto): ContainerFilter {
  return { state, limit, offset, search: search?.trim().toLowerCase() };
}

export function toContainersDone(id: string, message: string): Payload<ContainersDoneDto> {
  return { success: true, container_id: id, message };
}

export function toContainersList({ containers, total }: ContainerPage, withStats: boolean): Payload<ContainersListDto> {
  return {
    containers: containers.map((container) => toItem(container, withStats)),
    total,
    issues: containers.length === 0 ? ['NO_RESULTS'] : [],
  };
}

export function toContainersDescribe(view: ContainerView): Payload<ContainersDescribeDto> {
  return { container: toDetail(view) };
}

function profileIn(dto: ContainersCreateRequestDto | ContainersUpdateRequestDto) {
  const { theme, description, visibility } = dto;
  return {
    theme,
    description,
    visibility,
    missionContext: dto.mission_context,
    collaborationPolicy: dto.collaboration_policy,
    autoRefresh: dto.auto_refresh,
  };
}

function toItem(
  { id, name, theme, modalities, state, stats, ...view }: ContainerView,
  withStats: boolean,
): ContainersItemDto {
  const { documents, chunks, sizeBytes, lastIngest } = stats;
  const size = { size_mb: mebibytes(sizeBytes), last_ingest: lastIngest?.toISOString() ?? null };
  return {
    id,
    name,
    theme,
    modalities,
    state,
    ...(withStats ? { stats: { document_count: documents, chunk_count: chunks, ...size } } : {}),
    created_at: view.createdAt.toISOString(),
    updated_at: view.updatedAt.toISOString(),
  };
}

function toDetail(view: ContainerView): ContainersDetailDto {
  const { id, name, theme, description, modalities, embedder, dims, policy, state, visibility, stats } = view;
  const { diagnostics_enabled, freshness_lambda } = { ...OBSERVABILITY, ...policy };
  return {
    id,
    parent_id: view.parentId,
    name,
    theme,
    description,
    modalities,
    embedder,
    embedder_version: view.embedderVersion,
    dims,
    policy,
    state,
    visibility,
    collaboration_policy: view.collaborationPolicy,
    auto_refresh: view.autoRefresh,
    mission_context: view.missionContext,
    created_by_agent: view.createdByAgent,
    manifest_version: view.manifestVersion,
    stats: {
      documents: stats.documents,
      chunks: stats.chunks,
      text_chunks: stats.textChunks,
      image_chunks: stats.imageChunks,
      size_mb: mebibytes(stats.sizeBytes),
      last_ingest: stats.lastIngest?.toISOString() ?? null,
    },
    observability: { diagnostics_enabled, freshness_lambda },
    created_at: view.createdAt.toISOString(),
    updated_at: view.updatedAt.toISOString(),
  };
}

function mebibytes(bytes: number): number {
  return Math.round((bytes / MIB) * 10) / 10;
}
