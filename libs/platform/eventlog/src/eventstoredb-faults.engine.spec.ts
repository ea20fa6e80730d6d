import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import {
  collect,
  until,
  EventStoreDbDouble,
  follow,
  newEvent,
  newEvents,
  refusalOf,
  testCertificate,
  unique,
} from '#testing';
import type { EventLog, ExpectedRevision } from './event-log.js';
import { connectEventStoreDb, type EventStoreDbOptions } from './eventstoredb-log.js';
import { positionOf } from './position.js';

const doubles: EventStoreDbDouble[] = [];
const logs: EventLog[] = [];

async function startDouble(...options: Parameters<typeof EventStoreDbDouble.start>): Promise<EventStoreDbDouble> {
  const double = await EventStoreDbDouble.start(...options);
  doubles.push(double);
  return double;
}

function open(url: string, options: Partial<EventStoreDbOptions> = {}): EventLog {
  const log = connectEventStoreDb({ url, deadlineMs: 800, ...options });
  logs.push(log);
  return log;
}

afterEach(async () => {
  for (const log of logs.splice(0)) await log.close();
  for (const double of doubles.splice(0)) await double.stop();
});

describe('An append to EventStoreDB', () => {
  let double: EventStoreDbDouble;
  let log: EventLog;
  beforeEach(async () => {
    double = await startDouble();
    log = open(double.url);
  });

  const faults = [
    'drop before',
    'drop after',
    'deadline before',
    'deadline after',
    'timeout after',
    'not leader',
  ] as const;
  const expectations: readonly [ExpectedRevision, number][] = [
    ['none', 3],
    [1, 3],
    ['any', 1],
    ['any', 3],
    ['exists', 1],
    ['exists', 3],
  ];

  it.each(faults.flatMap((fault) => expectations.map(([expected, size]) => [fault, expected, size] as const)))(
    'happens once in spite of %p, expecting %p, %d events',
    async (fault, expected, size) => {
      const stream = unique('stream');
      const before = expected === 'none' ? 0 : 2;
      if (before > 0) await log.append(stream, newEvents(before), 'none');
      const events = newEvents(size);
      double.faults.nextWrites(fault);
      const appended = await log.append(stream, events, expected);

      expect(double.faults.spent).toBe(true);
      const stored = await collect(log.readStream(stream));
      expect(stored.slice(before).map((event) => event.id)).toEqual(events.map((event) => event.id));
      expect(appended).toEqual({ revision: stored.at(-1)?.revision, position: stored.at(-1)?.position });
    },
  );

  it.each<ExpectedRevision>(['any', 'exists'])(
    'happens once under %p also when the engine has restarted and forgotten the ids it wrote',
    async (expected) => {
      const stream = unique('stream');
      await log.append(stream, newEvents(1), 'none');
      double.faults.nextWrites('drop after');
      const events = newEvents(1);
      const appending = log.append(stream, events, expected);
      await until(() => double.faults.spent, 'the answer is lost');
      double.store.forgetRecentIds();

      expect((await appending).revision).toBe(1);
      expect(await collect(log.readStream(stream))).toHaveLength(2);
    },
  );

  it('survives several losses in a row', async () => {
    const stream = unique('stream');
    double.faults.nextWrites('drop before', 'drop after', 'deadline after', 'drop before');
    await log.append(stream, newEvents(2), 'none');
    expect(await collect(log.readStream(stream))).toHaveLength(2);
  });

  it('knows its position also when the engine does not repeat it', async () => {
    double.store.tellsPositionOfIdempotentWrite = false;
    const stream = unique('stream');
    const events = newEvents(2);
    const first = await log.append(stream, events, 'none');
    expect(await log.append(stream, events, 'none')).toEqual(first);
  });

  it('that lost its race while its answer was lost is refused, and written nowhere', async () => {
    const stream = unique('stream');
    const slow = open(double.url, { deadlineMs: 3_000 });
    double.faults.nextWrites('deadline before');
    const losing = refusalOf(slow.append(stream, newEvents(1), 'none'));
    await until(() => double.faults.spent, 'the engine was asked');
    await log.append(stream, newEvents(2), 'any');
    expect(await losing).toMatchObject({ code: 'WRONG_REVISION', details: { actual: 1 } });
    expect(await collect(log.readStream(stream))).toHaveLength(2);
  });

  it('harms no other one when connections break under many of them', async () => {
    const streams = Array.from({ length: 20 }, () => unique('stream'));
    double.faults.nextWrites('drop after', 'drop before', 'drop after');
    await Promise.all(streams.map((stream) => log.append(stream, newEvents(2), 'none')));
    for (const stream of streams) expect(await collect(log.readStream(stream))).toHaveLength(2);
  });

  it('uses a call of its own', async () => {
    const patient = open(double.url, { deadlineMs: 10_000 });
    await Promise.all([
      patient.append(unique('a'), newEvents(1), 'any'),
      patient.append(unique('b'), newEvents(1), 'none'),
    ]);
    expect(double.writes.calls).toMatchObject({ append: 2, batchAppend: 0 });
  });

  it('is not awaited any more once its signal aborts', async () => {
    const slow = open(double.url, { deadlineMs: 20_000 });
    double.faults.nextWrites('deadline before');
    const stop = new AbortController();
    const appending = slow.append(unique('stream'), newEvents(1), 'any', stop.signal);
    await until(() => double.faults.spent, 'the engine was asked');
    const reason = new Error('the caller went away');
    stop.abort(reason);
    await expect(appending).rejects.toBe(reason);
  });

  it('that the engine finds too large is refused as such', async () => {
    Object.assign(double.store, { append: () => ({ outcome: 'too large', limit: 10 }) });
    expect((await refusalOf(log.append(unique('stream'), newEvents(1), 'any'))).code).toBe('APPEND_TOO_LARGE');
  });

  it('through the long call of other clients keeps the same promises', async () => {
    // Not our way of writing, but other programs write into the same log.
    const { EventStoreDBClient, jsonEvent } = await import('@eventstore/db-client');
    const client = EventStoreDBClient.connectionString(double.url);
    const stream = unique('stream');
    await client.appendToStream(stream, jsonEvent({ type: 'Foreign', data: { n: 1 } }), {
      expectedRevision: 'no_stream',
    });
    const late = client.appendToStream(stream, jsonEvent({ type: 'Foreign', data: {} }), {
      expectedRevision: 'no_stream',
    });
    await expect(late).rejects.toMatchObject({ type: 'wrong-expected-version', actualVersion: 0n });
    expect(double.writes.calls.batchAppend).toBe(1);
    expect(await collect(log.readStream(stream))).toMatchObject([{ type: 'Foreign', data: { n: 1 }, metadata: {} }]);
    await client.dispose();
  });
});

