import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import pg from 'pg';
import type { Priority } from './database.js';
import { engineFolder, holdsDatabase } from './embedded-folder.js';
import { lockFolder, type FolderLock } from './folder-lock.js';
import { refuseDatabase } from './postgres.errors.js';
import { SessionQueue } from './session-queue.js';
import { types, type Lease, type Sessions } from './sessions.js';
import { WireStream } from './wire-stream.js';

type FromWorker = { ready: true } | { closed: true } | { reply: Uint8Array };

const DRAFT = 'postgres.new-';

/** After a breakdown the engine is started again, but not by everyone who asks. */
const REVIVE_MS = 1_000;

/** The single session of a Postgres that lives in a worker thread of this process; a new one when it breaks down. */
export class EmbeddedSessions implements Sessions {
  readonly engine = 'embedded';
  private readonly queue = new SessionQueue();
  private closing?: Promise<void>;
  private revivedAt = Number.NEGATIVE_INFINITY;

  private constructor(
    private readonly folder: string,
    private session: Session,
    private readonly lock: FolderLock,
  ) {}

  /** Takes the folder's lock, then starts the engine on it. */
  static async open(dataDir: string): Promise<EmbeddedSessions> {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    const lock = await lockFolder(dataDir);
    try {
      const folder = engineFolder(dataDir);
      if (!holdsDatabase(dataDir)) await makeDatabase(folder);
      return new EmbeddedSessions(folder, await startSession(folder), lock);
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  async acquire(priority: Priority): Promise<Lease> {
    if (this.closing) throw refuseDatabase('DATABASE_UNAVAILABLE', {}, 'The database has been closed.');
    const release = await this.queue.acquire(priority);
    try {
      if (this.session.thread.failed) await this.revive(this.session.thread.failed);
      return { client: this.session.client, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  listen(): Promise<() => Promise<void>> {
    return Promise.resolve(() => Promise.resolve());
  }

  close(): Promise<void> {
    this.closing ??= this.shut();
    return this.closing;
  }

  private async shut(): Promise<void> {
    await this.queue.acquire('maintenance');
    await this.session.thread.stop();
    await this.lock.release();
  }

  /** Starts the engine anew on the same files: it recovers what had been committed. */
  private async revive(failure: Error): Promise<void> {
    if (performance.now() - this.revivedAt < REVIVE_MS) throw failure;
    this.revivedAt = performance.now();
    await this.session.thread.exited;
    this.session = await startSession(this.folder).catch((error: unknown) => {
      throw stopped(error);
    });
  }
}

interface Session {
  readonly thread: PgliteThread;
  readonly client: pg.Client;
}

async function startSession(folder: string): Promise<Session> {
  const thread = await PgliteThread.start(folder);
  const client = new pg.Client({ stream: () => new WireStream(thread.exchange), types, user: 'postgres' });
  // A dead thread fails every query by itself; without a listener it would also end the process.
  client.on('error', () => undefined);
  await client.connect();
  return { thread, client };
}

function stopped(cause?: unknown): Error {
  return refuseDatabase('DATABASE_UNAVAILABLE', {}, 'The embedded database has stopped.', cause);
}

/**
 * Making a database takes some 500 MB, which a process of its own gives back. It is made aside: a folder is either whole
 * or not there, whenever the power goes. Each attempt has a folder of its own, because that process outlives a killed one.
 */
async function makeDatabase(folder: string): Promise<void> {
  for (const name of await readdir(dirname(folder))) {
    if (name.startsWith(DRAFT)) await rm(join(dirname(folder), name), { recursive: true, force: true, maxRetries: 3 });
  }
  const draft = await mkdtemp(join(dirname(folder), DRAFT));
  await promisify(execFile)(process.execPath, [fileURLToPath(new URL('./pglite-init.mjs', import.meta.url)), draft]);
  await rename(draft, folder);
}

/** The thread itself: one exchange at a time, in the order asked. */
class PgliteThread {
  private readonly pending: { resolve: (reply: Uint8Array) => void; reject: (error: Error) => void }[] = [];
  /** Why it answers no more. */
  failed?: Error;
  readonly exited: Promise<unknown>;

  private constructor(private readonly worker: Worker) {
    this.exited = new Promise((resolve) => worker.once('exit', resolve));
    worker.on('message', (message: FromWorker) => {
      if ('reply' in message) this.pending.shift()?.resolve(message.reply);
    });
    worker.on('error', (error) => this.fail(stopped(error)));
    worker.on('exit', () => this.fail(stopped()));
  }

  static async start(folder: string): Promise<PgliteThread> {
    const worker = new Worker(new URL('./pglite.worker.mjs', import.meta.url), {
      workerData: { folder },
      execArgv: [],
    });
    await new Promise<void>((resolve, reject) => {
      worker.once('message', () => resolve());
      worker.once('error', reject);
      worker.once('exit', () => reject(stopped()));
    });
    return new PgliteThread(worker);
  }

  readonly exchange = (request: Uint8Array): Promise<Uint8Array> =>
    new Promise((resolve, reject) => {
      if (this.failed) {
        reject(this.failed);
        return;
      }
      this.pending.push({ resolve, reject });
      this.worker.postMessage({ bytes: request });
    });

  async stop(): Promise<void> {
    if (this.failed) return;
    this.worker.postMessage({ close: true });
    await this.exited;
  }

  private fail(error: Error): void {
    this.failed ??= error;
    for (const waiting of this.pending.splice(0)) waiting.reject(this.failed);
  }
}
