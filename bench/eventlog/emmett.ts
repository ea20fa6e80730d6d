import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freshStream, SAMPLE } from './sample-events.js';

const PACKAGE = '@event-driven-io/emmett-postgresql';
const VERSION = '0.42';

/** The little of it that is used here. */
interface EmmettStore {
  appendToStream(stream: string, events: readonly object[], options: object): Promise<unknown>;
  close(): Promise<void>;
  readonly schema: { migrate(): Promise<unknown> };
}
type OpenStore = (url: string, options: object) => EmmettStore;

/** emmett-postgresql as npm gives it, in a temporary folder: this project neither depends on it nor contains any of it. */
export class Emmett {
  private constructor(
    private readonly folder: string,
    readonly version: string,
    private readonly openStore: OpenStore,
  ) {}

  static async install(): Promise<Emmett> {
    const folder = await mkdtemp(join(tmpdir(), 'scriptorium-bench-emmett-'));
    try {
      await writeFile(join(folder, 'package.json'), '{"private":true}');
      const args = ['install', '--no-audit', '--no-fund', '--loglevel=error', `${PACKAGE}@${VERSION}`];
      await promisify(execFile)('npm', args, { cwd: folder, shell: process.platform === 'win32' });
      const manifest = await readFile(join(folder, 'node_modules', PACKAGE, 'package.json'), 'utf8');
      const { version } = JSON.parse(manifest) as { version: string };
      const load = createRequire(join(folder, 'package.json'));
      const { getPostgreSQLEventStore } = load(PACKAGE) as { getPostgreSQLEventStore: OpenStore };
      return new Emmett(folder, version, getPostgreSQLEventStore);
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  async open(url: string): Promise<EmmettAppender> {
    const store = this.openStore(url, { schema: { autoMigration: 'None' } });
    await store.schema.migrate();
    return new EmmettAppender(store);
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

export class EmmettAppender {
  constructor(private readonly store: EmmettStore) {}

  async append(count: number): Promise<void> {
    const events = Array.from({ length: count }, () => ({ ...SAMPLE }));
    await this.store.appendToStream(freshStream(), events, { expectedStreamVersion: 'STREAM_DOES_NOT_EXIST' });
  }

  close(): Promise<void> {
    return this.store.close();
  }
}
