import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { Terminal } from '../terminal.js';
import { Progress } from './progress.js';

function shown(isTTY: boolean, steps: readonly (readonly [processed: number, total: number])[]): string {
  const stderr = Object.assign(new PassThrough(), { isTTY });
  const terminal = new Terminal(new PassThrough() as never, stderr as never);
  const progress = new Progress(terminal, 'notes');
  for (const [processed, total] of steps) progress.show({ version: 2, processed, total });
  progress.end();
  return String(stderr.read() ?? '');
}

describe('the progress of a rebuild', () => {
  it('is a line every tenth of the way where nobody watches', () =>
    expect(
      shown(false, [
        [0, 0],
        [1, 1_000],
        [99, 1_000],
        [100, 1_000],
        [2_000, 1_000],
      ]).split('\n'),
    ).toEqual([
      'notes: version 2, 0 %, starting',
      'notes: version 2, 10 %, 100 of 1,000 events',
      'notes: version 2, 99 %, 2,000 of 1,000 events',
      '',
    ]));

  it('is a bar that is drawn over, and gone at the end, where somebody does', () => {
    const frames = shown(true, [
      [0, 10],
      [5, 10],
    ]).split('\r\u001b[K');
    expect(frames).toEqual([
      '',
      `notes version 2 [${'.'.repeat(30)}] 0 %  0 of 10 events`,
      `notes version 2 [${'#'.repeat(15)}${'.'.repeat(15)}] 50 %  5 of 10 events`,
      '',
    ]);
  });
});
