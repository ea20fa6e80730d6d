import { describe, expect, it } from '@jest/globals';
import { comparePositions, isAtOrAfter, parsePosition, partsOf, positionOf, shareOf, START } from './position.js';

describe('a position', () => {
  it('keeps its numbers exactly, beyond 2^53 too', () => {
    const parts = [2n ** 63n - 1n, 9007199254740993n];
    expect(partsOf(positionOf(...parts))).toEqual(parts);
    expect(partsOf(START)).toEqual([]);
  });

  it('compares as its numbers do', () => {
    const [low, high] = [positionOf(255n, 1n), positionOf(256n, 0n)];
    expect([comparePositions(low, high), comparePositions(high, low), comparePositions(low, low)]).toEqual([-1, 1, 0]);
    expect(comparePositions(START, low)).toBe(-1);
    expect([isAtOrAfter(low, low), isAtOrAfter(low, high)]).toEqual([true, false]);
  });

  it('is read back from text, and nothing else is', () => {
    expect(parsePosition(positionOf(7n))).toBe(positionOf(7n));
    expect(parsePosition('')).toBe(START);
    for (const text of ['7', 'g'.repeat(16), '0'.repeat(15), '0'.repeat(48), `${positionOf(7n)}\n`]) {
      expect(parsePosition(text)).toBeUndefined();
    }
  });

  it('knows how much of the way lies before it', () => {
    expect(shareOf(positionOf(50n), positionOf(200n))).toBe(0.25);
    expect(shareOf(START, positionOf(200n))).toBe(0);
    expect([shareOf(positionOf(300n), positionOf(200n)), shareOf(START, START)]).toEqual([1, 1]);
  });
});
