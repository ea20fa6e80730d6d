import { execFile } from 'node:child_process';
import { mkdir, rename, rm } from 'node:fs/promises';
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

/** The single session of a Postgres that lives in a worker thread of this process. */
export class EmbeddedSessions implements Sessions {
  readonly engine = 'embedded';
  private readonly queue = new SessionQueue();
  private closing?: Promise<void>;

  private constructor(
    private readonly thread: PgliteThread,
    private readonly client: pg.Client,
    private readonly lock: FolderLock,
  ) {}

  /** Takes the folder's lock, then starts the engine on it. */
  static async open(dataDir: string): Promise<EmbeddedSessions> {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    const lock = await lockFolder(dataDir);
    try {
      const thread = await startEngine(dataDir);
      const client = new pg.Client({ stream: () => new WireStream(thread.exchange), types, user: 'postgres' });
      // A dead thread fails every query by itself; without a listener it would also end the process.
      client.on('error', () => undefined);
      await client.connect();
      return new EmbeddedSessions(thread, client, lock);
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  async acquire(priority: Priority): Promise<Lease> {
    if (this.closing) throw refuseDatabase('DATABASE_UNAVAILABLE', {}, 'The database has been closed.');
    const release = await this.queue.acquire(priority);
    return { client: this.client, release };
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
    await this.thread.stop();
    await this.lock.release();
  }
}

async function startEngine(dataDir: string): Promise<PgliteThread> {
  const folder = engineFolder(dataDir);
  if (!holdsDatabase(dataDir)) await makeDatabase(folder);
  return PgliteThread.start(folder);
}

/**
 * Making a database takes some 500 MB, which a process of its own gives back. It is made aside: a folder is either whole
 * or not there, whenever the power goes.
 */
async function makeDatabase(folder: string): Promise<void> {
  const draft = `${folder}.new`;
  await rm(draft, { recursive: true, force: true });
  await promisify(execFile)(process.execPath, [fileURLToPath(new URL('./pglite-init.mjs', import.meta.url)), draft]);
  await rename(draft, folder);
}

/** The thread itself: one exchange at a time, in the order asked. */
class PgliteThread {
  private readonly pending: { resolve: (reply: Uint8Array) => void; reject: (error: Error) => void }[] = [];
  private failed?: Error;

  private constructor(private readonly worker: Worker) {
    worker.on('message', (message: FromWorker) => {
      if ('reply' in message) this.pending.shift()?.resolve(message.reply);
    });
    worker.on('error', (error) => this.fail(error));
    worker.on('exit', () =>
      this.fail(refuseDatabase('DATABASE_UNAVAILABLE', {}, 'The embedded database has stopped.')),
    );
  }

  static async start(folder: string): Promise<PgliteThread> {
    const worker = new Worker(new URL('./pglite.worker.mjs', import.meta.url), {
      workerData: { folder },
      execArgv: [],
    });
    await new Promise<void>((resolve, reject) => {
      worker.once('message', () => resolve());
      worker.once('error', reject);
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
    const exited = new Promise((resolve) => this.worker.once('exit', resolve));
    this.worker.postMessage({ close: true });
    await exited;
  }

  private fail(error: Error): void {
    this.failed ??= error;
    for (const waiting of this.pending.splice(0)) waiting.reject(this.failed);
  }
}
