import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isErased, isRefusal, type Caller } from '#kernel';
import { EventCatalog, EventStore, openKeyring, PostgresEventLog, type Keyring } from '#platform/eventlog';
import { Execution, type AnyOperation } from '#platform/operations';
import { dataSourceFor } from '#platform/postgres';
import { ProjectionHost } from '#platform/projections';
import { embeddedDatabase, type TestDatabase } from '#testing';
import { holdingsEvents, holdingsProjections } from '../holdings.module.js';
import { ContainerRow, ContainerRows } from '../read/container-rows.js';
import { ArchiveContainer, ArchiveContainerHandler } from './archive-container.command.js';
import { CreateContainer, CreateContainerHandler, type NewContainer } from './create-container.command.js';
import { FindContainers, FindContainersHandler, type ContainerFilter } from './find-containers.query.js';
import { GetContainer, GetContainerHandler } from './get-container.query.js';
import { RenameContainer, RenameContainerHandler } from './rename-container.command.js';
import { ReviseContainer, ReviseContainerHandler } from './revise-container.command.js';
import { containerStream, slugStream } from './streams.js';

const caller: Caller = { kind: 'human', id: 'principal:ann', roles: ['owner'] };
const MINUTE = 60_000;

let held: TestDatabase;
let store: EventStore;
let keys: Keyring;
let host: ProjectionHost;
let rows: ContainerRows;

beforeAll(async () => {
  held = await embeddedDatabase();
  keys = await openKeyring({ database: held.database, dataDir: held.dataDir ?? '' });
  const log = new PostgresEventLog(held.database);
  store = new EventStore({ log, catalog: new EventCatalog(holdingsEvents), keys });
  host = new ProjectionHost({ database: held.database, store, projections: holdingsProjections });
  await host.start();
  const source = await dataSourceFor(held.database, [ContainerRow]);
  rows = new ContainerRows(ContainerRow, source.manager);
});

afterAll(async () => {
  await host.stop();
  await held.close();
});

function begun<O extends AnyOperation>(operation: O, at = new Date()): O {
  const signal = new AbortController().signal;
  operation.execution = new Execution(randomUUID(), 'test', caller, randomUUID(), at, signal);
  return operation;
}

const create = (input: NewContainer, at?: Date) =>
  new CreateContainerHandler(store).execute(begun(new CreateContainer(caller, input), at));
const rename = (reference: string, name: string, at?: Date) =>
  new RenameContainerHandler(store).execute(begun(new RenameContainer(caller, reference, name), at));
const revise = (reference: string, input: ReviseContainer['input']) =>
  new ReviseContainerHandler(store).execute(begun(new ReviseContainer(caller, reference, input)));
const archive = (reference: string) =>
  new ArchiveContainerHandler(store, held.database, host).execute(begun(new ArchiveContainer(caller, reference)));

async function get(reference: string) {
  expect(await host.waitFor(['containers'], await store.log.head(), 10_000)).toBe(true);
  return new GetContainerHandler(rows).execute(begun(new GetContainer(caller, reference)));
}

async function find(input: Partial<ContainerFilter>) {
  expect(await host.waitFor(['containers'], await store.log.head(), 10_000)).toBe(true);
  const filter = { state: 'active', limit: 100, offset: 0, ...input } as const;
  return new FindContainersHandler(rows).execute(begun(new FindContainers(caller, filter)));
}

/** The store of a process that is held up just before it writes to a container's stream, while something else happens. */
function heldUp(meanwhile: () => Promise<unknown>): EventStore {
  let happened = false;
  const append: EventStore['append'] = async (stream, ...rest) => {
    if (stream.startsWith('container-') && !happened) {
      happened = true;
      await meanwhile();
    }
    return store.append(stream, ...rest);
  };
  return Object.assign(Object.create(store) as EventStore, { append });
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'done',
    (error: unknown) => (isRefusal(error) ? error.code : String(error)),
  );
}

