import { isRefusal, Refusal } from '#kernel';
import { holdsDatabase } from '#platform/postgres';
import { BadSetting, readSettings, type Settings } from '#platform/settings';
import { refuseCommand } from '../failure.js';
import type { Terminal } from '../terminal.js';
import type { Core } from './core.js';
import { HttpCore } from './http-core.js';
import { InProcessCore } from './in-process-core.js';
import { runningServer } from './running-server.js';

export interface ConnectOptions {
  readonly url?: string;
}

/** Runs a command's work on the program, wherever that is, and closes what was opened for it. */
export async function withCore<T>(
  options: ConnectOptions,
  terminal: Terminal,
  work: (core: Core) => Promise<T>,
): Promise<T> {
  const core = await connect(options, terminal.stop);
  try {
    terminal.stop.throwIfAborted();
    return await work(core);
  } finally {
    await core.close();
  }
}

/** The server that was named, else the one that runs on the data folder, else the program in this process. */
async function connect({ url }: ConnectOptions, stop: AbortSignal): Promise<Core> {
  const settings = readSettings();
  const named = url ?? namedServer();
  if (named !== undefined) return new HttpCore(named, settings.token, stop);
  // On a database server any number of processes may work at once: there is no folder to hold.
  if (settings.databaseUrl !== undefined) return InProcessCore.open(settings);
  const running = await runningServer(settings, stop);
  return running === undefined ? openFolder(settings) : new HttpCore(running, settings.token, stop);
}

export function namedServer(): string | undefined {
  const url = process.env['SCRIPTORIUM_URL']?.trim() || undefined;
  if (url === undefined || (/^https?:\/\/[^/]/i.test(url) && URL.canParse(url))) return url;
  throw new BadSetting(
    'SCRIPTORIUM_URL',
    'SCRIPTORIUM_URL is not an http or https URL: set it to one such as http://127.0.0.1:7801, or leave it out.',
  );
}

async function openFolder(settings: Settings): Promise<Core> {
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

function whoHolds({ details, message }: Refusal): string {
  const { path, holder } = details as { path?: string; holder?: { pid: number; host: string } };
  if (path === undefined || holder === undefined) return message;
  return `The data folder ${path} is held by process ${holder.pid} on ${holder.host}.`;
}
