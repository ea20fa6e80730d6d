import type { Command } from 'commander';
import type { ConnectOptions } from '../core/connect.js';
import type { Output, Terminal } from '../terminal.js';
import { plain } from '../text.js';
import type { Check } from './check.js';

const ABOUT = 'check settings, engines, versions, disk, rights and the port, and say what to do';

export function doctorCommand(program: Command, terminal: Terminal): void {
  program
    .command('doctor')
    .description(ABOUT)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nEnds with 1 when there is a problem; a warning is none.\n\nExample:\n  $ scriptorium doctor',
    )
    .action(async (_, command: Command) => {
      const { json, url } = command.optsWithGlobals<Output & ConnectOptions>();
      // Loaded only here: the checks bring the drivers of all engines along.
      const { examine } = await import('./examine.js');
      const checks = await examine(url, terminal.stop);
      const isWell = checks.every(({ status }) => status !== 'problem');
      if (json) terminal.printJson({ ok: isWell, checks });
      else for (const check of checks) terminal.print(lineOf(check));
      if (!isWell) terminal.exitCode = 1;
    });
}

function lineOf({ name, status, message, advice }: Check): string {
  return plain(`${status.padEnd(7)}  ${name}: ${message}${advice === undefined ? '' : ` ${advice}`}`);
}