/** A claim as a process leaves it that dies before the container takes it up. */
async function abandonedClaim(
  name: string,
  containerId: string = randomUUID(),
): Promise<{ claimId: string; containerId: string }> {
  const claimId = randomUUID();
  const data = { slug: name, name, container_id: containerId, claim_id: claimId };
  const { execution } = begun(new GetContainer(caller, name));
  await store.append(slugStream(name), [{ type: 'SlugClaimed', data }], 'any', execution.context());
  return { claimId, containerId };
}

describe('names', () => {
  it('go to exactly one of twenty that want the same at once', async () => {
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => codeOf(create({ name: 'wanted' }))));
    expect(outcomes.filter((code) => code === 'done')).toHaveLength(1);
    expect(outcomes.filter((code) => code === 'NAME_TAKEN')).toHaveLength(19);
    expect((await find({ search: 'wanted' })).total).toBe(1);
  });

  it('go to one of those that look the same as a collection', async () => {
    const outcomes = await Promise.all(['p/q-r', 'p-q/r', 'proj-p-q-r'].map((name) => codeOf(create({ name }))));
    expect(outcomes.sort()).toEqual(['NAME_TAKEN', 'NAME_TAKEN', 'done']);
  });

  it('differ by case', async () => {
    await create({ name: 'Case' });
    await create({ name: 'case' });
    expect((await get('Case')).name).toBe('Case');
  });

  it('may be as long as allowed, also in a namespace', async () => {
    const name = `${'n'.repeat(100)}/${'m'.repeat(99)}`;
    const { id } = await create({ name });
    expect(await codeOf(create({ name: `proj-${name.replace('/', '-')}`.slice(0, 200) }))).toBe('done');
    expect(await codeOf(create({ name }))).toBe('NAME_TAKEN');
    expect((await get(name)).id).toBe(id);
  });

  it('are not claimed for what is refused anyway', async () => {
    expect(await codeOf(create({ name: 'later', policy: { privacy: 'none' } }))).toBe('INVALID_POLICY');
    expect(await codeOf(create({ name: 'later' }))).toBe('done');
  });

  it('claimed by a process that died are free after a minute, and not for it any more', async () => {
    const { claimId, containerId } = await abandonedClaim('orphan');
    expect(await codeOf(create({ name: 'orphan' }))).toBe('NAME_TAKEN');
    const { id } = await create({ name: 'orphan' }, new Date(Date.now() + MINUTE));
    expect((await get('orphan')).id).toBe(id);
    const late = [];
    for await (const event of store.read(containerStream(containerId))) late.push(event.data);
    expect(late).toEqual([{ container_id: containerId, claim_id: claimId }]);
  });

  it('are lost to a process that was held up for so long that another took over', async () => {
    const slow = heldUp(() => create({ name: 'slow' }, new Date(Date.now() + MINUTE)));
    const late = new CreateContainerHandler(slow).execute(begun(new CreateContainer(caller, { name: 'slow' })));
    expect(await codeOf(late)).toBe('NAME_CLAIM_LOST');
    expect((await find({ search: 'slow' })).total).toBe(1);

    const { id } = await create({ name: 'slow-a' });
    const slower = heldUp(() => create({ name: 'slow-b' }, new Date(Date.now() + MINUTE)));
    const renaming = new RenameContainerHandler(slower).execute(begun(new RenameContainer(caller, id, 'slow-b')));
    expect(await codeOf(renaming)).toBe('NAME_CLAIM_LOST');
    expect((await get(id)).name).toBe('slow-a');
  });

  it('of an abandoned claim go to exactly one of many', async () => {
    await abandonedClaim('orphans');
    const later = new Date(Date.now() + MINUTE);
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => codeOf(create({ name: 'orphans' }, later))));
    expect(outcomes.filter((code) => code === 'done')).toHaveLength(1);
    expect((await find({ search: 'orphans' })).total).toBe(1);
  });
});

