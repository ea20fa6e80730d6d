import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { START } from '#platform/eventlog';
import { atLeast, atMost, below, noted, say, type Check } from '../report.js';
import { compare, median, type Contender } from '../rounds.js';
import { describeServer } from '../server.js';
import { BareReplay, type BareTimes } from './bare-replay.js';
import type { RebuildResult, RebuildTask } from './rebuild.process.js';
import { SampleLog } from './sample-log.js';
import { forgetBuilds, hostOn, openStage, openStore, PROJECTION, withPlace, type Place, type Stage } from './stage.js';

const ROUNDS = 3;
const COMPARED = 20_000;
const SIZES = { small: 10_000, medium: 100_000, large: Number(process.env['BENCH_EVENTS'] ?? 1_000_000) };
const GROWTH = 1.5;
const PEAK_MB = 600;
const REPLAY_MS = 10 * 60_000;

export async function projectionsSuite(): Promise<Check[]> {
  say(await describeServer());
  const checks: Check[] = [];
  for (const engine of ['server', 'embedded'] as const) {
    checks.push(...(await withPlace(engine, replay)), ...(await withPlace(engine, growth)));
  }
  return checks;
}

/** The projection's runner against the least that a replay can be, on the same events in the same database. */
async function replay(place: Place): Promise<Check[]> {
  say(`${place.engine}: replay of ${COMPARED} events, ${ROUNDS} rounds.`);
  const stage = await openStage(place);
  try {
    await new SampleLog(stage.store, stage.keys).fillTo(COMPARED);
    const events = await stage.store.log.countAfter(START, Number.MAX_SAFE_INTEGER);
    const bare = await BareReplay.prepare(stage, PROJECTION);
    const bareTimes: BareTimes[] = [];
    const turns = await compare(ROUNDS, [replaying(stage, events), bareReplaying(bare, events, bareTimes)]);
    for (const [name, each] of turns.speeds) say(`  ${name}: ${each.map(Math.round).join(' ')} events/s`);
    return [
      noted(`${place.engine}: replay through the projection`, turns.median('projection'), 'events/s'),
      noted(`${place.engine}: bare read`, (events / median(bareTimes.map(({ readMs }) => readMs))) * 1_000, 'events/s'),
      noted(
        `${place.engine}: bare upsert`,
        (events / median(bareTimes.map(({ writeMs }) => writeMs))) * 1_000,
        'events/s',
      ),
      atLeast(0.5, `${place.engine}: projection ÷ (bare read + bare upsert)`, turns.ratio('projection', 'bare'), '×'),
    ];
  } finally {
    await stage.close();
  }
}

function replaying(stage: Stage, events: number): Contender {
  return {
    name: 'projection',
    turn: async () => {
      await forgetBuilds(stage);
      const head = await stage.store.log.head();
      const { store } = await openStore(stage.database);
      const host = hostOn({ database: stage.database, store });
      const started = performance.now();
      await host.start();
      const there = await host.waitFor([PROJECTION.name], head, REPLAY_MS);
      const seconds = (performance.now() - started) / 1_000;
      await host.stop();
      if (!there) throw new Error(`The projection did not get through ${events} events.`);
      return events / seconds;
    },
  };
}

function bareReplaying(bare: BareReplay, events: number, times: BareTimes[]): Contender {
  return {
    name: 'bare',
    turn: async () => {
      const each = await bare.run();
      times.push(each);
      return (events / (each.readMs + each.writeMs)) * 1_000;
    },
  };
}

/** Rebuilds of a growing log, each in a process of its own. */
async function growth(place: Place): Promise<Check[]> {
  await liveBuildOf(place, 100);
  const results: RebuildResult[] = [];
  let filled = 0;
  for (const [at, size] of Object.values(SIZES).entries()) {
    await fill(place, size - filled);
    filled = size;
    const result = await rebuildApart({ place, version: 101 + at });
    say(
      `  rebuild of ${result.events} events to ${result.rows} rows: ${result.seconds} s, peak ${Math.round(result.peakMb)} MB`,
    );
    results.push(result);
  }
  const [small, medium, large] = results.map(({ seconds, events }) => (seconds / events) * 1e6);
  const name = (what: string) => `${place.engine}: ${what}`;
  return [
    noted(name(`rebuild of ${SIZES.small} events, each`), small ?? 0, 'µs'),
    noted(name(`rebuild of ${SIZES.medium} events, each`), medium ?? 0, 'µs'),
    noted(name(`rebuild of ${SIZES.large} events, each`), large ?? 0, 'µs'),
    atMost(GROWTH, name(`time per event, ${SIZES.large} ÷ ${SIZES.medium}`), (large ?? 0) / (medium ?? 0), '×'),
    atMost(GROWTH, name(`time per event, ${SIZES.large} ÷ ${SIZES.small}`), (large ?? 0) / (small ?? 0), '×'),
    below(PEAK_MB, name(`peak RSS, rebuild of ${SIZES.large} events`), results.at(-1)?.peakMb ?? Infinity, 'MB'),
  ];
}

/** An empty live build by other code, which stays as it is: the rebuilds have something to take the place of. */
async function liveBuildOf(place: Place, version: number): Promise<void> {
  const stage = await openStage(place);
  const host = hostOn(stage, version);
  await host.start();
  await host.stop();
  await stage.close();
}

async function fill(place: Place, events: number): Promise<void> {
  const stage = await openStage(place);
  const started = performance.now();
  await new SampleLog(stage.store, stage.keys).fillTo(events);
  const seconds = (performance.now() - started) / 1_000;
  say(`${place.engine}: ${events} more events appended, ${Math.round(events / seconds)} events/s`);
  await stage.close();
}

async function rebuildApart(task: RebuildTask): Promise<RebuildResult> {
  const child = fork(fileURLToPath(new URL('rebuild.process.js', import.meta.url)), { stdio: 'inherit' });
  child.send(task);
  const result = await Promise.race([
    once(child, 'message').then(([message]) => message as RebuildResult),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`The rebuild's process ended with ${code}.`))),
  ]);
  if (child.exitCode === null) await once(child, 'exit');
  return result;
}
