import { describe, expect, it } from '@jest/globals';
import { amount, plain, plainJson, seconds, table } from './text.js';

describe('text for a terminal', () => {
  it('keeps what others wrote on one line, without anything a terminal obeys', () =>
    expect(plain('one\r\n\u001b[2J two\u009b31m \u202ethree')).toBe('one [2J two 31m  three'));

  it('shows what would be obeyed in JSON as an escape', () => {
    const value = { text: 'a\u009b31m\u202e\u007f', tag: '\u{e0001}', rest: '\u001b' };
    const shown = plainJson(value);
    expect(shown).toMatch(/^[\n\x20-\x7e]+$/);
    expect(JSON.parse(shown)).toEqual(value);
  });

  it('aligns columns, numbers to the right', () =>
    expect(
      table(
        ['NAME', 'ROWS'],
        [
          ['a', '1'],
          ['longer', '12,345'],
        ],
        ['ROWS'],
      ).split('\n'),
    ).toEqual(['NAME      ROWS', 'a            1', 'longer  12,345']));

  it('counts', () => {
    expect([amount(0, 'row'), amount(1, 'row'), amount(1_234, 'row')]).toEqual(['0 rows', '1 row', '1,234 rows']);
    expect([seconds(0), seconds(1.26), seconds(75.4)]).toEqual(['0.0 s', '1.3 s', '75 s']);
  });
});
