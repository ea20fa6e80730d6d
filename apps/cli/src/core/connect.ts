import { BadSetting, readSettings } from '#platform/settings';
import type { Terminal } from '../terminal.js';
import { isHttpUrl } from './address.js';
import type { Core } from './core.js';
import { HttpCore } from './http-core.js';
import { InProcessCore } from './in-process-core.js';

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
  // Loaded only here: it brings the database's driver along, which is half of a command's start.
  const { openFolder, runningServer } = await import('./data-folder.js');
  const running = await runningServer(settings, stop);
  return running === undefined ? openFolder(settings) : new HttpCore(running, settings.token, stop);
}

export function namedServer(): string | undefined {
  const url = process.env['SCRIPTORIUM_URL']?.trim() || undefined;
  if (url === undefined || isHttpUrl(url)) return url;
  throw new BadSetting(
    'SCRIPTORIUM_URL',
    'SCRIPTORIUM_URL is not an http or https URL: set it to one such as http://127.0.0.1:7801, or leave it out.',
  );
}
