import { describe, expect, it } from '@jest/globals';
import { ERASED } from '#kernel';
import { specFor } from '#testing';
import { containerDecider, type ContainerCommand, type CreateData } from './container.decider.js';
import type { ContainerCreated, ContainerEvent, NameClaimForfeited } from './container.events.js';
import { DEFAULT_EMBEDDER, nextManifestVersion, type Container } from './container.state.js';

const given = specFor(containerDecider);
const ID = '0b6f6a52-0000-4000-8000-000000000001';
const data = { container_id: ID };
const day = '2026-03-01';

const create = (over: Partial<CreateData> = {}): ContainerCommand => ({
  type: 'Create',
  data: { id: ID, name: 'art', claimId: 'claim-1', profile: {}, installed: [DEFAULT_EMBEDDER], day, ...over },
});

const created = (over: Partial<ContainerCreated['data']> = {}): ContainerCreated => ({
  type: 'ContainerCreated',
  data: {
    container_id: ID,
    parent_id: null,
    name: 'art',
    claim_id: 'claim-1',
    theme: 'art',
    description: null,
    mission_context: null,
    visibility: 'private',
    collaboration_policy: 'read-only',
    auto_refresh: false,
    modalities: ['text', 'pdf', 'image'],
    embedder: 'all-MiniLM-L6-v2',
    embedder_version: '1.0.0',
    dims: 384,
    policy: {},
    acl: {},
    created_by_agent: null,
    manifest_version: '2026-03-01-001',
    ...over,
  },
});

const paused: ContainerEvent = { type: 'ContainerPaused', data };
const archived: ContainerEvent = { type: 'ContainerArchived', data };
const restored: ContainerEvent = { type: 'ContainerRestored', data };
const renamed = (
  name: string,
  claim: string,
  from = ['art', 'claim-1'],
  version = '2026-03-01-002',
): ContainerEvent => ({
  type: 'ContainerRenamed',
  data: {
    ...data,
    name,
    claim_id: claim,
    previous_name: from[0] ?? '',
    previous_claim_id: from[1] ?? '',
    manifest_version: version,
  },
});
const forfeited = (claim: string): NameClaimForfeited => ({
  type: 'NameClaimForfeited',
  data: { ...data, claim_id: claim },
});
const stateAfter = (...events: ContainerEvent[]): Container =>
  events.reduce<Container>((state, event) => containerDecider.evolve(state, event), containerDecider.initial());

describe('Create', () => {
  it('fills in what the caller leaves open', () => given().when(create()).then(created()));

  it('keeps what the caller says', () => {
    const profile = {
      theme: 'Expressionism',
      description: 'Paintings',
      mission_context: 'Exhibition',
      visibility: 'team',
      collaboration_policy: 'contribute',
      auto_refresh: true,
    } as const;
    const policy = { privacy: 'exportable', retention_days: null, house_rule: [1, { a: null }] };
    given()
      .when(create({ profile, modalities: ['web'], policy, createdByAgent: 'scout', embedder: DEFAULT_EMBEDDER }))
      .then(created({ ...profile, modalities: ['web'], policy, created_by_agent: 'scout' }));
  });

  it('gives a child the policy of its parent', () => {
    const parent = { id: 'p', container: stateAfter(created({ policy: { max_pdf_pages: 7 } })) };
    given()
      .when(create({ parent, policy: { max_pdf_pages: 9 } }))
      .then(created({ parent_id: 'p', policy: { max_pdf_pages: 7 } }));
  });

  it.each([
    ['an unknown parent', { parent: { id: 'p', container: stateAfter() } }, 'PARENT_NOT_FOUND'],
    ['an archived parent', { parent: { id: 'p', container: stateAfter(created(), archived) } }, 'PARENT_ARCHIVED'],
    ['no modality', { modalities: [] }, 'INVALID_MODALITIES'],
    ['a modality twice', { modalities: ['text', 'text'] }, 'INVALID_MODALITIES'],
    ['an unknown modality', { modalities: ['video'] }, 'INVALID_MODALITIES'],
    ['an embedder that is not installed', { embedder: { name: 'nomic' } }, 'EMBEDDER_UNKNOWN'],
    ['another version of the embedder', { embedder: { version: '2.0.0' } }, 'EMBEDDER_UNKNOWN'],
    ['other dimensions than the embedder has', { embedder: { dims: 768 } }, 'EMBEDDER_UNKNOWN'],
    ['a blank theme', { profile: { theme: ' ' } }, 'INVALID_TEXT'],
    ['a theme that is too long', { profile: { theme: 'x'.repeat(501) } }, 'INVALID_TEXT'],
    ['a text with NUL', { profile: { description: 'a\0b' } }, 'INVALID_TEXT'],
    ['a text with half a character', { profile: { mission_context: 'a\ud800' } }, 'INVALID_TEXT'],
  ])('refuses %s', (_, over, code) => given().when(create(over)).thenRefused(code));

  it.each([
    ['retention_days', 0],
    ['retention_days', '30'],
    ['privacy', 'public'],
    ['freshness_lambda', -1],
    ['dedup_threshold', 1.1],
    ['max_chunk_tokens', 1.5],
    ['max_pdf_pages', null],
    ['allowed_domains', ['']],
    ['diagnostics_enabled', 'yes'],
    ['notes', 'a\0b'],
    ['nul\0', 1],
    ['deep', Array.from({ length: 30 }).reduce<unknown>((inner) => [inner], 1)],
  ])('refuses the policy field %j with %j', (field, value) =>
    given()
      .when(create({ policy: { [field]: value } }))
      .thenRefused('INVALID_POLICY'),
  );

  it('refuses an id that is in use', () =>
    given(created())
      .when(create({ claimId: 'claim-2' }))
      .thenRefused('CONTAINER_EXISTS'));

  it('refuses a claim that was forfeited meanwhile', () =>
    given(forfeited('claim-1')).when(create()).thenRefused('NAME_CLAIM_LOST'));

  it('stays quiet when the same creation comes again', () => given(created()).when(create()).thenNothing());
});

