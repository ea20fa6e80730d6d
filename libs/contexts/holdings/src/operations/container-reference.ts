import { refuseContainer } from '../container/container.errors.js';
import { containerDecider } from '../container/container.decider.js';
import type { ExistingContainer } from '../container/container.state.js';
import type { SlugEvent } from '../slug/slug.events.js';
import { isContainerName, isUuid } from '../slug/slug.state.js';
import { containerStream, slugStream, stateOf, type Desk } from './streams.js';

/** The container meant by a uuid or a name, as its own streams say: nothing to wait for. */
export async function containerBy(desk: Desk, reference: string): Promise<ExistingContainer> {
  const id = isUuid(reference) ? reference : await holderOf(desk, reference);
  const container = id === undefined ? undefined : await stateOf(desk, containerDecider, containerStream(id));
  const found = container && container.status !== 'absent' && (id === reference || container.name === reference);
  if (!found) throw noSuchContainer(reference);
  return container;
}

export function noSuchContainer(reference: string) {
  return refuseContainer('CONTAINER_NOT_FOUND', { container: reference }, `There is no container ${reference}.`);
}

async function holderOf({ store }: Desk, name: string): Promise<string | undefined> {
  if (!isContainerName(name)) return undefined;
  for await (const event of store.read<SlugEvent>(slugStream(name), { direction: 'backward', limit: 1 })) {
    return event.data.container_id;
  }
  return undefined;
}
