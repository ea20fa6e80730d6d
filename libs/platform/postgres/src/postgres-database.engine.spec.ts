import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PostgresEventLog } from '#platform/eventlog';
import { connectServer, migrate, type Database } from '#platform/postgres';
import { databaseBehaviour, eventually, FlakyLine, serverDatabase, type TestDatabase } from '#testing';

databaseBehaviour('a Postgres server', serverDatabase);

describe('several processes on one server', () => {
  it('migrate one after the other when they start at once', async () => {
    const opened = await serverDatabase();
    try {
      await opened.database.query('drop schema eventlog, projections, live, keys, snapshots cascade');
      await opened.database.query('delete from migrations');
      const others = await Promise.all([1, 2, 3].map(() => connectServer({ url: opened.url ?? '' })));
      const ran = await Promise.all(others.map((other) => migrate(other)));
      expect(ran.map((names) => names.length).sort()).toEqual([0, 0, expect.any(Number)]);
      await Promise.all(others.map((other) => other.close()));
    } finally {
      await opened.close();
    }
  });

  it('do not wait for ever for one that was stopped in a transaction', async () => {
    const { database, close } = await serverDatabase();
    expect((await database.query('show idle_in_transaction_session_timeout')).rows).toEqual([
      { idle_in_transaction_session_timeout: '10s' },
    ]);
    await close();
  });
});

describe('a server that goes away and comes back', () => {
  let opened: TestDatabase;
  let line: FlakyLine;
  let database: Database;

  beforeAll(async () => {
    opened = await serverDatabase();
    line = await FlakyLine.to(opened.url ?? '');
    database = await connectServer({ url: line.url });
  });
  afterAll(async () => {
    await database.close();
    await line.close();
    await opened.close();
  });

  const event = () => ({ id: randomUUID(), type: 'Noted', data: {}, metadata: {} });

  it('is a refusal while it is away, and works again without a restart', async () => {
    line.cut();
    await expect(database.query('select 1')).rejects.toMatchObject({
      code: 'DATABASE_UNAVAILABLE',
      kind: 'unavailable',
    });
    await expect(new PostgresEventLog(database).head()).rejects.toMatchObject({
      code: 'LOG_UNAVAILABLE',
      kind: 'unavailable',
    });
    line.mend();
    await expect(database.query('select 1 as one')).resolves.toMatchObject({ rows: [{ one: 1 }] });
  });

  it('loses no acknowledged append, and a repeated one happens once', async () => {
    const log = new PostgresEventLog(database);
    const stream = `flaky-${randomUUID()}`;
    const acknowledged: string[] = [];
    const cuts = setInterval(() => {
      line.cut();
      setTimeout(() => line.mend(), 20);
    }, 60);
    for (let at = 0; at < 100; at += 1) {
      const one = event();
      await eventually(
        () =>
          log.append(stream, [one], at === 0 ? 'none' : at - 1).then(
            () => true,
            (error: { code: string }) => error.code,
          ),
        (done) => done === true,
      );
      acknowledged.push(one.id);
    }
    clearInterval(cuts);
    await eventually(
      () => (
        line.mend(),
        database.query('select 1').then(
          () => true,
          () => false,
        )
      ),
      Boolean,
    );
    const stored: string[] = [];
    for await (const { id } of log.readStream(stream)) stored.push(id);
    expect(stored).toEqual(acknowledged);
  });

  it('tells a subscriber that it has caught up again, even if nothing was written meanwhile', async () => {
    const log = new PostgresEventLog(database);
    const stop = new AbortController();
    const heard: string[] = [];
    const reading = (async () => {
      const subscription = log.subscribe({
        after: await log.head(),
        signal: stop.signal,
        onReconnect: () => heard.push('lost'),
      });
      for await (const { caughtUp } of subscription) if (caughtUp) heard.push('caught up');
    })();
    const last = () => heard.at(-1);
    await eventually(last, (news) => news === 'caught up');
    line.cut();
    await eventually(last, (news) => news === 'lost');
    line.mend();
    await eventually(last, (news) => news === 'caught up');
    stop.abort();
    await reading;
  });

  it('resumes subscriptions after the checkpoint, missing nothing', async () => {
    const log = new PostgresEventLog(database);
    await log.listen();
    const stop = new AbortController();
    const seen: string[] = [];
    const lost: number[] = [];
    const subscription = log.subscribe({
      after: await log.head(),
      signal: stop.signal,
      onReconnect: (_error, attempt) => lost.push(attempt),
    });
    const reading = (async () => {
      for await (const { events } of subscription) seen.push(...events.map(({ id }) => id));
    })();
    const [before, after] = [event(), event()];
    await log.append(`away-${before.id}`, [before], 'none');
    await eventually(
      () => seen,
      (ids) => ids.includes(before.id),
    );
    line.cut();
    await eventually(
      () => lost.length,
      (times) => times > 0,
    );
    line.mend();
    await eventually(
      () =>
        log.append(`away-${after.id}`, [after], 'none').then(
          () => true,
          () => false,
        ),
      Boolean,
    );
    await eventually(
      () => seen,
      (ids) => ids.includes(after.id),
    );
    expect(seen).toEqual([before.id, after.id]);
    stop.abort();
    await reading;
    await log.close();
  });
});