describe('renaming', () => {
  it('frees the old name and keeps the container', async () => {
    const { id } = await create({ name: 'before' });
    await rename('before', 'after');
    const claims = [];
    for await (const event of store.read(slugStream('before'))) claims.push(event.type);
    expect(claims).toEqual(['SlugClaimed', 'SlugReleased']);
    expect((await get('after')).id).toBe(id);
    expect(await codeOf(get('before'))).toBe('CONTAINER_NOT_FOUND');
    expect(await codeOf(revise('before', {}))).toBe('CONTAINER_NOT_FOUND');
    expect(await codeOf(create({ name: 'before' }))).toBe('done');
  });

  it('is refused when the name is taken, and leaves everything as it was', async () => {
    await create({ name: 'mine' });
    await create({ name: 'yours' });
    expect(await codeOf(rename('mine', 'yours'))).toBe('NAME_TAKEN');
    expect(await codeOf(rename('mine', 'not a name'))).toBe('INVALID_NAME');
    expect((await get('mine')).manifestVersion).toMatch(/-001$/);
  });

  it('goes there and back, and across spellings of one slug', async () => {
    const { id } = await create({ name: 's/t-u' });
    for (const name of ['s-t/u', 'elsewhere', 's/t-u', 's/t-u']) await rename(id, name);
    expect(await get('s/t-u')).toMatchObject({ id, manifestVersion: expect.stringMatching(/-004$/) as unknown });
    expect(await codeOf(get('s-t/u'))).toBe('CONTAINER_NOT_FOUND');
    expect(await codeOf(create({ name: 's-t/u' }))).toBe('NAME_TAKEN');
  });

  it('takes up what a died attempt of its own claimed, at once', async () => {
    const { id } = await create({ name: 'twice-tried' });
    await abandonedClaim('second-try', id);
    await rename(id, 'second-try');
    expect((await get('second-try')).id).toBe(id);
  });

  it('whose release was lost does not block the old name', async () => {
    const { id } = await create({ name: 'lost-a' });
    const claims = [];
    for await (const event of store.read(slugStream('lost-a'))) claims.push(event);
    await rename(id, 'lost-b');
    // As if the release had never been written: the old claim stands again.
    const { execution } = begun(new GetContainer(caller, id));
    await store.append(
      slugStream('lost-a'),
      [{ type: 'SlugClaimed', data: claims[0]?.data }],
      'any',
      execution.context(),
    );
    expect(await codeOf(create({ name: 'lost-a' }))).toBe('done');
  });

  it('by many at once leaves one name, and frees the others', async () => {
    const { id } = await create({ name: 'race-0' });
    const names = ['race-1', 'race-2', 'race-3', 'race-4'];
    await Promise.all(names.map((name) => rename(id, name)));
    const { name: last } = await get(id);
    for (const name of ['race-0', ...names].filter((each) => each !== last)) {
      expect([name, await codeOf(create({ name }))]).toEqual([name, 'done']);
    }
    expect(await codeOf(create({ name: last }))).toBe('NAME_TAKEN');
  });
});

describe('archiving', () => {
  it('takes all descendants along, and lets one be restored', async () => {
    const root = await create({ name: 'root', policy: { max_pdf_pages: 3 } });
    const child = await create({ name: 'child', parentId: root.id });
    const grandchild = await create({ name: 'grandchild', parentId: child.id });
    expect((await get('grandchild')).policy).toEqual({ max_pdf_pages: 3 });
    expect(await archive('root')).toMatchObject({ id: root.id, descendants: 2 });
    for (const { id } of [root, child, grandchild]) expect((await get(id)).state).toBe('archived');
    expect(await codeOf(create({ name: 'too-late', parentId: child.id }))).toBe('PARENT_ARCHIVED');
    expect(await codeOf(rename(child.id, 'other'))).toBe('CONTAINER_ARCHIVED');
    await revise(grandchild.id, { state: 'active' });
    expect((await get('grandchild')).state).toBe('active');
    expect(await archive('root')).toMatchObject({ descendants: 2 });
    expect((await get('grandchild')).state).toBe('archived');
  });

  it('leaves no active child behind, whenever it is created', async () => {
    const { id } = await create({ name: 'busy' });
    const children = Array.from({ length: 10 }, (_, n) => codeOf(create({ name: `busy-${n}`, parentId: id })));
    const outcomes = await Promise.all([archive(id), ...children]);
    expect(outcomes.slice(1).every((code) => code === 'done' || code === 'PARENT_ARCHIVED')).toBe(true);
    expect((await find({ search: 'busy', state: 'active' })).total).toBe(0);
  });

  it('takes along the child that was being created when its parent went', async () => {
    const { id } = await create({ name: 'leaving' });
    const store = heldUp(() => archive(id));
    const child = new CreateContainer(caller, { name: 'left', parentId: id });
    await new CreateContainerHandler(store).execute(begun(child));
    expect((await get('left')).state).toBe('archived');
  });

  it('is refused when there is nothing', async () => {
    expect(await codeOf(archive(randomUUID()))).toBe('CONTAINER_NOT_FOUND');
    expect(await codeOf(archive('no such name'))).toBe('CONTAINER_NOT_FOUND');
  });
});