describe('EventStoreDB away', () => {
  it('is told as LOG_UNAVAILABLE, and is used again when it is back', async () => {
    const double = await startDouble();
    const log = open(double.url, { patienceMs: 600 });
    const stream = unique('stream');
    await log.append(stream, newEvents(1), 'none');
    await double.goAway();

    const events = newEvents(2);
    for (const outcome of [log.append(stream, events, 0), collect(log.readStream(stream)), log.head()]) {
      const refusal = await refusalOf(outcome);
      expect(refusal).toMatchObject({ code: 'LOG_UNAVAILABLE', kind: 'unavailable' });
      expect(refusal.message).toContain(double.address);
      expect(refusal.cause).toBeDefined();
    }
    for (const outcome of [log.setRetention(stream, {}), log.retentionOf(stream), log.tombstone(stream, 0)]) {
      expect((await refusalOf(outcome)).code).toBe('LOG_UNAVAILABLE');
    }

    await double.comeBack();
    await log.append(stream, events, 0);
    expect(await collect(log.readStream(stream))).toHaveLength(3);
  });

  it('for a moment is not noticed', async () => {
    const double = await startDouble();
    const log = open(double.url);
    const stream = unique('stream');
    await log.append(stream, newEvents(1), 'none');
    await double.goAway();
    const appending = log.append(stream, newEvents(1), 0);
    const reading = collect(log.readStream(stream, { limit: 1 }));
    setTimeout(() => void double.comeBack(), 300);
    expect((await appending).revision).toBe(1);
    expect(await reading).toHaveLength(1);
  });

  it('that never was there is told the same way', async () => {
    const double = await startDouble();
    await double.goAway();
    const log = open(double.url, { patienceMs: 300 });
    expect((await refusalOf(log.append(unique('stream'), newEvents(1), 'any'))).code).toBe('LOG_UNAVAILABLE');
    const cluster = open('esdb://127.0.0.1:1,127.0.0.1:2?tls=false&maxDiscoverAttempts=2', { patienceMs: 300 });
    expect((await refusalOf(cluster.head())).code).toBe('LOG_UNAVAILABLE');
  });
});

