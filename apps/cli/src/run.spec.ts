import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { run } from './run.js';
import { Terminal } from './terminal.js';

async function ran(...args: string[]) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const terminal = new Terminal(stdout as never, stderr as never);
  const code = await run(['node', 'scriptorium', ...args], terminal);
  return { code, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') };
}

describe('a command line', () => {
  it.each([
    { args: ['evnts'], says: "unknown command 'evnts'" },
    { args: ['events'], says: 'Usage: scriptorium events' },
    { args: ['events', 'tail', '--folow'], says: "unknown option '--folow'" },
    { args: ['events', 'tail', '--limit', 'many'], says: 'It is not a whole number.' },
    { args: ['events', 'tail', '--types', 'A,,B'], says: 'Give names separated by commas.' },
    { args: ['events', 'show', 'a', 'last'], says: 'It is not a whole number.' },
    { args: ['projections', 'rebuild'], says: "missing required argument 'name'" },
    { args: ['projections', 'rebuild', 'a', 'b'], says: 'too many arguments' },
    { args: ['projections', 'list', '--url', 'nowhere'], says: 'It is not an http or https URL.' },
    { args: [], says: 'Usage: scriptorium' },
  ])('that is not understood shows the usage and ends with 2: $args', async ({ args, says }) => {
    const { code, stdout, stderr } = await ran(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(says);
    expect(stderr).toContain('Usage: scriptorium');
  });

  it.each([[['--help']], [['projections', '--help']], [['help', 'events']], [['--version']]])(
    'that asks for help or the version ends with 0: %j',
    async (args) => {
      const { code, stdout, stderr } = await ran(...args);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(/^(Usage: scriptorium|\d+\.\d+\.\d+\n$)/);
    },
  );
});
