import { createHash } from 'node:crypto';
import { realpath, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer, connect, type Server } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { refuseDatabase } from './postgres.errors.js';

const HEARTBEAT_MS = 5_000;
const STALE_MS = 30_000;

/** Who holds a data folder. */
export interface LockHolder {
  readonly host: string;
  readonly pid: number;
  readonly since: string;
  readonly heartbeat: string;
  /** Where the holder answers over HTTP, once it does. */
  readonly url?: string;
}

export interface FolderLock {
  /** Tells whoever asks where the holder can be reached. */
  announce(url: string): Promise<void>;
  release(): Promise<void>;
}

const locks = new Map<string, FolderLock>();

/** The lock this process holds on a folder, if it does. */
export async function heldLock(folder: string): Promise<FolderLock | undefined> {
  return locks.get(await realpath(folder));
}

/** The holder named in a folder's lock file, alive or not; undefined when there is none. */
export async function readHolder(folder: string): Promise<LockHolder | undefined> {
  try {
    return JSON.parse(await readFile(join(folder, 'lock.json'), 'utf8')) as LockHolder;
  } catch {
    return undefined;
  }
}

/**
 * Takes a folder for this process alone. On this machine a socket proves it (the kernel frees it with the process, even
 * after kill -9); for a folder shared between machines the lock file's heartbeat does.
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  const path = await realpath(folder);
  const socket = await holdSocket(path);
  const holder = await readHolder(path);
  if (!socket || (holder && holder.host !== hostname() && isFresh(holder))) {
    socket?.close();
    throw held(path, holder);
  }
  const lock = await HeldFolder.begin(path, socket);
  locks.set(path, lock);
  return lock;
}

class HeldFolder implements FolderLock {
  private url?: string;
  private readonly since = new Date().toISOString();
  private readonly timer = setInterval(() => void this.beat(), HEARTBEAT_MS).unref();
  private beating: Promise<void> = Promise.resolve();

  private constructor(
    private readonly path: string,
    private readonly socket: Server,
  ) {}

  static async begin(path: string, socket: Server): Promise<HeldFolder> {
    const lock = new HeldFolder(path, socket);
    await lock.beat();
    return lock;
  }

  async announce(url: string): Promise<void> {
    this.url = url;
    await this.beat();
  }

  async release(): Promise<void> {
    clearInterval(this.timer);
    await this.beating;
    await rm(join(this.path, 'lock.json'), { force: true });
    locks.delete(this.path);
    await new Promise((resolve) => this.socket.close(resolve));
  }

  /** One after the other, and never half written: a reader sees a whole file. */
  private beat(): Promise<void> {
    const next = this.beating.then(() => this.write());
    // A folder that vanished under us must not end the process through its heartbeat.
    this.beating = next.catch(() => undefined);
    return next;
  }

  private async write(): Promise<void> {
    const holder: LockHolder = {
      host: hostname(),
      pid: process.pid,
      since: this.since,
      heartbeat: new Date().toISOString(),
      ...(this.url === undefined ? {} : { url: this.url }),
    };
    const draft = join(this.path, `lock.json.${process.pid}`);
    await writeFile(draft, JSON.stringify(holder), { mode: 0o600 });
    await rename(draft, join(this.path, 'lock.json'));
  }
}

function isFresh(holder: LockHolder): boolean {
  return Date.now() - Date.parse(holder.heartbeat) < STALE_MS;
}

function held(path: string, holder: LockHolder | undefined) {
  const who = holder ? `process ${holder.pid} on ${holder.host} (since ${holder.since})` : 'another process';
  return refuseDatabase(
    'DATA_DIR_HELD',
    { path, ...(holder ? { holder } : {}) },
    `The data folder ${path} is held by ${who}; stop it, or set DATA_DIR to another folder.`,
  );
}

/** The socket that stands for the folder, or undefined when a living process has it. */
async function holdSocket(path: string): Promise<Server | undefined> {
  const address = socketAddress(path);
  const taken = await listen(address);
  if (taken || process.platform !== 'darwin') return taken;
  // macOS keeps the socket file of a dead process: ask whether anyone answers before taking it.
  if (await answers(address)) return undefined;
  await rm(address, { force: true });
  return listen(address);
}

function socketAddress(path: string): string {
  const name = `scriptorium-${createHash('sha256').update(path).digest('hex').slice(0, 32)}`;
  if (process.platform === 'linux') return `\0${name}`;
  if (process.platform === 'win32') return `\\\\.\\pipe\\${name}`;
  return join(tmpdir(), `${name}.sock`);
}

function listen(address: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.end());
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' || error.code === 'EACCES' ? resolve(undefined) : reject(error),
    );
    server.listen(address, () => {
      server.unref();
      resolve(server);
    });
  });
}

function answers(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(address, () => {
      probe.destroy();
      resolve(true);
    });
    probe.once('error', () => resolve(false));
  });
}
