import { setTimeout as sleep } from 'node:timers/promises';
import { isRefusal } from '#kernel';
import type { Terminal } from '../terminal.js';

const AGAIN_MS = 1_000;

/** Asks until there is an answer: what is watched for a long time outlives a restart of the server. */
export async function patiently<T>(terminal: Terminal, ask: () => Promise<T>): Promise<T> {
  for (let said = false; ; said = true) {
    try {
      return await ask();
    } catch (error) {
      if (!isRefusal(error) || error.kind !== 'unavailable') throw error;
      if (!said) terminal.note(`${error.code}: ${error.message} Trying again until it answers.`);
      await sleep(AGAIN_MS, undefined, { signal: terminal.stop });
    }
  }
}