describe('finding', () => {
  it('looks for a part of name or theme, in any case, letter by letter', async () => {
    await create({ name: 'Find_me', theme: 'ÄGYPTEN 100%' });
    await create({ name: 'Findxme', theme: 'Other' });
    for (const search of ['find_ME', 'ägypten', '100%', 'A\u0308GYPTEN']) {
      const { containers } = await find({ search });
      expect(containers.map(({ name }) => name)).toEqual(['Find_me']);
    }
    expect((await find({ search: '%' })).total).toBe(1);
    expect((await find({ search: '\\' })).total).toBe(0);
  });

  it('pages newest first, without gaps or repeats', async () => {
    const at = new Date();
    for (let n = 0; n < 7; n += 1) await create({ name: `page-${n}` }, at);
    const whole = await find({ search: 'page-' });
    expect(whole.containers.map(({ name }) => name)).toEqual([6, 5, 4, 3, 2, 1, 0].map((n) => `page-${n}`));
    const pages = await Promise.all([0, 3, 6, 9].map((offset) => find({ search: 'page-', limit: 3, offset })));
    expect(pages.flatMap(({ containers }) => containers)).toEqual(whole.containers);
    expect(pages.map(({ total }) => total)).toEqual([7, 7, 7, 7]);
  });
});

describe('a container', () => {
  it('reads as it was created, revised and paused', async () => {
    const { id } = await create({ name: 'whole', description: 'd', missionContext: 'm', modalities: ['web'] });
    await revise('whole', { theme: 'T', description: null, visibility: 'team', autoRefresh: true, state: 'paused' });
    expect(await get(id.toUpperCase())).toMatchObject({
      id,
      parentId: null,
      name: 'whole',
      theme: 'T',
      description: null,
      missionContext: 'm',
      modalities: ['web'],
      embedder: 'all-MiniLM-L6-v2',
      dims: 384,
      state: 'paused',
      visibility: 'team',
      collaborationPolicy: 'read-only',
      autoRefresh: true,
      stats: { documents: 0, chunks: 0, textChunks: 0, imageChunks: 0, sizeBytes: 0, lastIngest: null },
    });
    expect(await revise('whole', { theme: 'T' })).toMatchObject({ changed: false });
  });

  it('loses its texts when its key is erased, and can still be read and archived', async () => {
    const { id } = await create({ name: 'secret', theme: 'Private matters', description: 'very' });
    await revise(id, { visibility: 'public' });
    await keys.erase(`container-${id}`);
    for await (const event of store.read(containerStream(id))) {
      const { theme } = event.data as { theme?: unknown };
      expect(theme === undefined || isErased(theme)).toBe(true);
    }
    await archive(id);
    await host.rebuild('containers');
    await host.rebuilt('containers');
    expect(await get(id)).toMatchObject({
      theme: 'erased',
      description: 'erased',
      state: 'archived',
      visibility: 'public',
    });
  });
});
