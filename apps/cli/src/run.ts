import { CommanderError } from 'commander';
import { sayFailure } from './failure.js';
import { programFor } from './program.js';
import type { Stopped, Terminal } from './terminal.js';

/** 0: done. 1: it did not work, and stderr says why. 2: the command line was not understood. 128 + n: ended by signal n. */
export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  try {
    await programFor(terminal).parseAsync(argv);
    return terminal.exitCode;
  } catch (error) {
    if (terminal.stop.aborted) return (terminal.stop.reason as Stopped).exitCode;
    // Commander has said what is wrong, or shown the help or the version that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    sayFailure(error, terminal);
    return 1;
  }
}
