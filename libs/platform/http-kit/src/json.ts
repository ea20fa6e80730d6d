import { invalidInput } from './http.errors.js';

const MAX_DEPTH = 64;

/**
 * Refuses what is valid JSON but what no store can keep: the NUL character, half a surrogate pair, nesting without end.
 */
export function checkJson(value: unknown, path = '', depth = 0): void {
  if (typeof value === 'string') return checkText(value, path);
  if (typeof value !== 'object' || value === null) return;
  if (depth >= MAX_DEPTH) throw invalidInput([{ field: '', message: `must not nest deeper than ${MAX_DEPTH} levels` }]);
  for (const [key, inner] of Object.entries(value)) {
    checkText(key, path);
    checkJson(inner, path === '' ? key : `${path}.${key}`, depth + 1);
  }
}

const LONE_SURROGATE = /\p{Surrogate}/u;

function checkText(text: string, path: string): void {
  if (text.includes('\0') || LONE_SURROGATE.test(text)) {
    throw invalidInput([{ field: path, message: 'must not contain NUL or broken Unicode' }]);
  }
}
