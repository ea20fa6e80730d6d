import { Command, InvalidArgumentError } from 'commander';
import { programVersion } from '#platform/settings';
import { isHttpUrl } from './core/address.js';
import { doctorCommand } from './doctor/doctor.command.js';
import { eventsCommands } from './events/events.command.js';
import { projectionsCommands } from './projections/projections.command.js';
import type { Terminal } from './terminal.js';

const ABOUT = `Looks into a Scriptorium and keeps its read models in order.

A server that runs on the data folder (DATA_DIR) is asked over HTTP; without one, the command opens the data itself.
Settings are read from the environment, as the server reads them; MCP_TOKEN is sent as the token.`;

const AFTER = `
Exit codes:
  0  done
  1  it did not work; stderr says why and what to do
  2  the command line was not understood

Examples:
  $ scriptorium doctor
  $ scriptorium projections rebuild containers
  $ scriptorium events tail --follow`;

export function programFor(terminal: Terminal): Command {
  const program = new Command('scriptorium')
    .description(ABOUT)
    .version(programVersion(), '-V, --version', 'print the version')
    .option('--url <url>', 'ask this server (or set SCRIPTORIUM_URL)', serverUrl)
    .configureOutput({ writeOut: terminal.write, writeErr: terminal.writeAside })
    .showHelpAfterError()
    .exitOverride()
    .addHelpText('after', AFTER);
  eventsCommands(program, terminal);
  projectionsCommands(program, terminal);
  doctorCommand(program, terminal);
  return program;
}

function serverUrl(text: string): string {
  if (isHttpUrl(text)) return text;
  throw new InvalidArgumentError('It is not an http or https URL.');
}
