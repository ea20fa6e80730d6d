import { invalidInput } from './http.errors.js';

const MAX_DEPTH = 64;

/**
 * Refuses what is valid JSON but what no store can keep: the NUL character, half a surrogate pair, numbers without end,
 * nesting without end. So are names that every object answers to, such as `__proto__` and `constructor`: on the way to a
 * DTO they would get lost, or be taken for what they are not.
 */
export function checkJson(value: unknown, path = '', depth = 0): void {
  if (typeof value === 'string') return checkText(value, path);
  if (typeof value === 'number') return checkNumber(value, path);
  if (typeof value !== 'object' || value === null) return;
  if (depth >= MAX_DEPTH) throw invalidInput([{ field: '', message: `must not nest deeper than ${MAX_DEPTH} levels` }]);
  for (const [key, inner] of Object.entries(value)) {
    checkText(key, path);
    const field = path === '' ? key : `${path}.${key}`;
    if (key in Object.prototype) throw invalidInput([{ field, message: 'has a name that no field can have' }]);
    checkJson(inner, field, depth + 1);
  }
}

function checkNumber(number: number, path: string): void {
  if (!Number.isFinite(number)) throw invalidInput([{ field: path, message: 'is too large a number' }]);
}

const LONE_SURROGATE = /\p{Surrogate}/u;

function checkText(text: string, path: string): void {
  if (text.includes('\0') || LONE_SURROGATE.test(text)) {
    throw invalidInput([{ field: path, message: 'must not contain NUL or broken Unicode' }]);
  }
}
