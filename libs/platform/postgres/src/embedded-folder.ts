import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Where the embedded Postgres keeps its files within a data folder. */
export function engineFolder(dataDir: string): string {
  return join(dataDir, 'postgres');
}

/** True when a database has been made in the data folder; looks, and changes nothing. */
export function holdsDatabase(dataDir: string): boolean {
  return existsSync(join(engineFolder(dataDir), 'PG_VERSION'));
}
