import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PostgresEventLog, type EventLog } from '#platform/eventlog';
import { connectServer, migrate, openEmbedded } from '#platform/postgres';
import { atLeast, noted, say, type Check } from '../report.js';
import { compare, perSecond, type Contender, type Turns } from '../rounds.js';
import { createDatabase, describeServer } from '../server.js';
import { BareAppend } from './bare-append.js';
import { Emmett, type EmmettAppender } from './emmett.js';
import { PlainLock } from './plain-lock.js';
import { freshStream, sampleEvents } from './sample-events.js';

const ROUNDS = 5;
const TURN_MS = 3_000;
const WRITERS = 32;
const BATCH = { writers: 8, events: 100 };

export async function eventlogSuite(): Promise<Check[]> {
  say(await describeServer());
  const server = await onServer(async (log, url) => {
    const emmett = await openEmmett();
    try {
      const appender = await emmett?.store.open(url);
      try {
        return [...(await singles(log, url, appender)), ...(await batches(log, appender))];
      } finally {
        await appender?.close();
      }
    } finally {
      await emmett?.store.remove();
    }
  });
  return [...server, ...(await embedded())];
}

async function singles(log: EventLog, url: string, emmett: EmmettAppender | undefined): Promise<Check[]> {
  say(`Single events, ${WRITERS} writers, ${ROUNDS} rounds of ${TURN_MS / 1_000} s each.`);
  const plain = await PlainLock.open(url, WRITERS);
  try {
    const turns = await compare(ROUNDS, [
      appending('port', WRITERS, 1, () => log.append(freshStream(), sampleEvents(1), 'none')),
      appending('plain lock', WRITERS, 1, () => plain.append()),
      ...(emmett ? [appending('emmett', WRITERS, 1, () => emmett.append(1))] : []),
    ]);
    return [
      ...speeds('Postgres, 1 event, 32 writers', turns),
      atLeast(4, '… port ÷ emmett', ratio(turns, 'emmett', emmett), '×'),
      atLeast(20, '… port ÷ plain advisory lock', turns.ratio('port', 'plain lock'), '×'),
    ];
  } finally {
    await plain.close();
  }
}

async function batches(log: EventLog, emmett: EmmettAppender | undefined): Promise<Check[]> {
  const { writers, events } = BATCH;
  say(`Batches of ${events} events, ${writers} writers.`);
  const turns = await compare(ROUNDS, [
    appending('port', writers, events, () => log.append(freshStream(), sampleEvents(events), 'none')),
    ...(emmett ? [appending('emmett', writers, events, () => emmett.append(events))] : []),
  ]);
  return [
    ...speeds('Postgres, 100 events, 8 writers', turns),
    atLeast(1.4, '… port ÷ emmett', ratio(turns, 'emmett', emmett), '×'),
  ];
}

async function embedded(): Promise<Check[]> {
  say(`Embedded, single events, ${WRITERS} writers.`);
  const dataDir = await mkdtemp(join(tmpdir(), 'scriptorium-bench-'));
  try {
    const database = await openEmbedded({ dataDir });
    try {
      await migrate(database);
      const log = new PostgresEventLog(database);
      const bare = new BareAppend(database.at('append'), WRITERS);
      const turns = await compare(ROUNDS, [
        appending('port', WRITERS, 1, () => log.append(freshStream(), sampleEvents(1), 'none')),
        appending('bare function', 1, WRITERS, () => bare.append()),
      ]);
      return [
        ...speeds('Embedded, 1 event, 32 writers', turns),
        atLeast(0.8, '… port ÷ bare append function, 32 at a time', turns.ratio('port', 'bare function'), '×'),
      ];
    } finally {
      await database.close();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function onServer<T>(body: (log: EventLog, url: string) => Promise<T>): Promise<T> {
  const made = await createDatabase();
  try {
    const database = await connectServer({ url: made.url });
    try {
      await migrate(database);
      return await body(new PostgresEventLog(database), made.url);
    } finally {
      await database.close();
    }
  } finally {
    await made.drop();
  }
}

async function openEmmett(): Promise<{ store: Emmett } | undefined> {
  try {
    const store = await Emmett.install();
    say(`emmett-postgresql ${store.version}`);
    return { store };
  } catch (error) {
    say(`emmett-postgresql could not be installed, so its checks fail: ${String(error)}`);
    return undefined;
  }
}

function appending(name: string, writers: number, events: number, append: () => Promise<unknown>): Contender {
  return { name, turn: async () => events * (await perSecond(writers, TURN_MS, append)) };
}

function speeds(what: string, turns: Turns): Check[] {
  return [...turns.speeds].map(([name, each]) => {
    say(`  ${name}: ${each.map((speed) => Math.round(speed)).join(' ')} events/s`);
    return noted(`${what}: ${name}`, turns.median(name), 'events/s');
  });
}

/** Without the other there is nothing to be faster than: the check fails. */
function ratio(turns: Turns, other: string, there: unknown): number {
  return there === undefined ? 0 : turns.ratio('port', other);
}