describe('Rename', () => {
  const rename = (name: string, claimId: string) => ({ type: 'Rename' as const, data: { name, claimId, day } });

  it('takes the new name and says which one it had', () =>
    given(created()).when(rename('kunst', 'claim-2')).then(renamed('kunst', 'claim-2')));

  it('may write the same slug differently by the claim it has', () =>
    given(created({ name: 'a/b-c' }))
      .when(rename('a-b/c', 'claim-1'))
      .then(renamed('a-b/c', 'claim-1', ['a/b-c', 'claim-1'])));

  it('refuses what does not exist', () => given().when(rename('kunst', 'claim-2')).thenRefused('CONTAINER_NOT_FOUND'));
  it('refuses an archived container', () =>
    given(created(), archived).when(rename('kunst', 'claim-2')).thenRefused('CONTAINER_ARCHIVED'));
  it('refuses a forfeited claim', () =>
    given(created(), forfeited('claim-2')).when(rename('kunst', 'claim-2')).thenRefused('NAME_CLAIM_LOST'));
  it('refuses the claim of a name it has left', () =>
    given(created(), renamed('kunst', 'claim-2')).when(rename('art', 'claim-1')).thenRefused('NAME_CLAIM_LOST'));
  it('stays quiet when it has that name', () => given(created()).when(rename('art', 'claim-2')).thenNothing());
});

describe('Revise', () => {
  const revise = (profile: object, state?: 'active' | 'paused') => ({
    type: 'Revise' as const,
    data: { profile, ...(state === undefined ? {} : { state }), day },
  });
  const revised = (changes: object): ContainerEvent => ({
    type: 'ContainerRevised',
    data: { ...data, ...changes, manifest_version: '2026-03-01-002' },
  });

  it('says only what changed', () =>
    given(created({ description: 'old' }))
      .when(revise({ theme: 'art', description: null, visibility: 'public', auto_refresh: undefined }))
      .then(revised({ description: null, visibility: 'public' })));

  it('writes anew over an erased text', () =>
    given(created({ theme: ERASED }))
      .when(revise({ theme: 'art' }))
      .then(revised({ theme: 'art' })));

  it('pauses', () => given(created()).when(revise({}, 'paused')).then(paused));
  it('resumes', () => given(created(), paused).when(revise({}, 'active')).then({ type: 'ContainerResumed', data }));
  it('restores what was archived', () => given(created(), archived).when(revise({}, 'active')).then(restored));
  it('restores into a pause, with a new theme', () =>
    given(created(), paused, archived)
      .when(revise({ theme: 'x' }, 'paused'))
      .then(restored, paused, revised({ theme: 'x' })));

  it('refuses what does not exist', () =>
    given()
      .when(revise({ theme: 'x' }))
      .thenRefused('CONTAINER_NOT_FOUND'));
  it('refuses an archived container that stays archived', () =>
    given(created(), archived)
      .when(revise({ theme: 'x' }))
      .thenRefused('CONTAINER_ARCHIVED'));
  it('refuses a blank theme', () =>
    given(created())
      .when(revise({ theme: '' }))
      .thenRefused('INVALID_TEXT'));
  it('stays quiet when nothing changes', () =>
    given(created())
      .when(revise({ theme: 'art' }, 'active'))
      .thenNothing());
});

describe('Archive', () => {
  it('archives', () => given(created()).when({ type: 'Archive' }).then(archived));
  it('refuses what does not exist', () => given().when({ type: 'Archive' }).thenRefused('CONTAINER_NOT_FOUND'));
  it('stays quiet when it is archived', () => given(created(), archived).when({ type: 'Archive' }).thenNothing());
});

describe('ForfeitClaim', () => {
  const claimedAt = new Date('2026-03-01T12:00:00Z');
  const after = (seconds: number, claimId = 'claim-2') => ({
    type: 'ForfeitClaim' as const,
    data: { id: ID, claimId, claimedAt, now: new Date(claimedAt.getTime() + seconds * 1000) },
  });

  it('gives up a claim that no container took up in time', () => given().when(after(60)).then(forfeited('claim-2')));
  it('gives up a name that a container did not get round to', () =>
    given(created()).when(after(60)).then(forfeited('claim-2')));
  it('stays quiet while the claim is fresh', () => given().when(after(59.9)).thenNothing());
  it('stays quiet about the name in use', () => given(created()).when(after(3600, 'claim-1')).thenNothing());
  it('stays quiet about a claim already spent', () => given(forfeited('claim-2')).when(after(3600)).thenNothing());
});

describe('nextManifestVersion', () => {
  it.each([
    [undefined, '2026-03-01-001'],
    ['2026-02-28-004', '2026-03-01-001'],
    ['2026-03-01-009', '2026-03-01-010'],
    ['2026-03-01-999', '2026-03-01-1000'],
    ['2026-03-02-001', '2026-03-02-002'],
  ])('follows %s with %s', (previous, next) => expect(nextManifestVersion(day, previous)).toBe(next));
});
