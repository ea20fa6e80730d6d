import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import type { Command } from 'commander';
import { programFor } from './program.js';
import { Terminal } from './terminal.js';

const stream = () => new PassThrough() as unknown as NodeJS.WriteStream;
const program = programFor(new Terminal(stream(), stream()));

const leaves = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);

const pathOf = (command: Command): string =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;

function helpOf(command: Command): string {
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
  return help;
}

describe('the commands', () => {
  it('are these', () =>
    expect(leaves(program).map(pathOf)).toEqual([
      'scriptorium events tail',
      'scriptorium events show',
      'scriptorium projections list',
      'scriptorium projections rebuild',
      'scriptorium projections rollback',
      'scriptorium projections parked',
      'scriptorium projections replay',
      'scriptorium doctor',
    ]));

  it.each(leaves(program).map((command) => [pathOf(command), command] as const))(
    '%s explains itself, with an example, and speaks JSON',
    (path, command) => {
      const help = helpOf(command);
      expect(help).toContain(`Usage: ${path}`);
      expect(help).toContain(`$ ${path}`);
      expect(help).toContain('--json');
    },
  );

  it('say what the exit codes mean', () => expect(helpOf(program)).toContain('2  the command line was not understood'));
});
