import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { below, noted, say, type Check } from '../report.js';
import { median, percentile } from '../rounds.js';
import { Client, timesOf } from './round-trips.js';
import { ServerProcess } from './server-process.js';
import type { StagesResult, StageTimes } from './stages.process.js';

const WARM_UP = 300;
const COUNTED = 1_000;
const PAUSED = 200;
const PAUSE_MS = 25;
const SETTLE_MS = 10_000;
const P50_MS = 10;
const IDLE_MB = 400;

export async function httpSuite(): Promise<Check[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'scriptorium-bench-'));
  try {
    const first = await serving(dataDir, idleMb);
    const [again, trips] = await serving(dataDir, async (server) => [await idleMb(server), await roundTrips(server)]);
    return [
      ...trips,
      ...(await stages(dataDir)),
      below(IDLE_MB, 'idle RSS after the first start, which made the database', first, 'MB'),
      below(IDLE_MB, 'idle RSS after a restart', again, 'MB'),
    ];
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function serving<T>(dataDir: string, body: (server: ServerProcess) => Promise<T>): Promise<T> {
  const server = await ServerProcess.start(dataDir);
  try {
    return await body(server);
  } finally {
    await server.stop();
  }
}

async function idleMb(server: ServerProcess): Promise<number> {
  await sleep(SETTLE_MS);
  return server.rssMb();
}

async function roundTrips({ url }: ServerProcess): Promise<Check[]> {
  say(`${COUNTED} commands one after the other, after ${WARM_UP} to warm up.`);
  const client = new Client(url);
  try {
    await timesOf(WARM_UP, 0, () => client.create());
    const times = await timesOf(COUNTED, 0, () => client.create());
    const paused = await timesOf(PAUSED, PAUSE_MS, () => client.create());
    const health = await timesOf(COUNTED, 0, () => client.health());
    return [
      below(P50_MS, 'POST /v1/containers/create, p50', median(times), 'ms'),
      noted('POST /v1/containers/create, p95', percentile(times, 0.95), 'ms'),
      noted(`POST /v1/containers/create, p50 with ${PAUSE_MS} ms between`, median(paused), 'ms'),
      noted('GET /health, p50', median(health), 'ms'),
    ];
  } finally {
    client.close();
  }
}

/** The same commands against the same program, watched from inside its process: where the time goes. */
async function stages(dataDir: string): Promise<Check[]> {
  const child = fork(fileURLToPath(new URL('stages.process.js', import.meta.url)), {
    env: { ...process.env, DATA_DIR: dataDir },
  });
  const client = new Client((await answerOf(child)) as string);
  try {
    await timesOf(WARM_UP, 0, () => client.create());
    child.send('forget');
    const times = await timesOf(COUNTED, 0, () => client.create());
    child.send('finish');
    const { requests, fsyncMs } = (await answerOf(child)) as StagesResult;
    await once(child, 'exit');
    return shares(times, requests, fsyncMs);
  } finally {
    client.close();
    child.kill('SIGKILL');
  }
}

async function answerOf(child: ChildProcess): Promise<unknown> {
  const [answer] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`The watched server ended with ${code}.`))),
  ])) as [unknown];
  return answer;
}

function shares(times: readonly number[], requests: readonly StageTimes[], fsyncMs: number): Check[] {
  const mean = (of: (request: StageTimes) => number) =>
    requests.reduce((total, request) => total + of(request), 0) / requests.length;
  const total = times.reduce((sum, time) => sum + time, 0) / times.length;
  const fsync = Math.min(
    mean(({ commits }) => commits) * fsyncMs,
    mean(({ appendSql, keys }) => appendSql + keys),
  );
  const stages: [string, number][] = [
    ['client, connection, HTTP parsing', total - mean(({ server }) => server)],
    ['admission, validation, mapping', mean(({ input }) => input)],
    ['the door', mean(({ door, handler }) => door - handler)],
    ['fold, decide, seal', mean((r) => r.handler - r.reads - r.keys - r.append - r.waiting + r.appendWaiting)],
    ['reading streams, SQL', mean(({ reads }) => reads)],
    ['waiting for the session', mean(({ waiting }) => waiting)],
    ['append, waiting to be gathered', mean((r) => r.append - r.appendSql - r.appendWaiting)],
    ['append and data key, SQL without fsync', mean(({ appendSql, keys }) => appendSql + keys) - fsync],
    ['append and data key, fsync', fsync],
    ['answer', mean(({ answer }) => answer)],
  ];
  say(`Watched: ${total.toFixed(2)} ms on average, ${mean(({ commits }) => commits).toFixed(1)} commits a command.`);
  for (const [name, ms] of stages) say(`  ${ms.toFixed(2).padStart(7)} ms  ${name}`);
  return stages.map(([name, ms]) => noted(`share: ${name}`, (ms / total) * 100, '%'));
}
