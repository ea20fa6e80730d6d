import { isRefusal } from '#kernel';
import { containerDecider } from '../container/container.decider.js';
import { slugDecider } from '../slug/slug.decider.js';
import type { SlugEvent } from '../slug/slug.events.js';
import { containerStream, decideOn, slugStream, type Desk } from './streams.js';

export interface NameClaim {
  readonly name: string;
  readonly containerId: string;
  readonly claimId: string;
  /** Claims that are known to have lapsed. */
  readonly lapsed?: readonly string[];
}

/**
 * Claims a name for a container that is about to take it up, and gives the id of the claim it is held by. There is no
 * transaction over two streams, so a crash can leave a claim that nobody takes up: it is taken over after a while, and
 * the container it was for is told so in its own stream, where a latecomer will find it.
 */
export async function claimName(desk: Desk, claim: NameClaim): Promise<string> {
  try {
    return await take(desk, claim);
  } catch (error) {
    if (!isRefusal(error, 'NAME_TAKEN')) throw error;
    const lapsed = await lapsedClaimOn(desk, claim.name);
    if (lapsed === undefined) throw error;
    return take(desk, { ...claim, lapsed: [lapsed] });
  }
}

export async function releaseName(desk: Desk, name: string, claimId: string): Promise<void> {
  await decideOn(desk, slugDecider, slugStream(name), { type: 'ReleaseSlug', data: { claimId } });
}

async function take(desk: Desk, data: NameClaim): Promise<string> {
  const { state } = await decideOn(desk, slugDecider, slugStream(data.name), { type: 'ClaimSlug', data });
  return state.status === 'held' ? state.claimId : data.claimId;
}

async function lapsedClaimOn(desk: Desk, name: string): Promise<string | undefined> {
  for await (const event of desk.store.read<SlugEvent>(slugStream(name), { direction: 'backward', limit: 1 })) {
    const { container_id: id, claim_id: claimId } = event.data;
    const data = { id, claimId, claimedAt: event.recordedAt, now: desk.execution.at };
    const { state } = await decideOn(desk, containerDecider, containerStream(id), { type: 'ForfeitClaim', data });
    return state.spentClaims.includes(claimId) ? claimId : undefined;
  }
  return undefined;
}
