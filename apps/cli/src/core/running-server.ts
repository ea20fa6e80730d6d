import { hostname } from 'node:os';
import { readHolder, type LockHolder } from '#platform/postgres';
import type { Settings } from '#platform/settings';
import { dialled } from './address.js';
import { isHealthy } from './health.js';

/** Addresses that mean another machine when another machine says them. */
const OWN_MACHINE = ['127.0.0.1', 'localhost', '[::1]', '0.0.0.0', '[::]'];

/** The server that holds the data folder and answers; undefined when there is none. */
export async function runningServer({ dataDir }: Settings, stop: AbortSignal): Promise<string | undefined> {
  const holder = await readHolder(dataDir);
  const url = holder && urlOf(holder);
  return url !== undefined && (await isHealthy(url, stop)) ? url : undefined;
}

/** Where the holder of a lock file can be reached from here. The file of a process that is gone says nothing. */
function urlOf(holder: LockHolder): string | undefined {
  if (holder.url === undefined || !URL.canParse(holder.url)) return undefined;
  const url = new URL(holder.url);
  const here = holder.host === hostname();
  if (here ? !isAlive(holder.pid) : OWN_MACHINE.includes(url.hostname)) return undefined;
  url.hostname = dialled(url.hostname);
  return url.origin;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
