import { createHmac, createSecretKey, hkdfSync, randomBytes, type KeyObject } from 'node:crypto';
import type { Database, Sql } from '#platform/postgres';
import type { DataKeys } from './codec.js';
import { openBytes, sealBytes } from './codec-envelope.js';
import { KeyCache } from './keyring-cache.js';
import { fingerprintOf, loadMasterKey } from './keyring-master-key.js';
import { refuseKey } from './keyring.errors.js';
import { forgetSnapshots } from './snapshots.js';

const KEY_BYTES = 32;

export interface KeyringOptions {
  readonly database: Database;
  readonly master: KeyObject;
  /**
   * How long an unwrapped key may be used without asking the table again. An erasure done by another process takes
   * effect here within this time; default 30 s.
   */
  readonly ttlMs?: number;
  /** How many keys are kept at most; default 10,000. */
  readonly cacheSize?: number;
  readonly now?: () => number;
}

interface KeyRow {
  readonly subject: string;
  readonly wrapped: string | null;
}

/**
 * One data key per subject (a note, a document, a principal), wrapped by the master key, in a durable table of its own.
 * Deleting the key erases every sealed field of the subject, in the log and in its backups, for good.
 */
export class Keyring implements DataKeys {
  private readonly database: Database;
  private readonly master: KeyObject;
  private readonly fingerprint: string;
  private readonly cache: KeyCache;

  constructor(options: KeyringOptions) {
    this.database = options.database;
    this.master = options.master;
    this.fingerprint = fingerprintOf(options.master);
    this.cache = new KeyCache(
      { size: options.cacheSize ?? 10_000, ttlMs: options.ttlMs ?? 30_000 },
      options.now ?? (() => performance.now()),
    );
  }

  /**
   * Makes this master key the database's own, or throws MASTER_KEY_MISMATCH when another one is. While no data key
   * exists a new master key may take over.
   */
  async claim(): Promise<void> {
    await this.database.transaction(async (tx) => {
      await tx.query('insert into keys.master_key (fingerprint) values ($1) on conflict do nothing', [
        this.fingerprint,
      ]);
      const claimed = await tx.query<{ fingerprint: string }>('select fingerprint from keys.master_key for update');
      if (claimed.rows[0]?.fingerprint === this.fingerprint) return;
      if (await hasDataKeys(tx)) throw refuseKey('MASTER_KEY_MISMATCH');
      await tx.query('update keys.master_key set fingerprint = $1, claimed_at = now()', [this.fingerprint]);
    });
  }

  async forSealing(subjects: readonly string[]): Promise<ReadonlyMap<string, KeyObject>> {
    const keys = new Map<string, KeyObject>();
    const unknown: string[] = [];
    for (const subject of subjects) {
      const key = this.cache.get(subject);
      if (key === 'erased') throw subjectErased(subject);
      if (key === undefined) unknown.push(subject);
      else keys.set(subject, key);
    }
    if (unknown.length === 0) return keys;
    const created = await this.create(unknown);
    const rest = unknown.filter((subject) => !created.has(subject));
    const found = rest.length === 0 ? created : new Map([...created, ...(await this.fetch(rest))]);
    for (const subject of unknown) {
      const key = found.get(subject);
      if (key === 'erased') throw subjectErased(subject);
      // Neither made nor there: the table belongs to another master key by now.
      if (key === undefined) throw refuseKey('MASTER_KEY_MISMATCH', { subject });
      keys.set(subject, key);
    }
    return keys;
  }

  async forOpening(subjects: readonly string[]): Promise<ReadonlyMap<string, KeyObject | 'erased'>> {
    const keys = new Map<string, KeyObject | 'erased'>();
    const unknown: string[] = [];
    for (const subject of subjects) {
      const key = this.cache.get(subject);
      if (key === undefined) unknown.push(subject);
      else keys.set(subject, key);
    }
    if (unknown.length === 0) return keys;
    const found = await this.fetch(unknown);
    for (const subject of unknown) {
      const key = found.get(subject);
      if (key === undefined) throw refuseKey('KEY_MISSING', { subject }, `There is no data key for ${subject}.`);
      keys.set(subject, key);
    }
    return keys;
  }

