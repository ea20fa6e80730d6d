import pg from 'pg';
import { types, type Lease, type Sessions } from './sessions.js';

const CONNECT_MS = 3_000;
const IDLE_IN_TRANSACTION_MS = 10_000;

/** The sessions of a Postgres server, from a pool. */
export class ServerSessions implements Sessions {
  readonly engine = 'server';
  private readonly pool: pg.Pool;

  constructor(private readonly url: string) {
    this.pool = new pg.Pool({
      connectionString: url,
      max: 10,
      connectionTimeoutMillis: CONNECT_MS,
      // A process that was stopped in the middle of a transaction must not keep its locks: others wait for them.
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
      keepAlive: true,
      application_name: 'scriptorium',
      types,
    });
    // A connection that breaks, idle or in use, fails its query and is replaced; without listeners it would end the process.
    this.pool.on('error', () => undefined);
    this.pool.on('connect', (client) => client.on('error', () => undefined));
  }

  async acquire(): Promise<Lease> {
    const client = await this.pool.connect();
    return { client, release: (error) => client.release(error) };
  }

  async listen(channel: string, notified: () => void): Promise<() => Promise<void>> {
    const listener = new Listener(this.url, channel, notified);
    await listener.connect();
    return () => listener.close();
  }

  async close(): Promise<void> {
    await this.pool.end();
  }
}

const RECONNECT_MS = 1_000;

/** A connection that only listens, made anew when it breaks. Whoever relies on it also looks now and then by itself. */
class Listener {
  private client?: pg.Client;
  private timer?: NodeJS.Timeout;
  private closed = false;

  constructor(
    private readonly url: string,
    private readonly channel: string,
    private readonly notified: () => void,
  ) {}

  async connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.url,
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
      application_name: 'scriptorium-listen',
    });
    this.client = client;
    client.on('error', () => this.reconnect());
    client.on('end', () => this.reconnect());
    client.on('notification', this.notified);
    try {
      await client.connect();
      await client.query(`listen ${pg.escapeIdentifier(this.channel)}`);
      this.notified();
    } catch {
      this.reconnect();
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    await this.client?.end();
  }

  private reconnect(): void {
    if (this.closed || this.timer) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      void this.connect();
    }, RECONNECT_MS);
    this.timer.unref();
  }
}
