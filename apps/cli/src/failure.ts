import { defineRefusals, isRefusal } from '#kernel';
import { BadSetting } from '#platform/settings';
import type { Terminal } from './terminal.js';

export const refuseCommand = defineRefusals({
  SERVER_UNREACHABLE: {
    kind: 'unavailable',
    message: 'The server does not answer.',
    hint: 'Start it, or correct --url or SCRIPTORIUM_URL.',
  },
  NOT_SCRIPTORIUM: {
    kind: 'invalid',
    message: 'What answers there is not a Scriptorium server of this version.',
    hint: 'Correct --url or SCRIPTORIUM_URL, or use the command line of the version that runs there.',
  },
  CANNOT_START: {
    kind: 'unavailable',
    message: 'The program could not be started in this process.',
    hint: 'Run "scriptorium doctor" to see what is wrong.',
  },
  NO_DATABASE: {
    kind: 'not_found',
    message: 'There is no database in the data folder yet.',
    hint: 'Start the server once with "npm start", or set DATA_DIR to the folder that has one.',
  },
  EVENT_NOT_FOUND: {
    kind: 'not_found',
    message: 'There is no such event.',
    hint: 'Use "scriptorium events tail" to see streams and revisions that exist.',
  },
  REBUILD_LOST: {
    kind: 'conflict',
    message: 'The rebuild was given up by the process that ran it.',
    hint: 'Start it again.',
  },
});

/** Says in one line what went wrong and what to do. A stack trace is for those who ask for it with LOG_LEVEL=debug. */
export function sayFailure(error: unknown, terminal: Terminal): void {
  terminal.note(sentenceOf(error));
  const level = process.env['LOG_LEVEL']?.trim().toLowerCase();
  if (!isRefusal(error) && (level === 'debug' || level === 'trace')) terminal.note(stackOf(error));
}

function sentenceOf(error: unknown): string {
  if (error instanceof BadSetting) return `BAD_SETTING: ${error.message}`;
  if (isRefusal(error)) return `${error.code}: ${error.message} ${error.hint}`.trimEnd();
  const message = error instanceof Error ? error.message : String(error);
  return `INTERNAL: ${message.split('\n')[0]} (A fault of the program; set LOG_LEVEL=debug to see where.)`;
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