  /**
   * Deletes the subject's key for good and leaves a tombstone; its snapshots go with it. Safe to repeat. Effective here at
   * once, in other processes when their cached key runs out; what they seal until then is unreadable afterwards.
   */
  async erase(subject: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      await tx.query(
        `insert into keys.data_keys (subject, wrapped_key, erased_at) values ($1, null, now())
         on conflict (subject) do update set wrapped_key = null, erased_at = coalesce(data_keys.erased_at, now())`,
        [subject],
      );
      await forgetSnapshots(tx, subject);
    });
    this.cache.put(subject, 'erased');
  }

  /** After a restore of the key table: erases again what the log says was erased. Subjects unknown to it get a tombstone. */
  async reapplyErasures(subjects: Iterable<string>): Promise<void> {
    for (const subject of subjects) await this.erase(subject);
  }

  /** A content hash that says nothing once the subject is erased: HMAC-SHA-256, hexadecimal. */
  async hmac(subject: string, bytes: string | Uint8Array): Promise<string> {
    const keys = await this.forSealing([subject]);
    const key = keys.get(subject);
    if (key === undefined) throw subjectErased(subject);
    const derived = hkdfSync('sha256', key, Buffer.alloc(0), 'scriptorium content hash', KEY_BYTES);
    return createHmac('sha256', Buffer.from(derived)).update(bytes).digest('hex');
  }

  /** Racing creators all insert; the table keeps the first, and the others read it. */
  private async create(subjects: readonly string[]): Promise<Map<string, KeyObject | 'erased'>> {
    const fresh = new Map(subjects.map((subject) => [subject, createSecretKey(randomBytes(KEY_BYTES))]));
    const wrapped = [...fresh].map(([subject, key]) =>
      sealBytes(this.master, key.export(), subject).toString('base64'),
    );
    const { rows } = await this.database.at('append').query<KeyRow>(
      `with claimed as (select 1 from keys.master_key where fingerprint = $3 for share)
       insert into keys.data_keys (subject, wrapped_key)
       select subject, decode(wrapped, 'base64') from claimed, unnest($1::text[], $2::text[]) as new(subject, wrapped)
       order by subject
       on conflict (subject) do nothing
       returning subject, null as wrapped`,
      [[...fresh.keys()], wrapped, this.fingerprint],
    );
    const created = new Map<string, KeyObject>();
    for (const { subject } of rows) {
      const key = fresh.get(subject);
      if (key === undefined) continue;
      created.set(subject, key);
      this.cache.put(subject, key);
    }
    return created;
  }

  private async fetch(subjects: readonly string[]): Promise<Map<string, KeyObject | 'erased'>> {
    const { rows } = await this.database.query<KeyRow>(
      `select subject, translate(encode(wrapped_key, 'base64'), E'\\n', '') as wrapped
       from keys.data_keys where subject = any($1::text[])`,
      [subjects],
    );
    const found = new Map<string, KeyObject | 'erased'>();
    for (const { subject, wrapped } of rows) {
      const key = wrapped === null ? 'erased' : this.unwrap(subject, wrapped);
      found.set(subject, key);
      this.cache.put(subject, key);
    }
    return found;
  }

  private unwrap(subject: string, wrapped: string): KeyObject {
    const bytes = openBytes(this.master, Buffer.from(wrapped, 'base64'), subject);
    if (bytes === undefined) {
      throw refuseKey('MASTER_KEY_MISMATCH', { subject }, `This master key does not open the data key of ${subject}.`);
    }
    return createSecretKey(bytes);
  }
}

export interface OpenKeyringOptions extends Omit<KeyringOptions, 'master'> {
  readonly masterKey?: string;
  readonly dataDir: string;
}

/** The keyring of a process: finds or makes the master key, and refuses one that cannot open what is there. */
export async function openKeyring({ masterKey, dataDir, ...options }: OpenKeyringOptions): Promise<Keyring> {
  const mayCreate = !(await hasDataKeys(options.database));
  const keyring = new Keyring({ ...options, master: await loadMasterKey({ masterKey, dataDir, mayCreate }) });
  await keyring.claim();
  return keyring;
}

async function hasDataKeys(sql: Sql): Promise<boolean> {
  const { rows } = await sql.query<{ found: boolean }>(
    'select exists (select from keys.data_keys where wrapped_key is not null) as found',
  );
  return rows[0]?.found === true;
}

function subjectErased(subject: string): Error {
  return refuseKey('SUBJECT_ERASED', { subject }, `${subject} has been erased.`);
}
