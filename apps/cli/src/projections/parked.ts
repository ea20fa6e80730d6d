import type { ScriptoriumParkedEventsDto, ScriptoriumReplayedDto } from '#surfaces/scriptorium-v1';
import type { Core } from '../core/core.js';
import type { Output, Terminal } from '../terminal.js';
import { counted, table } from '../text.js';
import { projectionPath } from './paths.js';

const HEAD = ['EVENT', 'TYPE', 'STREAM', 'PARKED AT', 'TRIED', 'ERROR'];

export async function parked(core: Core, terminal: Terminal, name: string, { json }: Output): Promise<void> {
  const answer = await core.get<ScriptoriumParkedEventsDto>(projectionPath(name, 'parked'));
  if (json) terminal.printJson(answer);
  else if (answer.items.length === 0) terminal.print(`${name}: nothing is parked.`);
  else {
    const rows = answer.items.map((event) => [
      event.id,
      event.type,
      `${event.stream}@${event.revision}`,
      event.parked_at,
      counted(event.attempts),
      event.error,
    ]);
    terminal.print(table(HEAD, rows, ['TRIED']));
  }
}

export async function replay(
  core: Core,
  terminal: Terminal,
  { name, eventId }: { readonly name: string; readonly eventId?: string },
  { json }: Output,
): Promise<void> {
  const answer = await core.post<ScriptoriumReplayedDto>(projectionPath(name, 'parked', 'replay'), {
    ...(eventId === undefined ? {} : { event_id: eventId }),
  });
  if (json) terminal.printJson(answer);
  else {
    const left = answer.still_parked === 0 ? 'nothing is parked' : `${counted(answer.still_parked)} still parked`;
    terminal.print(`${name}: ${counted(answer.replayed)} taken in now, ${left}.`);
  }
}
