import { namedServer } from '../core/connect.js';
import { runningServer } from '../core/data-folder.js';
import { warning, type Check } from './check.js';
import { checkDatabase } from './database.check.js';
import { checkEventStore } from './event-store.check.js';
import { checkFolder } from './folder.check.js';
import { checkNode } from './node.check.js';
import { checkPort } from './port.check.js';
import { checkServer } from './server.check.js';
import { checkSettings } from './settings.check.js';

/** Looks at everything a server needs, and at the server that commands would ask. */
export async function examine(url: string | undefined, stop: AbortSignal): Promise<Check[]> {
  const { checks, settings } = checkSettings();
  const first = [checkNode(), ...checks];
  if (settings === undefined) {
    return [...first, warning('engines', 'Not looked at, because a setting is wrong.', 'Correct it, then ask again.')];
  }
  const running = settings.databaseUrl === undefined ? await runningServer(settings, stop) : undefined;
  const examined = { settings, running, stop };
  return [
    ...first,
    ...(await checkFolder(examined)),
    ...(await checkDatabase(examined)),
    ...(await checkEventStore(examined)),
    await checkPort(examined),
    ...(await checkServer(url ?? namedServer() ?? running, examined)),
  ];
}
