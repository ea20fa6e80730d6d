import { mkdtemp, readdir, readFile, rm, stat, writeFile, chmod } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Database } from '#platform/postgres';
import { embeddedDatabase, keyringBehaviour, type TestDatabase } from '#testing';
import { openKeyring } from './keyring.js';
import { loadMasterKey } from './keyring-master-key.js';

keyringBehaviour('the embedded database', embeddedDatabase);

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'master-key-'));
});
afterEach(async () => {
  await rm(dataDir, { recursive: true });
});

describe('The master key', () => {
  const hex = '00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff';

  it('is the same in hexadecimal and in base64', async () => {
    const bytes = Buffer.from(hex, 'hex');
    for (const masterKey of [
      hex,
      hex.toUpperCase(),
      bytes.toString('base64'),
      bytes.toString('base64url'),
      ` ${hex}\n`,
    ]) {
      expect((await loadMasterKey({ masterKey, dataDir })).export()).toEqual(bytes);
    }
    expect(await readdir(dataDir)).toEqual([]);
  });

  it.each(['short', 'x'.repeat(64), hex.slice(2), `${hex}00`, Buffer.alloc(31).toString('base64')])(
    'is refused when it is malformed: %s',
    async (masterKey) => {
      await expect(loadMasterKey({ masterKey, dataDir })).rejects.toMatchObject({
        code: 'MASTER_KEY_MALFORMED',
        message: 'MASTER_KEY is not 32 bytes in base64 or hexadecimal.',
      });
    },
  );

  it('is made at first use in a file that only its owner can read, and kept', async () => {
    const folder = join(dataDir, 'new', 'folder');
    const made = await Promise.all([1, 2, 3].map(() => loadMasterKey({ dataDir: folder })));
    const later = await loadMasterKey({ dataDir: folder, mayCreate: false });
    for (const key of made) expect(key.equals(later)).toBe(true);
    expect((await stat(join(folder, 'master.key'))).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['master.key']);
    expect(await readFile(join(folder, 'master.key'), 'utf8')).toMatch(/^[A-Za-z0-9+/]{43}=\n$/);
  });

  it('is refused when its file is damaged, open to others, or gone while there is something to open', async () => {
    const path = join(dataDir, 'master.key');
    await expect(loadMasterKey({ dataDir, mayCreate: false })).rejects.toMatchObject({ code: 'MASTER_KEY_MISSING' });
    await writeFile(path, 'half a ke', { mode: 0o600 });
    await expect(loadMasterKey({ dataDir })).rejects.toMatchObject({
      code: 'MASTER_KEY_MALFORMED',
      details: { where: path },
    });
    await writeFile(path, hex);
    await chmod(path, 0o640);
    await expect(loadMasterKey({ dataDir })).rejects.toMatchObject({ code: 'MASTER_KEY_EXPOSED', details: { path } });
  });
});

describe('Opening the keyring', () => {
  let opened: TestDatabase;
  let database: Database;
  const other = 'ff'.repeat(32);
  beforeAll(async () => {
    opened = await embeddedDatabase();
    database = opened.database;
  });
  afterAll(async () => {
    await opened.close();
  });

  it('lets a new master key take over only until the first data key', async () => {
    const early = await openKeyring({ database, dataDir });
    const late = await openKeyring({ database, dataDir, masterKey: other });
    await expect(early.forSealing(['note-1'])).rejects.toMatchObject({ code: 'MASTER_KEY_MISMATCH' });

    await late.forSealing(['note-1']);
    await expect(openKeyring({ database, dataDir })).rejects.toMatchObject({ code: 'MASTER_KEY_MISMATCH' });
    await rm(join(dataDir, 'master.key'));
    await expect(openKeyring({ database, dataDir })).rejects.toMatchObject({ code: 'MASTER_KEY_MISSING' });
    expect(await readdir(dataDir)).toEqual([]);

    const again = await openKeyring({ database, dataDir, masterKey: other });
    expect((await again.forOpening(['note-1'])).size).toBe(1);
  });

  it('lets a new master key take over again when nothing is left to open', async () => {
    const last = await openKeyring({ database, dataDir, masterKey: other });
    await last.erase('note-1');
    const next = await openKeyring({ database, dataDir });
    expect((await next.forOpening(['note-1'])).get('note-1')).toBe('erased');
    expect((await next.forSealing(['note-2'])).size).toBe(1);
    await expect(last.forSealing(['note-3'])).rejects.toMatchObject({ code: 'MASTER_KEY_MISMATCH' });
  });
});
