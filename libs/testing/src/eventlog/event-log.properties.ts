import { afterAll, beforeAll, describe, it } from '@jest/globals';
import fc from 'fast-check';
import { isRefusal } from '#kernel';
import type { EventLog, Position, StoredEvent } from '#platform/eventlog';
import { collect, unique, type OpenLog } from './log-driver.js';
import { acknowledged, eventsFor, races, type Attempt, type Outcome, type Race, type Step } from './race.model.js';
import { judgeStream, judgeTail } from './race.verdict.js';

export interface PropertyOptions {
  readonly numRuns?: number;
  /** Repeats a failed run; its number is in the failure's message. Also read from PROPERTY_SEED. */
  readonly seed?: number;
}

/** What holds for every implementation of the event log, whatever its writers do at the same time. */
export function eventLogProperties(name: string, open: OpenLog, options: PropertyOptions = {}): void {
  const { numRuns = 25, seed = seedFromEnvironment() } = options;

  describe(`${name} under racing writers`, () => {
    let opened: Awaited<ReturnType<OpenLog>> | undefined;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(async () => {
      await opened?.close();
    });

    it('tells a story that some order of the appends explains, to writers, readers and followers', async () => {
      const log = opened!.log;
      // A race is not the same race twice, so a smaller counterexample is luck: the first one is reported as it is.
      await fc.assert(
        fc.asyncProperty(races, (race) => run(log, race)),
        { numRuns, endOnFailure: true, ...(seed === undefined ? {} : { seed }) },
      );
    }, 300_000);
  });
}

function seedFromEnvironment(): number | undefined {
  const text = process.env.PROPERTY_SEED;
  return text === undefined ? undefined : Number(text);
}

async function run(log: EventLog, race: Race): Promise<void> {
  const type = unique('Raced');
  const streams = [unique('race'), unique('race'), unique('race')];
  const stop = new AbortController();
  const tail = new Tail(log, type, await log.head(), stop.signal);
  try {
    const made = await Promise.all(race.map((steps) => write(log, type, streams, steps)));
    const attempts = made.flat();
    await tail.reaches(attempts);
    for (const stream of streams) {
      const stored = await collect(log.readStream(stream));
      judgeStream(
        stream,
        stored,
        attempts.filter((attempt) => attempt.stream === stream),
      );
    }
    judgeTail(tail.events, attempts);
  } finally {
    stop.abort();
    await tail.finished;
  }
}

async function write(
  log: EventLog,
  type: string,
  streams: readonly string[],
  steps: readonly Step[],
): Promise<Attempt[]> {
  const known = new Map<string, number>();
  const attempts: Attempt[] = [];
  for (const { stream: index, size, expected, made } of steps) {
    const stream = streams[index]!;
    const floor = known.get(stream) ?? -1;
    const wanted = expected === 'known' ? (floor === -1 ? 'none' : floor) : expected;
    const attempt: Attempt = { stream, events: eventsFor(type, size), expected: wanted, floor, outcomes: [] };
    const once = async () => attempt.outcomes.push(await outcomeOf(log, attempt));
    await (made === 'twice at once' ? Promise.all([once(), once()]) : once());
    if (made === 'again') await once();
    for (const outcome of attempt.outcomes) known.set(stream, Math.max(known.get(stream) ?? -1, heard(outcome)));
    attempts.push(attempt);
  }
  return attempts;
}

async function outcomeOf(log: EventLog, { stream, events, expected }: Attempt): Promise<Outcome> {
  try {
    return { appended: await log.append(stream, events, expected) };
  } catch (error) {
    if (isRefusal(error)) return { refused: error };
    throw error;
  }
}

function heard(outcome: Outcome): number {
  if ('appended' in outcome) return outcome.appended.revision;
  const { actual } = outcome.refused.details;
  return typeof actual === 'number' ? actual : -1;
}

/** Follows one type while the writers race. */
class Tail {
  readonly events: StoredEvent[] = [];
  readonly finished: Promise<void>;
  private failure: Error | undefined;

  constructor(log: EventLog, type: string, after: Position, signal: AbortSignal) {
    this.finished = this.follow(log, type, after, signal).catch((error: unknown) => {
      this.failure = error instanceof Error ? error : new Error(String(error));
    });
  }

  async reaches(attempts: readonly Attempt[]): Promise<void> {
    const awaited = new Set(
      attempts.filter((attempt) => acknowledged(attempt)).flatMap((attempt) => attempt.events.map((event) => event.id)),
    );
    const deadline = Date.now() + 30_000;
    while (this.events.filter((event) => awaited.has(event.id)).length < awaited.size) {
      if (this.failure !== undefined) throw this.failure;
      if (Date.now() > deadline) throw new Error(`The tail saw ${this.events.length} of ${awaited.size} events.`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  private async follow(log: EventLog, type: string, after: Position, signal: AbortSignal): Promise<void> {
    for await (const batch of log.subscribe({ types: [type], after, batchSize: 3, signal })) {
      this.events.push(...batch.events);
      const last = batch.events.at(-1);
      if (last !== undefined) await expectWhole(log, last);
    }
  }
}

/** Whoever sees one event of an append can read all of them. */
async function expectWhole(log: EventLog, seen: StoredEvent): Promise<void> {
  const { part, size } = seen.data as { part: number; size: number };
  const from = seen.revision - part;
  const whole = await collect(log.readStream(seen.stream, { from, limit: size }));
  const parts = whole.map((event) => Number(event.data.part));
  if (parts.join() !== Array.from({ length: size }, (_, n) => n).join()) {
    throw new Error(`Of an append of ${size} events to ${seen.stream} a follower could read parts ${parts.join()}.`);
  }
}
