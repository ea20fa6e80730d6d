import type { Decider } from '#kernel';
import { refuseSlug } from './slug.errors.js';
import type { SlugEvent } from './slug.events.js';
import { isContainerName, slugOf, type Slug } from './slug.state.js';

export interface ClaimSlug {
  readonly type: 'ClaimSlug';
  readonly data: {
    readonly name: string;
    readonly containerId: string;
    readonly claimId: string;
    /** Claims that their containers can no longer take up: whoever holds the slug by one of them does not hold it. */
    readonly lapsed?: readonly string[];
  };
}

export interface ReleaseSlug {
  readonly type: 'ReleaseSlug';
  readonly data: { readonly claimId: string };
}

export type SlugCommand = ClaimSlug | ReleaseSlug;

/** One slug, one container. The stream is the lock: two claims that race meet at its revision. */
export const slugDecider: Decider<Slug, SlugCommand, SlugEvent> = {
  initial: () => ({ status: 'free' }),

  decide: (command, slug) => {
    switch (command.type) {
      case 'ClaimSlug':
        return claim(command.data, slug);
      case 'ReleaseSlug':
        return release(command.data, slug);
    }
  },

  evolve: (_slug, event) => {
    switch (event.type) {
      case 'SlugClaimed':
        return { status: 'held', containerId: event.data.container_id, claimId: event.data.claim_id };
      case 'SlugReleased':
        return { status: 'free' };
    }
  },
};

function claim({ name, containerId, claimId, lapsed = [] }: ClaimSlug['data'], slug: Slug): SlugEvent[] {
  if (!isContainerName(name)) throw refuseSlug('INVALID_NAME', { field: 'name' });
  if (slug.status === 'held' && !lapsed.includes(slug.claimId)) {
    if (slug.containerId === containerId) return [];
    throw refuseSlug('NAME_TAKEN', { field: 'name', name }, `The name ${name} is taken.`);
  }
  return [{ type: 'SlugClaimed', data: { slug: slugOf(name), name, container_id: containerId, claim_id: claimId } }];
}

function release({ claimId }: ReleaseSlug['data'], slug: Slug): SlugEvent[] {
  if (slug.status === 'free' || slug.claimId !== claimId) return [];
  return [{ type: 'SlugReleased', data: { container_id: slug.containerId, claim_id: claimId } }];
}
