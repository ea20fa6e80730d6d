import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ERASED, SYSTEM } from '#kernel';
import {
  EventCatalog,
  EventStore,
  Keyring,
  PostgresEventLog,
  type EventContext,
  type JsonObject,
  type KeyringOptions,
} from '#platform/eventlog';
import type { Database } from '#platform/postgres';
import type { TestDatabase } from '../postgres/databases.js';
import { refusalOf, unique } from './log-driver.js';

const context: EventContext = {
  caller: SYSTEM,
  correlationId: randomUUID(),
  executionId: randomUUID(),
  operation: 'write_note',
  at: new Date(0),
};

const catalog = new EventCatalog([
  {
    type: 'NoteWritten',
    version: 1,
    sealed: { subject: (data) => data['note'] as string, fields: ['title', 'body'] },
  },
]);

/** What the keyring promises on every engine. */
export function keyringBehaviour(name: string, open: () => Promise<TestDatabase>): void {
  describe(`The keyring on ${name}`, () => {
    const master = createSecretKey(randomBytes(32));
    let opened: TestDatabase;
    let database: Database;
    /** A process: the same tables, its own cache. */
    const process = (more: Partial<KeyringOptions> = {}) => new Keyring({ database, master, ...more });
    const storeWith = (keys: Keyring) => new EventStore({ log: new PostgresEventLog(database), catalog, keys });
    const write = (store: EventStore, note: string, more: JsonObject = { title: 'A title', body: 'A body' }) =>
      store.append(note, [{ type: 'NoteWritten', data: { note, ...more } }], 'any', context);
    const read = async (store: EventStore, stream: string) => {
      const all: unknown[] = [];
      for await (const event of store.read(stream)) all.push(event.data);
      return all;
    };

    beforeAll(async () => {
      opened = await open();
      database = opened.database;
      await process().claim();
    });
    afterAll(async () => {
      await opened.close();
    });

    it('seals what is written and opens what is read, also in another process', async () => {
      const note = unique('note');
      await write(storeWith(process()), note);
      expect(await read(storeWith(process()), note)).toEqual([{ note, title: 'A title', body: 'A body' }]);
    });

    it('leaves nothing readable in the log, whatever was written', async () => {
      const store = storeWith(process());
      const note = unique('note');
      const text = fc.stringMatching(/^[A-Za-z]{10,40}$/);
      const written: JsonObject[] = [];
      await fc.assert(
        fc.asyncProperty(text, text, async (title, body) => {
          written.push({ note, title, body: { paragraphs: [body] } });
          await write(store, note, { title, body: { paragraphs: [body] } });
          const { rows } = await database.query<{ found: number }>(
            `select count(*)::int as found from eventlog.events e where strpos(e::text, $1) > 0 or strpos(e::text, $2) > 0`,
            [title, body],
          );
          expect(rows[0]?.found).toBe(0);
        }),
        { numRuns: 20 },
      );
      expect(await read(store, note)).toEqual(written);
    });

    it('erases: what was sealed reads as erased, and nothing more can be sealed', async () => {
      const [note, other] = [unique('note'), unique('note')];
      const keys = process();
      const store = storeWith(keys);
      await write(store, note);
      await write(store, other);
      await keys.erase(note);

      expect(await read(store, note)).toEqual([{ note, title: ERASED, body: ERASED }]);
      expect(await read(storeWith(process()), note)).toEqual([{ note, title: ERASED, body: ERASED }]);
      expect(await read(store, other)).toEqual([{ note: other, title: 'A title', body: 'A body' }]);
      for (const each of [store, storeWith(process())]) {
        const refusal = await refusalOf(write(each, note));
        expect(refusal).toMatchObject({ code: 'SUBJECT_ERASED', kind: 'conflict', details: { subject: note } });
      }
      expect(await read(store, note)).toHaveLength(1);
    });

    it('keeps a tombstone without a key, the same one however often it is erased', async () => {
      const note = unique('note');
      const keys = process();
      await write(storeWith(keys), note);
      const row = async () =>
        (
          await database.query<{ wrapped_key: unknown; erased_at: Date }>(
            'select * from keys.data_keys where subject = $1',
            [note],
          )
        ).rows;
      await keys.erase(note);
      const [first] = await row();
      expect(first?.wrapped_key).toBeNull();
      await keys.erase(note);
      await process().erase(note);
      expect(await row()).toEqual([first]);
    });

    it('erases in other processes when their keys run out', async () => {
      const note = unique('note');
      let now = 0;
      const store = storeWith(process({ ttlMs: 1_000, now: () => now }));
      await write(store, note);
      await process().erase(note);

      now = 999;
      expect(await read(store, note)).toEqual([{ note, title: 'A title', body: 'A body' }]);
      now = 1_000;
      expect(await read(store, note)).toEqual([{ note, title: ERASED, body: ERASED }]);
      await expect(write(store, note)).rejects.toMatchObject({ code: 'SUBJECT_ERASED' });
    });

    it('does not bring a key back that was on its way while it was erased', async () => {
      const note = unique('note');
      const keys = process();
      await write(storeWith(process()), note);
      await Promise.all([keys.forOpening([note]), keys.erase(note), keys.forOpening([note])]);
      expect((await keys.forOpening([note])).get(note)).toBe('erased');
    });

    it('lets racing first users agree on one key', async () => {
      const notes = Array.from({ length: 4 }, () => unique('note'));
      const stores = Array.from({ length: 6 }, () => storeWith(process()));
      await Promise.all(stores.flatMap((store) => notes.map((note) => write(store, note))));

      for (const note of notes) {
        const data = await read(storeWith(process()), note);
        expect(data).toEqual(Array.from(stores, () => ({ note, title: 'A title', body: 'A body' })));
      }
    });

    it('lets them do so also when they need many keys, each in its own order', async () => {
      for (let round = 0; round < 5; round += 1) {
        const notes = Array.from({ length: 200 }, () => unique('note'));
        const found = await Promise.all(
          Array.from({ length: 6 }, (_, n) => process().forSealing(n % 2 === 0 ? notes : [...notes].reverse())),
        );
        for (const keys of found) {
          for (const note of notes) expect(keys.get(note)?.equals(found[0]!.get(note)!)).toBe(true);
        }
      }
    });

    it('asks once for all the keys of a batch, and not again while they are fresh', async () => {
      const notes = Array.from({ length: 30 }, () => unique('note'));
      await process().forSealing(notes);
      const asked: string[] = [];
      const counted = counting(database, asked);
      const keys = new Keyring({ database: counted, master });
      expect((await keys.forOpening(notes)).size).toBe(30);
      expect(asked).toHaveLength(1);
      await keys.forOpening(notes);
      await keys.forSealing(notes);
      expect(asked).toHaveLength(1);
    });

    it('does not take a missing key for an erasure', async () => {
      const note = unique('note');
      await write(storeWith(process()), note);
      await database.query('delete from keys.data_keys where subject = $1', [note]);
      await expect(read(storeWith(process()), note)).rejects.toMatchObject({
        code: 'KEY_MISSING',
        details: { subject: note },
      });
    });

    it('erases again after a restore, also what the restored table has never known', async () => {
      const [restored, unknown, kept] = [unique('note'), unique('note'), unique('note')];
      const store = storeWith(process());
      for (const note of [restored, unknown, kept]) await write(store, note);
      await database.query('delete from keys.data_keys where subject = $1', [unknown]);

      await process().reapplyErasures([restored, unknown]);
      const fresh = storeWith(process());
      for (const note of [restored, unknown])
        expect(await read(fresh, note)).toEqual([{ note, title: ERASED, body: ERASED }]);
      expect(await read(fresh, kept)).toEqual([{ note: kept, title: 'A title', body: 'A body' }]);
    });

    it('hashes content under the key: equal for equal content, different for each subject, refused once erased', async () => {
      const [one, two] = [unique('note'), unique('note')];
      const keys = process();
      const hash = await keys.hmac(one, 'content');
      expect(hash).toMatch(/^[0-9a-f]{64}$/);
      expect(await process().hmac(one, Buffer.from('content'))).toBe(hash);
      expect(await keys.hmac(one, 'other content')).not.toBe(hash);
      expect(await keys.hmac(two, 'content')).not.toBe(hash);
      await keys.erase(one);
      await expect(keys.hmac(one, 'content')).rejects.toMatchObject({ code: 'SUBJECT_ERASED' });
    });

    it('rejects a wrapped key that was given to another subject', async () => {
      const [one, two] = [unique('note'), unique('note')];
      await process().forSealing([one, two]);
      await database.query(
        'update keys.data_keys set wrapped_key = (select wrapped_key from keys.data_keys where subject = $1) where subject = $2',
        [one, two],
      );
      await expect(process().forOpening([two])).rejects.toMatchObject({ code: 'MASTER_KEY_MISMATCH' });
    });

    describe('with another master key', () => {
      const wrong = { master: createSecretKey(randomBytes(32)) };

      it('refuses to start, to open and to seal, and never says erased', async () => {
        const note = unique('note');
        await write(storeWith(process()), note);
        const mismatch = { code: 'MASTER_KEY_MISMATCH', kind: 'unavailable' };
        await expect(process(wrong).claim()).rejects.toMatchObject(mismatch);
        await expect(read(storeWith(process(wrong)), note)).rejects.toMatchObject(mismatch);
        await expect(write(storeWith(process(wrong)), note)).rejects.toMatchObject(mismatch);
        await expect(write(storeWith(process(wrong)), unique('note'))).rejects.toMatchObject(mismatch);
      });

      it('still tells erased subjects apart', async () => {
        const note = unique('note');
        await write(storeWith(process()), note);
        await process().erase(note);
        expect(await read(storeWith(process(wrong)), note)).toEqual([{ note, title: ERASED, body: ERASED }]);
      });
    });
  });
}

/** The same database, noting each statement. */
function counting(database: Database, asked: string[]): Database {
  return {
    engine: database.engine,
    at: (priority) => counting(database.at(priority), asked),
    query: (text, values) => {
      asked.push(text);
      return database.query(text, values);
    },
    transaction: (body) => database.transaction(body),
    checkFree: () => database.checkFree(),
    listen: (channel, notified) => database.listen(channel, notified),
    close: () => database.close(),
  };
}
