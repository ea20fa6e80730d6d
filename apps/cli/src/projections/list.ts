import type { ScriptoriumProjectionDto, ScriptoriumProjectionsDto } from '#surfaces/scriptorium-v1';
import type { Core } from '../core/core.js';
import type { Output, Terminal } from '../terminal.js';
import { counted, seconds, table } from '../text.js';
import { PROJECTIONS } from './paths.js';
import { percentOf } from './progress.js';

const HEAD = ['NAME', 'VERSION', 'STATE', 'POSITION', 'LAG', 'BEHIND', 'PARKED', 'REBUILD'];
const RIGHT = ['VERSION', 'LAG', 'BEHIND', 'PARKED'];

export async function list(core: Core, terminal: Terminal, { json }: Output): Promise<void> {
  const answer = await core.get<ScriptoriumProjectionsDto>(PROJECTIONS);
  if (json) {
    terminal.printJson(answer);
    return;
  }
  terminal.print(table(HEAD, answer.items.map(cellsOf), RIGHT));
  for (const { name, error } of answer.items) if (error !== undefined) terminal.note(`${name} is failing: ${error}`);
}

function cellsOf(projection: ScriptoriumProjectionDto): string[] {
  const { name, version, state, position, lag, parked, rebuild } = projection;
  return [
    name,
    String(version),
    state,
    position === '' ? 'start' : position,
    counted(lag.events),
    seconds(lag.seconds),
    counted(parked),
    rebuild ? `version ${rebuild.version}, ${percentOf(rebuild)} %` : '',
  ];
}
