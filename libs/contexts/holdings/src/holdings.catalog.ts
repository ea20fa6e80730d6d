import type { EventSpec, JsonObject } from '#platform/eventlog';
import type { ContainerEvent } from './container/container.events.js';
import type { SlugEvent } from './slug/slug.events.js';

/** The texts of a container are sealed under a key of its own. */
const sealed = {
  subject: ({ container_id: id }: JsonObject) => `container-${id as string}`,
  fields: ['theme', 'description', 'mission_context'],
};

const specs: Readonly<Record<(ContainerEvent | SlugEvent)['type'], Omit<EventSpec, 'type'>>> = {
  ContainerCreated: { version: 1, sealed },
  ContainerRenamed: { version: 1 },
  ContainerRevised: { version: 1, sealed },
  ContainerPaused: { version: 1 },
  ContainerResumed: { version: 1 },
  ContainerArchived: { version: 1 },
  ContainerRestored: { version: 1 },
  NameClaimForfeited: { version: 1 },
  SlugClaimed: { version: 1 },
  SlugReleased: { version: 1 },
};

/** Every event this context writes. */
export const holdingsEvents: readonly EventSpec[] = Object.entries(specs).map(([type, spec]) => ({ type, ...spec }));
