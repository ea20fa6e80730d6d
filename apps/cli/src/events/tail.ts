import { setTimeout as sleep } from 'node:timers/promises';
import type { ScriptoriumEventDto } from '#surfaces/scriptorium-v1';
import type { Core } from '../core/core.js';
import { patiently } from '../core/patience.js';
import type { Terminal } from '../terminal.js';
import { eventLine } from './event-text.js';
import { collected, eventsOf } from './pages.js';

const LOOK_MS = 500;

export interface TailOptions {
  readonly follow?: true;
  readonly after?: string;
  readonly types?: string;
  readonly limit: number;
  readonly json?: true;
}

export async function tail(core: Core, terminal: Terminal, options: TailOptions): Promise<void> {
  const print = (event: ScriptoriumEventDto) => {
    terminal.stop.throwIfAborted();
    if (options.json) terminal.printJsonLine(event);
    else terminal.print(eventLine(event));
  };
  // Asked for before the first events, so that none falls between them and those that are followed.
  const head = options.follow ? await headOf(core) : undefined;
  const first = await beginning(core, options);
  first.forEach(print);
  if (!options.follow) return;
  const from = first.at(-1)?.position ?? options.after ?? head;
  try {
    await follow(core, terminal, { types: options.types, from }, print);
  } catch (error) {
    // Following has no other end.
    if (!terminal.stop.aborted) throw error;
  }
}

async function beginning(core: Core, { after, types, limit }: TailOptions): Promise<ScriptoriumEventDto[]> {
  if (after !== undefined) return collected(eventsOf(core, { after, types }, limit));
  return (await collected(eventsOf(core, { types, direction: 'backward' }, limit))).reverse();
}

async function follow(
  core: Core,
  terminal: Terminal,
  { types, from }: { types?: string; from?: string },
  print: (event: ScriptoriumEventDto) => void,
): Promise<never> {
  let after = from;
  for (;;) {
    // Events of other types move the place to look from too: the log is not searched again from the last one shown.
    const head = types === undefined ? undefined : await patiently(terminal, () => headOf(core));
    const fresh = await patiently(terminal, () => collected(eventsOf(core, { after, types })));
    fresh.forEach(print);
    after = laterOf(laterOf(after, head), fresh.at(-1)?.position);
    await sleep(LOOK_MS, undefined, { signal: terminal.stop });
  }
}

async function headOf(core: Core): Promise<string | undefined> {
  const [newest] = await collected(eventsOf(core, { direction: 'backward' }, 1));
  return newest?.position;
}

/** Positions are written so that comparing the texts compares the places. */
function laterOf(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a > b ? a : b;
}
