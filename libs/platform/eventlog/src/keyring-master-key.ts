import { createHmac, createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import { link, mkdir, open, readFile, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { refuseKey } from './keyring.errors.js';

const BYTES = 32;
const FILE = 'master.key';

export interface MasterKeySource {
  /** The setting MASTER_KEY: 32 bytes in base64 or hexadecimal. It wins over the file. */
  readonly masterKey?: string;
  /** Where the file master.key is, or will be. */
  readonly dataDir: string;
  /** False when data keys exist already: a new master key could not open them. */
  readonly mayCreate?: boolean;
}

/** The key that wraps all data keys: from the setting, else from a file only its owner can read, made at first use. */
export async function loadMasterKey({ masterKey, dataDir, mayCreate = true }: MasterKeySource): Promise<KeyObject> {
  if (masterKey !== undefined && masterKey !== '') return parseMasterKey(masterKey, 'MASTER_KEY');
  const path = join(dataDir, FILE);
  const found = await readKeyFile(path);
  if (found !== undefined) return found;
  if (!mayCreate) {
    throw refuseKey('MASTER_KEY_MISSING', { path }, `Sealed data exists, but there is no master key at ${path}.`);
  }
  await createKeyFile(dataDir, path);
  return (await readKeyFile(path)) ?? Promise.reject(refuseKey('MASTER_KEY_MISSING', { path }));
}

/** Says which master key it is, without giving it away. */
export function fingerprintOf(master: KeyObject): string {
  return createHmac('sha256', master).update('scriptorium master key').digest('hex').slice(0, 32);
}

function parseMasterKey(text: string, where: string): KeyObject {
  const trimmed = text.trim();
  const bytes = /^[0-9a-f]{64}$/i.test(trimmed)
    ? Buffer.from(trimmed, 'hex')
    : /^[A-Za-z0-9+/_-]{43}=?$/.test(trimmed)
      ? Buffer.from(trimmed, 'base64')
      : undefined;
  if (bytes?.length !== BYTES) {
    throw refuseKey('MASTER_KEY_MALFORMED', { where }, `${where} is not ${BYTES} bytes in base64 or hexadecimal.`);
  }
  return createSecretKey(bytes);
}

async function readKeyFile(path: string): Promise<KeyObject | undefined> {
  try {
    const { mode } = await stat(path);
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      throw refuseKey('MASTER_KEY_EXPOSED', { path }, `Others can read the master key at ${path}.`);
    }
    return parseMasterKey(await readFile(path, 'utf8'), path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Written whole before it gets its name, so that two first starts agree on one key and none reads half of one. */
async function createKeyFile(dataDir: string, path: string): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(`${randomBytes(BYTES).toString('base64')}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await unlink(draft);
  }
  await syncFolder(dataDir);
}

async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
