import type { ScriptoriumRolledBackDto } from '#surfaces/scriptorium-v1';
import type { Core } from '../core/core.js';
import type { Output, Terminal } from '../terminal.js';
import { projectionPath } from './paths.js';

export async function rollback(core: Core, terminal: Terminal, name: string, { json }: Output): Promise<void> {
  const answer = await core.post<ScriptoriumRolledBackDto>(projectionPath(name, 'rollback'));
  if (json) terminal.printJson(answer);
  else terminal.print(`${answer.name}: version ${answer.version} is live again.`);
}
