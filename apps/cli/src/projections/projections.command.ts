import type { Command } from 'commander';
import { withCore, type ConnectOptions } from '../core/connect.js';
import type { Core } from '../core/core.js';
import type { Output, Terminal } from '../terminal.js';
import { list } from './list.js';
import { parked, replay } from './parked.js';
import { rebuild } from './rebuild.js';
import { rollback } from './rollback.js';

const JSON_OPTION = ['--json', 'print JSON'] as const;

export function projectionsCommands(program: Command, terminal: Terminal): void {
  const projections = program.command('projections').description('keep the read models in order');
  const run = (command: Command, work: (core: Core, output: Output) => Promise<void>) => {
    const options = command.optsWithGlobals<Output & ConnectOptions>();
    return withCore(options, terminal, (core) => work(core, options));
  };

  projections
    .command('list')
    .description('print the projections, how far each is, and what it could not take in')
    .option(...JSON_OPTION)
    .addHelpText('after', '\nExample:\n  $ scriptorium projections list')
    .action((_, command: Command) => run(command, (core, output) => list(core, terminal, output)));

  projections
    .command('rebuild')
    .description('build a projection anew beside the live one, compare the two, switch over')
    .argument('<name>', 'the name of the projection')
    .option(...JSON_OPTION)
    .addHelpText('after', '\nExample:\n  $ scriptorium projections rebuild containers')
    .action((name: string, _, command: Command) =>
      run(command, (core, output) => rebuild(core, terminal, name, output)),
    );

  projections
    .command('rollback')
    .description('switch back to the build before the last rebuild')
    .argument('<name>', 'the name of the projection')
    .option(...JSON_OPTION)
    .addHelpText('after', '\nExample:\n  $ scriptorium projections rollback containers')
    .action((name: string, _, command: Command) =>
      run(command, (core, output) => rollback(core, terminal, name, output)),
    );

  projections
    .command('parked')
    .description('print the events a projection could not take in, with the error of each')
    .argument('<name>', 'the name of the projection')
    .option(...JSON_OPTION)
    .addHelpText('after', '\nExample:\n  $ scriptorium projections parked containers')
    .action((name: string, _, command: Command) =>
      run(command, (core, output) => parked(core, terminal, name, output)),
    );

  projections
    .command('replay')
    .description('try parked events again: all of a projection, or those of one stream')
    .argument('<name>', 'the name of the projection')
    .argument('[event-id]', 'a parked event; its whole stream is tried, in order')
    .option(...JSON_OPTION)
    .addHelpText('after', '\nExample:\n  $ scriptorium projections replay containers')
    .action((name: string, eventId: string | undefined, _, command: Command) =>
      run(command, (core, output) => replay(core, terminal, { name, eventId }, output)),
    );
}
