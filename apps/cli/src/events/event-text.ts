import type { ScriptoriumEventDto } from '#surfaces/scriptorium-v1';
import { indented, plain, plainJson } from '../text.js';

/** An event on one line. */
export function eventLine({ at, position, type, stream, revision, metadata }: ScriptoriumEventDto): string {
  return plain(`${at}  ${position}  ${type}  ${stream}@${revision}  ${callerIn(metadata)}`);
}

/** An event with all there is to it. */
export function eventBlock(event: ScriptoriumEventDto): string {
  return [
    eventLine(event),
    `  id ${event.id}`,
    indented(`data ${plainJson(event.data)}`),
    indented(`metadata ${plainJson(event.metadata)}`),
  ].join('\n');
}

function callerIn({ caller }: Record<string, unknown>): string {
  const id = (caller as { id?: unknown } | undefined)?.id;
  return typeof id === 'string' ? id : '';
}
