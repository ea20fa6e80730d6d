import { isRefusal } from '#kernel';
import { programVersion } from '#platform/settings';
import type { ScriptoriumProjectionsDto } from '#surfaces/scriptorium-v1';
import { versionAt } from '../core/health.js';
import { HttpCore } from '../core/http-core.js';
import { PROJECTIONS } from '../projections/paths.js';
import { amount } from '../text.js';
import { ok, problem, warning, type Check, type Examined } from './check.js';

/** The server that commands would ask: its version, whether it lets us in, how its read models do. */
export async function checkServer(url: string | undefined, { settings, stop }: Examined): Promise<Check[]> {
  if (url === undefined) {
    const data = settings.databaseUrl === undefined ? 'data folder' : 'database of DATABASE_URL';
    return [ok('server', `Commands open the ${data} themselves; --url names a server to ask instead.`)];
  }
  const version = await versionAt(url, stop);
  if (version === undefined) {
    return [
      problem('server', `${url} does not answer as a Scriptorium.`, 'Start it, or correct --url or SCRIPTORIUM_URL.'),
    ];
  }
  try {
    const core = new HttpCore(url, settings.token, stop);
    const { items } = await core.get<ScriptoriumProjectionsDto>(PROJECTIONS);
    return [versionCheck(url, version), ...items.map(projectionCheck)];
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return [versionCheck(url, version), problem('server', `It refuses: ${error.message}`, error.hint)];
  }
}

function versionCheck(url: string, version: string): Check {
  const own = programVersion();
  const message = `Scriptorium ${version} answers at ${url}.`;
  if (version === own) return ok('server', message);
  return warning('server', message, `This command line is ${own}: use the same version.`);
}

function projectionCheck({ name, state, parked, lag, error }: ScriptoriumProjectionsDto['items'][number]): Check {
  const which = `projection ${name}`;
  if (state === 'failing')
    return problem(
      which,
      `It is failing: ${error ?? 'the log has the cause'}`,
      'Mend the cause; it goes on by itself.',
    );
  if (state === 'idle') return warning(which, 'No process looks after it.', 'Start the server.');
  if (parked > 0) {
    return warning(
      which,
      `${amount(parked, 'event')} could not be taken in.`,
      `Run: scriptorium projections parked ${name}`,
    );
  }
  return ok(which, `${state}, ${amount(lag.events, 'event')} behind.`);
}
