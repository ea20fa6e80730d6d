import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { SYSTEM, type DomainEvent } from '#kernel';
import { EventCatalog, EventStore, openKeyring, PostgresEventLog } from '#platform/eventlog';
import { ProjectionHost, type Projection } from '#platform/projections';
import { embeddedDatabase, type TestDatabase } from '#testing';
import type { ContainerCreated, ContainerEvent } from '../container/container.events.js';
import { holdingsEvents } from '../holdings.catalog.js';
import { containersProjection } from './containers.projection.js';

const ID = '0b6f6a52-0000-4000-8000-000000000001';
const OTHER = '0b6f6a52-0000-4000-8000-000000000002';
const of = { container_id: ID };

const created = (over: Partial<ContainerCreated['data']> = {}): ContainerCreated => ({
  type: 'ContainerCreated',
  data: {
    container_id: ID,
    parent_id: null,
    name: 'Art',
    claim_id: 'c1',
    theme: 'Große Kunst',
    description: 'About',
    mission_context: null,
    visibility: 'private',
    collaboration_policy: 'read-only',
    auto_refresh: false,
    modalities: ['text', 'web'],
    embedder: 'all-MiniLM-L6-v2',
    embedder_version: '1.0.0',
    dims: 384,
    policy: { privacy: 'exportable' },
    acl: {},
    created_by_agent: 'scout',
    manifest_version: '2026-03-01-001',
    ...over,
  },
});

const history: ContainerEvent[] = [
  created(),
  { type: 'ContainerPaused', data: of },
  { type: 'ContainerResumed', data: of },
  {
    type: 'ContainerRenamed',
    data: {
      ...of,
      name: 'ns/Art',
      claim_id: 'c2',
      previous_name: 'Art',
      previous_claim_id: 'c1',
      manifest_version: '2026-03-01-002',
    },
  },
  {
    type: 'ContainerRevised',
    data: { ...of, theme: 'THEME', description: null, auto_refresh: true, manifest_version: '2026-03-01-003' },
  },
  { type: 'NameClaimForfeited', data: { ...of, claim_id: 'c9' } },
  { type: 'ContainerArchived', data: of },
  { type: 'ContainerRestored', data: of },
  { type: 'ContainerArchived', data: of },
];

let held: TestDatabase;
let store: EventStore;

beforeAll(async () => {
  held = await embeddedDatabase();
  const keys = await openKeyring({ database: held.database, dataDir: held.dataDir ?? '' });
  store = new EventStore({ log: new PostgresEventLog(held.database), catalog: new EventCatalog(holdingsEvents), keys });
});
afterAll(() => held.close());

async function write(stream: string, events: readonly DomainEvent[]): Promise<void> {
  for (const [minute, event] of events.entries()) {
    const at = new Date(Date.UTC(2026, 2, 1, 12, minute));
    const context = { caller: SYSTEM, correlationId: 'c', executionId: randomUUID(), operation: 'test', at };
    await store.append(stream, [event], 'any', context);
  }
}

/** The rows a projection comes to, from the first event on. */
async function rowsOf(projection: Projection): Promise<object[]> {
  const host = new ProjectionHost({ database: held.database, store, projections: [projection] });
  await host.start();
  try {
    expect(await host.waitFor(['containers'], await store.log.head(), 10_000)).toBe(true);
    // A raised version is built beside the live one, which answers until then.
    while ((await host.status())[0]?.version !== projection.version) await sleep(10);
    expect(await host.parked('containers')).toEqual([]);
    return (await held.database.query('select * from live.containers order by id')).rows;
  } finally {
    await host.stop();
  }
}

it('comes to the same rows when every event is delivered twice', async () => {
  await write(`container-${ID}`, history);
  await write(`container-${OTHER}`, [created({ container_id: OTHER, parent_id: ID, name: 'child' })]);
  const rows = await rowsOf(containersProjection);
  expect(rows).toHaveLength(2);
  expect(rows[0]).toMatchObject({
    id: ID,
    name: 'ns/Art',
    name_folded: 'ns/art',
    slug: 'proj-ns-Art',
    theme: 'THEME',
    theme_folded: 'theme',
    description: null,
    modalities: ['text', 'web'],
    policy: { privacy: 'exportable' },
    state: 'archived',
    auto_refresh: true,
    created_by_agent: 'scout',
    manifest_version: '2026-03-01-003',
    created_at: new Date('2026-03-01T12:00:00Z'),
    updated_at: new Date('2026-03-01T12:08:00Z'),
  });
  expect(rows[1]).toMatchObject({ id: OTHER, parent_id: ID, theme_folded: 'große kunst', state: 'active' });

  const twice: Projection = {
    ...containersProjection,
    version: containersProjection.version + 1,
    apply: async (event, writer) => {
      await containersProjection.apply(event, writer);
      await containersProjection.apply(event, writer);
    },
  };
  expect(await rowsOf(twice)).toEqual(rows);
});
