declare const positionBrand: unique symbol;

/**
 * A place in the log: opaque, and exact. Written as fixed-width hexadecimal, so that comparing two strings compares two
 * places, in JavaScript and in SQL (`collate "C"`) alike. Positions of different engines do not compare.
 */
export type Position = string & { readonly [positionBrand]: true };

/** Before the first event, on every engine. */
export const START = '' as Position;

const WIDTH = 16;

/** One number on Postgres, a commit/prepare pair on EventStoreDB. */
export function positionOf(...parts: readonly bigint[]): Position {
  return parts.map((part) => part.toString(16).padStart(WIDTH, '0')).join('') as Position;
}

/** The numbers inside a position; none for START. */
export function partsOf(position: Position): bigint[] {
  const parts: bigint[] = [];
  for (let at = 0; at < position.length; at += WIDTH) parts.push(BigInt(`0x${position.slice(at, at + WIDTH)}`));
  return parts;
}

/** Reads a position that came from outside; undefined when it is none. */
export function parsePosition(text: string): Position | undefined {
  return /^([0-9a-f]{16}){0,2}$/.test(text) ? (text as Position) : undefined;
}

export function comparePositions(a: Position, b: Position): -1 | 0 | 1 {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

export function isAtOrAfter(position: Position, target: Position): boolean {
  return position >= target;
}

/** How much of the way to a position lies before another one: 0 to 1. An estimate where events differ in size. */
export function shareOf(position: Position, goal: Position): number {
  const [[way = 0n], [whole = 0n]] = [partsOf(position), partsOf(goal)];
  return whole === 0n || way >= whole ? 1 : Number((way * 10_000n) / whole) / 10_000;
}