describe('A read from EventStoreDB', () => {
  it('goes on behind the last event when the connection breaks in the middle', async () => {
    const double = await startDouble();
    const log = open(double.url);
    const stream = unique('stream');
    for (let n = 0; n < 4; n += 1) await log.append(stream, bulky(60), 'any');
    for (const read of [
      () => log.readStream(stream),
      () => log.readStream(stream, { direction: 'backward' }),
      () => log.readAll(),
      () => log.readAll({ direction: 'backward' }),
    ]) {
      const revisions: number[] = [];
      for await (const event of read()) {
        if (revisions.length === 5 || revisions.length === 100) double.dropConnections();
        revisions.push(event.revision);
      }
      expect(revisions.sort((a, b) => a - b)).toEqual(Array.from({ length: 240 }, (_, n) => n));
    }
  });

  it('does not wait for ever for a silent engine', async () => {
    const double = await startDouble();
    const log = open(double.url, { deadlineMs: 100, patienceMs: 300 });
    double.faults.nextReads(...Array.from({ length: 10 }, () => 'deadline before' as const));
    expect((await refusalOf(log.head())).code).toBe('LOG_UNAVAILABLE');
  });

  it('left early leaves nothing open', async () => {
    const double = await startDouble();
    const log = open(double.url);
    await log.append(unique('stream'), bulky(200), 'any');
    for (let n = 0; n < 5; n += 1) for await (const event of log.readAll()) if (event.revision === 3) break;
    const started = Date.now();
    await log.close();
    expect(Date.now() - started).toBeLessThan(1_500);
  });

  it('refuses the position of another engine', async () => {
    const log = open((await startDouble()).url);
    await log.append(unique('stream'), newEvents(1), 'any');
    await expect(collect(log.readAll({ after: positionOf(7n) }))).rejects.toThrow(/another engine/);
  });
});

describe('A subscription to EventStoreDB', () => {
  it('loses nothing and repeats nothing when connections break again and again', async () => {
    const double = await startDouble();
    const log = open(double.url);
    const type = unique('Type');
    const attempts: number[] = [];
    const written: string[] = [];
    const writing = (async () => {
      for (let n = 0; n < 60; n += 1) {
        const events = newEvents(2, n % 3 === 0 ? unique('Other') : type);
        await log.append(unique('stream'), events, 'none');
        if (n % 3 !== 0) written.push(...events.map((event) => event.id));
        if (n % 10 === 5) double.dropConnections();
      }
    })();
    const onReconnect = (_: unknown, attempt: number) => attempts.push(attempt);
    const seen = await follow(log, { types: [type], batchSize: 5, onReconnect }, ({ events }) => events.length >= 80);
    await writing;

    expect(seen.events.map((event) => event.id)).toEqual(written);
    expect(attempts.length).toBeGreaterThanOrEqual(1);
    expect(attempts[0]).toBe(1);
  });

  it('resumes from its checkpoint when the engine was away for a while', async () => {
    const double = await startDouble();
    const log = open(double.url, { patienceMs: 200 });
    const type = unique('Type');
    await log.append(unique('stream'), newEvents(3, type), 'none');
    const attempts: number[] = [];
    let left = false;
    const after = newEvents(2, type);
    const seen = await follow(
      log,
      { types: [type], onReconnect: (_, attempt) => attempts.push(attempt) },
      ({ events }) => events.length >= 5,
      async ({ caughtUp }) => {
        if (!caughtUp || left) return;
        left = true;
        await double.goAway();
        setTimeout(() => {
          void double.comeBack().then(() => log.append(unique('stream'), after, 'none'));
        }, 700);
      },
    );
    expect(seen.events.slice(3).map((event) => event.id)).toEqual(after.map((event) => event.id));
    expect(Math.max(...attempts)).toBeGreaterThan(1);
  });

  it('lets the engine wait for a slow consumer', async () => {
    const double = await startDouble();
    const log = open(double.url, { deadlineMs: 10_000 });
    const type = unique('Type');
    // Far more than the buffers of both sides hold.
    for (let n = 0; n < 60; n += 1) await log.append('bulk', bulky(10, type, 100_000), n === 0 ? 'none' : n * 10 - 1);
    const sentBefore = double.reads.sent;
    const stop = new AbortController();
    const batches = log.subscribe({ types: [type], batchSize: 4, signal: stop.signal })[Symbol.asyncIterator]();
    await batches.next();
    let sent = -1;
    await until(async () => {
      const last = sent;
      sent = double.reads.sent - sentBefore;
      await new Promise((resolve) => setTimeout(resolve, 150));
      return sent === last;
    }, 'the engine stops sending');
    expect(sent).toBeLessThan(300);
    stop.abort();
    await batches.next();
  });

  it('moves past the events of others at once when they were written here', async () => {
    const log = open((await startDouble()).url);
    let position = '';
    let asked = 0;
    await follow(
      log,
      { types: [unique('Never')] },
      ({ through }) => position !== '' && through >= position,
      async ({ caughtUp }) => {
        if (!caughtUp || position !== '') return;
        asked = Date.now();
        ({ position } = await log.append(unique('stream'), newEvents(1), 'any'));
      },
    );
    expect(Date.now() - asked).toBeLessThan(2_000);
  });

  it('ends when the log is closed', async () => {
    const log = open((await startDouble()).url);
    const following = (async () => {
      for await (const batch of log.subscribe({ signal: new AbortController().signal }))
        if (batch.caughtUp) void log.close();
    })();
    await following;
    expect((await refusalOf(log.append(unique('stream'), newEvents(1), 'any'))).code).toBe('LOG_UNAVAILABLE');
  });
});

