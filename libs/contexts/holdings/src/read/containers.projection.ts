import { shown, type Sealable } from '#kernel';
import type { RecordedEvent } from '#platform/eventlog';
import type { Projection, Row, RowWriter } from '#platform/projections';
import type { ContainerCreated, ContainerEvent, ContainerProfile } from '../container/container.events.js';
import { slugOf } from '../slug/slug.state.js';

/** Text as it is searched: the case, and the ways to write one character, do not matter. Done here, so on all engines alike. */
export function folded(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

/** One row per container, with what it holds in numbers. */
export const containersProjection: Projection = {
  name: 'containers',
  version: 1,
  tables: {
    containers: {
      columns: {
        id: 'uuid',
        parent_id: 'uuid',
        name: 'text not null',
        name_folded: 'text not null',
        slug: 'text not null',
        theme: 'text not null',
        theme_folded: 'text not null',
        description: 'text',
        modalities: 'text[] not null',
        embedder: 'text not null',
        embedder_version: 'text not null',
        dims: 'integer not null',
        policy: 'jsonb not null',
        acl: 'jsonb not null',
        state: 'text not null',
        visibility: 'text not null',
        collaboration_policy: 'text not null',
        auto_refresh: 'boolean not null',
        mission_context: 'text',
        created_by_agent: 'text',
        manifest_version: 'text not null',
        documents: 'integer not null',
        chunks: 'integer not null',
        text_chunks: 'integer not null',
        image_chunks: 'integer not null',
        size_bytes: 'bigint not null',
        last_ingest: 'timestamptz',
        created_at: 'timestamptz not null',
        updated_at: 'timestamptz not null',
      },
      key: ['id'],
      indexes: ['(name)', '(slug)', '(parent_id)', '(state, created_at desc, id desc)', '(created_at desc, id desc)'],
    },
  },
  handles: [
    'ContainerCreated',
    'ContainerRenamed',
    'ContainerRevised',
    'ContainerPaused',
    'ContainerResumed',
    'ContainerArchived',
    'ContainerRestored',
  ],
  apply: (event, rows) => apply(event as RecordedEvent<ContainerEvent>, rows),
};

function apply(event: RecordedEvent<ContainerEvent>, rows: RowWriter): void {
  const { at } = event.metadata;
  const patch = (changes: Row) =>
    rows.patch('containers', { id: event.data.container_id }, { ...changes, updated_at: at });
  switch (event.type) {
    case 'ContainerCreated':
      return rows.upsert('containers', { ...created(event.data), created_at: at, updated_at: at });
    case 'ContainerRenamed':
      return patch({ ...named(event.data.name), manifest_version: event.data.manifest_version });
    case 'ContainerRevised': {
      const { container_id: _id, manifest_version, ...changes } = event.data;
      return patch({ ...profiled(changes), manifest_version });
    }
    case 'ContainerPaused':
      return patch({ state: 'paused' });
    case 'ContainerResumed':
    case 'ContainerRestored':
      return patch({ state: 'active' });
    case 'ContainerArchived':
      return patch({ state: 'archived' });
    case 'NameClaimForfeited':
      return;
  }
}

function created({ container_id, claim_id: _claim, name, policy, acl, ...facts }: ContainerCreated['data']): Row {
  return {
    ...facts,
    ...profiled(facts),
    ...named(name),
    id: container_id,
    policy,
    acl,
    state: 'active',
    documents: 0,
    chunks: 0,
    text_chunks: 0,
    image_chunks: 0,
    size_bytes: 0,
    last_ingest: null,
  };
}

function named(name: string): Row {
  return { name, name_folded: folded(name), slug: slugOf(name) };
}

function profiled({ theme, description, mission_context, ...rest }: Partial<ContainerProfile>): Row {
  return {
    ...rest,
    ...(theme === undefined ? {} : { theme: shown(theme), theme_folded: folded(shown(theme)) }),
    ...(description === undefined ? {} : { description: text(description) }),
    ...(mission_context === undefined ? {} : { mission_context: text(mission_context) }),
  };
}

function text(value: Sealable<string> | null): string | null {
  return value === null ? null : shown(value);
}
