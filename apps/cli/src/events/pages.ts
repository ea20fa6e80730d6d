import type { ScriptoriumEventDto, ScriptoriumEventsDto } from '#surfaces/scriptorium-v1';
import type { Core, Query } from '../core/core.js';

const MOST_AT_ONCE = 500;

export interface Selection {
  readonly after?: string;
  readonly types?: string;
  readonly stream?: string;
  readonly direction?: 'forward' | 'backward';
}

/** The selected events, page after page, until there are no more or `limit` were given. */
export async function* eventsOf(
  core: Core,
  selection: Selection,
  limit = Infinity,
): AsyncGenerator<ScriptoriumEventDto> {
  let left = limit;
  let after = selection.after;
  while (left > 0) {
    const query: Query = { ...selection, after, limit: Math.min(left, MOST_AT_ONCE) };
    const { items, next_cursor: next } = await core.get<ScriptoriumEventsDto>('/v1/events', query);
    yield* items;
    if (next === null) return;
    left -= items.length;
    after = next;
  }
}

export async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
