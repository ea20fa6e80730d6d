import type { Refusal } from '#kernel';

/** A request that failed, as its surface gets to see it. */
export interface Failure {
  readonly refusal: Refusal;
  /** The status by kind and code; the surface may choose another. */
  readonly status: number;
  readonly requestId: string;
  /** Milliseconds since the request came in. */
  readonly elapsedMs: number;
  readonly method: string;
  readonly path: string;
}

/** How a failure is said. */
export interface FailureAnswer {
  readonly status: number;
  readonly body: object;
}

/**
 * A published contract over HTTP: which paths are its own, and how it says no. Routing failures on its paths (no such
 * route, broken JSON, foreign host) are said in its words too.
 */
export interface Surface {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  /** True for the paths this surface answers for, matched by a route or not. */
  owns(path: string): boolean;
  fail(failure: Failure): FailureAnswer;
}

/** The published surfaces of one server, and who speaks for a path. */
export class Surfaces {
  /** The last surface answers for every path that no other owns. */
  constructor(readonly all: readonly [Surface, ...Surface[]]) {}

  ownerOf(path: string): Surface {
    return this.all.find((surface) => surface.owns(path)) ?? this.all[this.all.length - 1] ?? this.all[0];
  }
}
