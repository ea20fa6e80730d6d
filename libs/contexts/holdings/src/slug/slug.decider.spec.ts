import { describe, expect, it } from '@jest/globals';
import { specFor } from '#testing';
import { slugDecider } from './slug.decider.js';
import type { SlugEvent } from './slug.events.js';
import { isContainerName, slugOf } from './slug.state.js';

const given = specFor(slugDecider);

const claim = (name: string, containerId = 'one', claimId = 'claim-1', lapsed: string[] = []) => ({
  type: 'ClaimSlug' as const,
  data: { name, containerId, claimId, lapsed },
});
const release = (claimId: string) => ({ type: 'ReleaseSlug' as const, data: { claimId } });
const claimed = (name: string, container_id = 'one', claim_id = 'claim-1'): SlugEvent => ({
  type: 'SlugClaimed',
  data: { slug: slugOf(name), name, container_id, claim_id },
});
const released: SlugEvent = { type: 'SlugReleased', data: { container_id: 'one', claim_id: 'claim-1' } };

describe('ClaimSlug', () => {
  it('takes a free slug', () => given().when(claim('a/b')).then(claimed('a/b')));
  it('takes a released one', () =>
    given(claimed('art'), released)
      .when(claim('art', 'two', 'claim-2'))
      .then(claimed('art', 'two', 'claim-2')));
  it('takes one whose claim lapsed', () =>
    given(claimed('art'))
      .when(claim('art', 'two', 'claim-2', ['claim-1']))
      .then(claimed('art', 'two', 'claim-2')));

  it('refuses a taken one', () =>
    given(claimed('art'))
      .when(claim('art', 'two', 'claim-2'))
      .thenRefused('NAME_TAKEN'));
  it('refuses one that somebody else took over first', () =>
    given(claimed('art'), claimed('art', 'three', 'claim-3'))
      .when(claim('art', 'two', 'claim-2', ['claim-1']))
      .thenRefused('NAME_TAKEN'));
  it('refuses what is no name', () => given().when(claim('a b')).thenRefused('INVALID_NAME'));

  it('takes anew what the container holds by a spent claim', () =>
    given(claimed('art'))
      .when(claim('art', 'one', 'claim-2', ['claim-1']))
      .then(claimed('art', 'one', 'claim-2')));

  it('stays quiet when the container has it', () =>
    given(claimed('art'))
      .when(claim('art', 'one', 'claim-2'))
      .thenNothing());
});

describe('ReleaseSlug', () => {
  it('frees the slug', () => given(claimed('art')).when(release('claim-1')).then(released));
  it('stays quiet when it is held by another claim', () =>
    given(claimed('art')).when(release('claim-2')).thenNothing());
  it('stays quiet when it is free', () => given().when(release('claim-1')).thenNothing());
});

describe('a name', () => {
  it.each(['a', 'A-b_9', 'ns/name', '-', 'x'.repeat(200)])('may be %s', (name) =>
    expect(isContainerName(name)).toBe(true),
  );
  it.each([
    '',
    ' ',
    'a b',
    'a/b/c',
    '/a',
    'a/',
    'ä',
    'a.b',
    'a\n',
    'x'.repeat(201),
    '0b6f6a52-0000-4000-8000-00000000000A',
  ])('may not be %j', (name) => expect(isContainerName(name)).toBe(false));
  it('collides with those that look the same as a collection', () =>
    expect(new Set(['a/b-c', 'a-b/c', 'proj-a-b-c'].map(slugOf)).size).toBe(1));
  it('keeps its case', () => expect(slugOf('Art')).not.toBe(slugOf('art')));
});
