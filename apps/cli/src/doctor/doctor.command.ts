import type { Command } from 'commander';
import { namedServer, type ConnectOptions } from '../core/connect.js';
import { runningServer } from '../core/running-server.js';
import type { Output, Terminal } from '../terminal.js';
import { plain } from '../text.js';
import { warning, type Check } from './check.js';
import { checkDatabase } from './database.check.js';
import { checkEventStore } from './event-store.check.js';
import { checkFolder } from './folder.check.js';
import { checkNode } from './node.check.js';
import { checkPort } from './port.check.js';
import { checkServer } from './server.check.js';
import { checkSettings } from './settings.check.js';

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
      const checks = await examine(url, terminal.stop);
      const isWell = checks.every(({ status }) => status !== 'problem');
      if (json) terminal.printJson({ ok: isWell, checks });
      else for (const check of checks) terminal.print(lineOf(check));
      if (!isWell) terminal.exitCode = 1;
    });
}

async function examine(url: string | undefined, stop: AbortSignal): Promise<Check[]> {
  const { checks, settings } = checkSettings();
  const first = [checkNode(), ...checks];
  if (settings === undefined) {
    return [...first, warning('engines', 'Not looked at, because a setting is wrong.', 'Correct it, then ask again.')];
  }
  const running = settings.databaseUrl === undefined ? await runningServer(settings, stop) : undefined;
  const examined = { settings, running, stop };
  // One after the other: two of them open the data folder's engine, which has room for one.
  return [
    ...first,
    ...(await checkFolder(examined)),
    ...(await checkDatabase(examined)),
    ...(await checkEventStore(examined)),
    await checkPort(examined),
    ...(await checkServer(url ?? namedServer() ?? running, examined)),
  ];
}

function lineOf({ name, status, message, advice }: Check): string {
  return plain(`${status.padEnd(7)}  ${name}: ${message}${advice === undefined ? '' : ` ${advice}`}`);
}
