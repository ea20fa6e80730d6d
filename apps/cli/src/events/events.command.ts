import { InvalidArgumentError, type Command } from 'commander';
import { withCore, type ConnectOptions } from '../core/connect.js';
import type { Terminal } from '../terminal.js';
import { show } from './show.js';
import { tail, type TailOptions } from './tail.js';

type Asked<Options> = Options & ConnectOptions;

export function eventsCommands(program: Command, terminal: Terminal): void {
  const events = program.command('events').description('look into the event log');

  events
    .command('tail')
    .description('print the last events, oldest first')
    .option('-f, --follow', 'go on printing new ones until Ctrl-C')
    .option('--after <position>', 'print those after this position instead of the last ones')
    .option('--types <types>', 'only these event types, separated by commas', typeNames)
    .option('-n, --limit <n>', 'how many to begin with', count, 20)
    .option('--json', 'print one JSON object per line')
    .addHelpText('after', '\nExample:\n  $ scriptorium events tail --follow --types ContainerCreated,ContainerRenamed')
    .action((_, command: Command) => {
      const options = command.optsWithGlobals<Asked<TailOptions>>();
      return withCore(options, terminal, (core) => tail(core, terminal, options));
    });

  events
    .command('show')
    .description('print a stream, or one event of it, with its data and metadata')
    .argument('<stream>', 'the name of the stream')
    .argument('[revision]', 'the place of one event in it, from 0', count)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ scriptorium events show container-0b0c6a54-9d3c-4b39-8b86-3d3a4b1c9a10 0')
    .action((stream: string, revision: number | undefined, _, command: Command) => {
      const options = command.optsWithGlobals<Asked<{ json?: true }>>();
      return withCore(options, terminal, (core) => show(core, terminal, { stream, revision, json: options.json }));
    });
}

function count(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is not a whole number.');
}

function typeNames(text: string): string {
  const names = text.split(',').map((name) => name.trim());
  if (names.every((name) => name !== '')) return names.join(',');
  throw new InvalidArgumentError('Give names separated by commas.');
}
