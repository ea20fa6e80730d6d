import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { CommandBus } from '@nestjs/cqrs';
import { createApp, openEngines, type Engines } from '#composition';
import { Operations } from '#platform/operations';
import type { Database, SqlValue } from '#platform/postgres';
import { readSettings } from '#platform/settings';
import { createLogger } from '#platform/telemetry';

/** What the Database's class has, as functions that can be taken out and put back. */
interface DatabaseMethods {
  query: (this: Database, text: string, values?: readonly SqlValue[]) => Promise<unknown>;
  lease: (this: Database) => Promise<unknown>;
}

/** How long the parts of one request took, in milliseconds. */
export interface StageTimes {
  /** From the parsed head of the request to the last byte of the answer. */
  server: number;
  /** Admission, body, validation, mapping: until the door. */
  input: number;
  /** Inside the door. */
  door: number;
  handler: number;
  /** From the door to the last byte of the answer. */
  answer: number;
  reads: number;
  keys: number;
  append: number;
  appendSql: number;
  /** Waiting for the one session, of all statements together. */
  waiting: number;
  /** That part of it which appends waited. */
  appendWaiting: number;
  /** Statements that end with a commit, and so with an fsync. */
  commits: number;
}

export interface StagesResult {
  readonly requests: readonly StageTimes[];
  /** One fsync of the log's file, on average. */
  readonly fsyncMs: number;
}

const requests: StageTimes[] = [];
const current = new AsyncLocalStorage<StageTimes>();

const environment = { ...process.env, PORT: '0', LOG_LEVEL: 'warn', RATE_LIMIT_PER_MINUTE: '0' };
const settings = readSettings(environment);
const logger = createLogger(settings.logLevel);
const engines = await openEngines(settings, logger);
await engines.database.query('set track_wal_io_timing = on');
const app = await createApp(settings, { logger, engines });
watchEngines(engines);
watchDoor();
watchServer(app.getHttpServer());
await app.listen({ port: 0, host: settings.host });
process.send?.(await app.getUrl());
// Whoever watches has gone: nobody would stop this server.
process.once('disconnect', () => process.exit(1));
process.on('message', (order) => {
  if (order === 'forget') requests.length = 0;
  else void finish();
});

async function finish(): Promise<void> {
  const result: StagesResult = { requests, fsyncMs: await fsyncMs(engines.database) };
  process.send?.(result);
  await app.close();
  process.exit(0);
}

function noTimes(): StageTimes {
  return {
    server: 0,
    input: 0,
    door: 0,
    handler: 0,
    answer: 0,
    reads: 0,
    keys: 0,
    append: 0,
    appendSql: 0,
    waiting: 0,
    appendWaiting: 0,
    commits: 0,
  };
}

/** Every request of the server runs in a context that the stages below write into. */
function watchServer(server: Server): void {
  const [handle] = server.listeners('request') as ((request: IncomingMessage, response: ServerResponse) => void)[];
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const started = performance.now();
    const times = noTimes();
    starts.set(times, started);
    response.once('finish', () => {
      times.server = performance.now() - started;
      times.answer = times.server - times.input - times.door;
      if (request.method === 'POST') requests.push(times);
    });
    current.run(times, () => handle?.(request, response));
  });
}

const starts = new WeakMap<StageTimes, number>();

function watchDoor(): void {
  const operations = app.get(Operations, { strict: false });
  const run = operations.run.bind(operations) as (...args: unknown[]) => Promise<unknown>;
  operations.run = (...args: unknown[]) => {
    const times = current.getStore();
    if (times) times.input = performance.now() - (starts.get(times) ?? 0);
    return timed('door', () => run(...args));
  };
  const bus = app.get(CommandBus, { strict: false });
  const execute = bus.execute.bind(bus) as (...args: unknown[]) => Promise<unknown>;
  bus.execute = (...args: unknown[]) => timed('handler', () => execute(...args));
}

/** The log's appends, and below them every statement on the session and the wait for it. */
function watchEngines({ store, database }: Engines): void {
  const append = store.log.append.bind(store.log);
  store.log.append = (...args) => timed('append', () => append(...args));
  const ofDatabase = Object.getPrototypeOf(database) as DatabaseMethods;
  const { query, lease } = ofDatabase;
  ofDatabase.query = function (text, values) {
    const times = current.getStore();
    const before = times?.waiting ?? 0;
    const stage = stageOf(text);
    if (times && stage !== 'reads') times.commits += 1;
    const started = performance.now();
    return query.call(this, text, values).finally(() => {
      if (!times) return;
      const waited = times.waiting - before;
      times[stage] += performance.now() - started - waited;
      if (stage === 'appendSql') times.appendWaiting += waited;
    });
  };
  ofDatabase.lease = function () {
    return timed('waiting', () => lease.call(this));
  };
}

function stageOf(text: string): 'appendSql' | 'keys' | 'reads' {
  if (text.includes('eventlog.append')) return 'appendSql';
  return text.includes('insert into keys.data_keys') ? 'keys' : 'reads';
}

async function timed<T>(stage: keyof StageTimes, work: () => Promise<T>): Promise<T> {
  const times = current.getStore();
  const started = performance.now();
  try {
    return await work();
  } finally {
    if (times) times[stage] += performance.now() - started;
  }
}

async function fsyncMs(database: Database): Promise<number> {
  await database.query('select pg_stat_force_next_flush()');
  const { rows } = await database.query<{ each: number }>(
    `select sum(fsync_time) / greatest(sum(fsyncs), 1) as each from pg_stat_io where object = 'wal'`,
  );
  return rows[0]?.each ?? 0;
}
