import type { Core } from '../core/core.js';
import { refuseCommand } from '../failure.js';
import type { Terminal } from '../terminal.js';
import { eventBlock } from './event-text.js';
import { collected, eventsOf } from './pages.js';

export interface ShowOptions {
  readonly stream: string;
  readonly revision?: number;
  readonly json?: true;
}

export async function show(core: Core, terminal: Terminal, options: ShowOptions): Promise<void> {
  if (options.revision === undefined) await showStream(core, terminal, options);
  else await showEvent(core, terminal, { ...options, revision: options.revision });
}

async function showStream(core: Core, terminal: Terminal, { stream, json }: ShowOptions): Promise<void> {
  const events = eventsOf(core, { stream });
  if (json) {
    const items = await collected(events);
    if (items.length === 0) throw nothingIn(stream);
    terminal.printJson({ items });
    return;
  }
  let shown = 0;
  for await (const event of events) {
    terminal.stop.throwIfAborted();
    terminal.print(eventBlock(event));
    shown += 1;
  }
  if (shown === 0) throw nothingIn(stream);
}

async function showEvent(
  core: Core,
  terminal: Terminal,
  { stream, revision, json }: ShowOptions & { revision: number },
): Promise<void> {
  const after = revision === 0 ? undefined : `@${revision - 1}`;
  const [event] = await collected(eventsOf(core, { stream, after }, 1));
  // The next one there is may be a later one, where the stream keeps only its newest events.
  if (event?.revision !== revision) {
    throw refuseCommand('EVENT_NOT_FOUND', {}, `There is no event ${revision} in stream ${stream}.`);
  }
  if (json) terminal.printJson(event);
  else terminal.print(eventBlock(event));
}

function nothingIn(stream: string) {
  return refuseCommand('EVENT_NOT_FOUND', {}, `There is no event in stream ${stream}.`);
}