describe('A cluster of EventStoreDB', () => {
  it('is followed to its leader from a follower', async () => {
    const leader = await startDouble();
    const follower = await startDouble({ store: leader.store, leader });
    const stream = unique('stream');
    const log = open(follower.url, { deadlineMs: 10_000 });
    await log.append(stream, newEvents(2), 'none');
    expect(await collect(log.readStream(stream))).toHaveLength(2);
    expect(leader.writes.calls.append).toBe(1);
    const seen = await follow(open(follower.url), {}, ({ events }) => events.length >= 2);
    expect(seen.events).toHaveLength(2);
  });

  it('is found through any of its nodes, and the leader taken', async () => {
    const leader = await startDouble();
    const follower = await startDouble({ store: leader.store, leader });
    const log = open(`esdb://${follower.address},127.0.0.1:1?tls=false`, { deadlineMs: 10_000 });
    const { revision } = await log.append(unique('stream'), [newEvent()], 'any');
    expect(revision).toBe(0);
    expect(leader.writes.calls.append).toBe(1);
    expect(follower.writes.calls.append).toBe(0);
  });
});

describe('Credentials for EventStoreDB', () => {
  let folder: string;
  let tls: { key: string; certificate: string; user: string; password: string };
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'esdb-'));
    tls = { ...testCertificate(), user: 'ann', password: 'p%40ss-word' };
    await writeFile(join(folder, 'ca.pem'), tls.certificate);
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
  });
  const secure = (double: EventStoreDbDouble) =>
    `${double.url}&tlsCAFile=${encodeURIComponent(join(folder, 'ca.pem'))}`;

  it('are used over TLS', async () => {
    const double = await startDouble({ tls: { ...tls, password: 'secret' } });
    const log = open(secure(double), { deadlineMs: 5_000 });
    const stream = unique('stream');
    await log.append(stream, newEvents(2), 'none');
    expect(await collect(log.readStream(stream))).toHaveLength(2);
  });

  it('that are wrong are told at once, with the setting to change and without the password', async () => {
    const double = await startDouble({ tls: { ...tls, password: 'secret' } });
    const log = open(secure(double).replace('secret', 'hunter2'), { deadlineMs: 5_000 });
    const subscribing = follow(log, {}, () => true);
    for (const outcome of [log.append(unique('stream'), newEvents(1), 'any'), log.head(), subscribing]) {
      const refusal = await refusalOf(outcome);
      expect(refusal).toMatchObject({ code: 'LOG_UNAVAILABLE', kind: 'unavailable' });
      expect(refusal.message).toMatch(/refused the credentials/);
      expect(refusal.hint).toMatch(/EVENTSTORE_URL/);
      const shown = `${inspect(refusal, { depth: 10 })} ${refusal.message}`;
      expect(shown).not.toContain('hunter2');
      expect(shown).not.toContain(Buffer.from('ann:hunter2').toString('base64'));
    }
  });

  it('without the right to do something are told apart', async () => {
    const double = await startDouble();
    const log = open(double.url);
    double.faults.nextWrites('no permission');
    const refusal = await refusalOf(log.append(unique('stream'), newEvents(1), 'any'));
    expect(refusal.code).toBe('LOG_UNAVAILABLE');
    expect(refusal.message).toMatch(/does not allow/);
  });

  it('are not given to a server whose certificate nobody vouches for', async () => {
    const double = await startDouble({ tls: { ...tls, password: 'secret' } });
    const log = open(double.url, { patienceMs: 300 });
    expect((await refusalOf(log.head())).code).toBe('LOG_UNAVAILABLE');
  });
});

function bulky(count: number, type = 'Bulky', bytes = 2_000) {
  return newEvents(count, type).map((event) => ({ ...event, data: { text: 'x'.repeat(bytes) } }));
}
