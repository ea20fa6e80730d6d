/** Time, injected: production gives the wall clock, tests give their own. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };
