import { mkdir } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import pg from 'pg';
import type { Priority } from './database.js';
import { engineFolder, holdsDatabase } from './embedded-folder.js';
import { lockFolder, type FolderLock } from './folder-lock.js';
import { refuseDatabase } from './postgres.errors.js';
import { SessionQueue } from './session-queue.js';
import { types, type Lease, type Sessions } from './sessions.js';
import { WireStream } from './wire-stream.js';

/** How the embedded server is started. Small, because it shares a laptop with everything else. */
const PARAMETERS = {
  fsync: 'on',
  wal_sync_method: 'fsync',
  shared_buffers: '32MB',
  max_wal_size: '256MB',
  jit: 'off',
  timezone: 'UTC',
};

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

/** Making a new database takes some 500 MB that its thread would keep: that thread ends, another one serves. */
async function startEngine(dataDir: string): Promise<PgliteThread> {
  const folder = engineFolder(dataDir);
  if (!holdsDatabase(dataDir)) await (await PgliteThread.start(folder)).stop();
  return PgliteThread.start(folder);
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
      workerData: { folder, parameters: PARAMETERS },
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
