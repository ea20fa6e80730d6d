import { setTimeout as sleep } from 'node:timers/promises';

/** Something whose speed is compared with that of others: one turn gives how much it did per second. */
export interface Contender {
  readonly name: string;
  turn(): Promise<number>;
}

export interface Turns {
  /** By contender, one number per round. */
  readonly speeds: ReadonlyMap<string, readonly number[]>;
  readonly median: (name: string) => number;
  /** The median of the ratios within each round: what disturbs a round disturbs both. */
  readonly ratio: (name: string, than: string) => number;
}

/**
 * Lets the contenders take turns, round after round, each round in another order: noise and drift of the machine meet all
 * of them alike. The first round only warms up.
 */
export async function compare(rounds: number, contenders: readonly Contender[]): Promise<Turns> {
  const speeds = new Map<string, number[]>(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round <= rounds; round += 1) {
    for (let turn = 0; turn < contenders.length; turn += 1) {
      const contender = contenders[(round + turn) % contenders.length];
      if (!contender) continue;
      globalThis.gc?.();
      await sleep(100);
      const speed = await contender.turn();
      if (round > 0) speeds.get(contender.name)?.push(speed);
    }
  }
  const of = (name: string) => speeds.get(name) ?? [];
  return {
    speeds,
    median: (name) => median(of(name)),
    ratio: (name, than) => median(of(name).map((speed, round) => speed / (of(than)[round] ?? Number.NaN))),
  };
}

/** Runs so many loops of the work side by side for a while; gives how often it was done per second. */
export async function perSecond(writers: number, ms: number, work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  let done = 0;
  const loop = async () => {
    while (performance.now() - started < ms) {
      await work();
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: writers }, loop));
  return done / ((performance.now() - started) / 1_000);
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** Between two values, their mean by distance. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const [low, high] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  if (low === undefined || high === undefined) return Number.NaN;
  return low + (high - low) * (at - Math.floor(at));
}
