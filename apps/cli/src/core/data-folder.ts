import { hostname } from 'node:os';
import { isRefusal, Refusal } from '#kernel';
import { holdsDatabase, readHolder, type LockHolder } from '#platform/postgres';
import type { Settings } from '#platform/settings';
import { refuseCommand } from '../failure.js';
import { dialled } from './address.js';
import type { Core } from './core.js';
import { isHealthy } from './health.js';
import { InProcessCore } from './in-process-core.js';

/** Addresses that mean another machine when another machine says them. */
const OWN_MACHINE = ['127.0.0.1', 'localhost', '[::1]', '0.0.0.0', '[::]'];

/** The server that holds the data folder and answers; undefined when there is none. */
export async function runningServer({ dataDir }: Settings, stop: AbortSignal): Promise<string | undefined> {
  const holder = await readHolder(dataDir);
  const url = holder && urlOf(holder);
  return url !== undefined && (await isHealthy(url, stop)) ? url : undefined;
}

/** The program in this process, on the data folder, which nobody else may hold then. */
export async function openFolder(settings: Settings): Promise<Core> {
  const { dataDir } = settings;
  // A command that only looks must not make a database in whatever folder it was called in.
  if (!holdsDatabase(dataDir))
    throw refuseCommand('NO_DATABASE', { dataDir }, `There is no database in ${dataDir} yet.`);
  try {
    return await InProcessCore.open(settings);
  } catch (error) {
    if (!isRefusal(error, 'DATA_DIR_HELD')) throw error;
    const hint = 'It does not answer over HTTP: wait until it has started or ended, or stop it, then try again.';
    throw new Refusal(error.code, { kind: error.kind, message: whoHolds(error), hint }, error.details);
  }
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

function whoHolds({ details, message }: Refusal): string {
  const { path, holder } = details as { path?: string; holder?: { pid: number; host: string } };
  if (path === undefined || holder === undefined) return message;
  return `The data folder ${path} is held by process ${holder.pid} on ${holder.host}.`;
}
