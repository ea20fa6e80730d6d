import { createHash } from 'node:crypto';
import type { Decider, DomainEvent } from '#kernel';
import { runDecider, type EventStore } from '#platform/eventlog';
import type { Execution } from '#platform/operations';
import { slugOf } from '../slug/slug.state.js';

const LONGEST_SLUG = 190;

export const containerStream = (id: string): string => `container-${id.toLowerCase()}`;

/** A slug longer than a stream's name may be goes by its hash; the tilde keeps it apart from all slugs. */
export function slugStream(name: string): string {
  const slug = slugOf(name);
  if (slug.length <= LONGEST_SLUG) return `slug-${slug}`;
  return `slug-~${createHash('sha256').update(slug).digest('hex')}`;
}

/** Where the streams of an execution are: what all its decisions share. */
export interface Desk {
  readonly store: EventStore;
  readonly execution: Execution;
}

/** Runs a decider on behalf of an execution, and notes how far the log has come. */
export async function decideOn<State, Command, Event extends DomainEvent>(
  { store, execution }: Desk,
  decider: Decider<State, Command, Event>,
  stream: string,
  command: Command,
): Promise<{ state: State; events: readonly Event[] }> {
  const run = { stream, command, context: execution.context(), signal: execution.signal };
  const { state, events, position } = await runDecider(store, decider, run);
  if (position !== undefined && position > (execution.position ?? '')) execution.position = position;
  return { state, events };
}

/** What a stream comes to, for those who have nothing to decide on it. */
export async function stateOf<State, Event extends DomainEvent>(
  { store, execution }: Desk,
  decider: Decider<State, never, Event>,
  stream: string,
): Promise<State> {
  const reader: Decider<State, undefined, Event> = { ...decider, decide: () => [] };
  const run = { stream, command: undefined, context: execution.context(), signal: execution.signal };
  return (await runDecider(store, reader, run)).state;
}
