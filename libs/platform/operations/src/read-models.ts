import type { Position } from '#platform/eventlog';

/** What the door needs to know about read models: have they got this far? */
export interface ReadModels {
  /** Waits until the named projections reached the position; false when they had not in time. */
  waitFor(names: readonly string[], position: Position, timeoutMs: number): Promise<boolean>;
}

/** Injects the ReadModels. */
export const READ_MODELS = Symbol('ReadModels');
