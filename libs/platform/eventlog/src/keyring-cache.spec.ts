import { createSecretKey, randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { KeyCache } from './keyring-cache.js';

const key = () => createSecretKey(randomBytes(32));

describe('The key cache', () => {
  it('keeps the keys used last, and no more than its size', () => {
    const cache = new KeyCache({ size: 3, ttlMs: 1_000 }, () => 0);
    for (const subject of ['a', 'b', 'c']) cache.put(subject, key());
    cache.get('a');
    cache.put('d', key());
    expect(['a', 'b', 'c', 'd'].filter((subject) => cache.get(subject) !== undefined)).toEqual(['a', 'c', 'd']);
  });

  it('keeps none longer than its time, used or not', () => {
    let now = 0;
    const cache = new KeyCache({ size: 3, ttlMs: 1_000 }, () => now);
    const first = key();
    cache.put('a', first);
    now = 999;
    expect(cache.get('a')).toBe(first);
    now = 1_000;
    expect(cache.get('a')).toBeUndefined();
  });

  it('does not replace erased by a key', () => {
    const cache = new KeyCache({ size: 3, ttlMs: 1_000 }, () => 0);
    cache.put('a', key());
    cache.put('a', 'erased');
    cache.put('a', key());
    expect(cache.get('a')).toBe('erased');
  });
});
