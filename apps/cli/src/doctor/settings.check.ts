import { namedServer } from '../core/connect.js';
import { BadSetting, readSettings, type Settings } from '#platform/settings';
import { ok, problem, warning, type Check } from './check.js';

interface Variable {
  readonly name: string;
  readonly about: string;
  /** What holds when it is not set. */
  readonly unset: string;
  /** `secret`: not shown at all. `url`: shown without what may be a password. */
  readonly shown?: 'secret' | 'url';
}

const VARIABLES: readonly Variable[] = [
  { name: 'PORT', about: 'the port the server listens on', unset: '7801' },
  { name: 'HOST', about: 'the address the server listens on', unset: '127.0.0.1, this machine only' },
  { name: 'PUBLIC_URL', about: 'how others reach the server', unset: 'host and port', shown: 'url' },
  { name: 'DATA_DIR', about: 'the folder for data and keys', unset: '.data in the current folder' },
  { name: 'DATABASE_URL', about: 'the Postgres server', unset: 'the embedded one in DATA_DIR', shown: 'url' },
  {
    name: 'EVENTSTORE_URL',
    about: 'the EventStoreDB for events',
    unset: 'events are kept in the database',
    shown: 'url',
  },
  {
    name: 'MASTER_KEY',
    about: 'wraps the keys of sealed text',
    unset: 'the file master.key in DATA_DIR',
    shown: 'secret',
  },
  { name: 'LOG_LEVEL', about: 'how much is logged', unset: 'info' },
];

/** Every setting by itself, so that two wrong ones are two lines; the settings as a whole when all is well. */
export function checkSettings(): { readonly checks: readonly Check[]; readonly settings?: Settings } {
  const checks = [...VARIABLES.map(checkVariable), checkToken(), checkServerUrl()];
  if (checks.some(({ status }) => status === 'problem')) return { checks };
  return { checks, settings: readSettings() };
}

function checkVariable({ name, about, unset, shown }: Variable): Check {
  const wrong = complaintAbout(name);
  if (wrong !== undefined) return problem(name, `(${about})`, wrong);
  const value = process.env[name]?.trim();
  if (!value) return ok(name, `(${about}) not set: ${unset}.`);
  return ok(name, `(${about}) ${valueOf(value, shown)}`);
}

function checkToken(): Check {
  const about = '(the token every caller needs)';
  const wrong = complaintAbout('MCP_TOKEN');
  if (wrong !== undefined) return problem('MCP_TOKEN', about, wrong);
  const { token } = readSettings({ MCP_TOKEN: process.env['MCP_TOKEN'] });
  if (token !== undefined) return ok('MCP_TOKEN', `${about} is set.`);
  return warning(
    'MCP_TOKEN',
    `${about} not set: local mode, every program on this machine may call.`,
    'Set it to require one.',
  );
}

function checkServerUrl(): Check {
  const about = '(the server this command line asks)';
  try {
    const url = namedServer();
    return ok('SCRIPTORIUM_URL', `${about} ${url ? valueOf(url, 'url') : 'not set: the one that holds DATA_DIR.'}`);
  } catch (error) {
    if (!(error instanceof BadSetting)) throw error;
    return problem('SCRIPTORIUM_URL', about, error.message);
  }
}

/** Judged by the reader of the settings itself, given this one variable; the token belongs to HOST's rule. */
function complaintAbout(name: string): string | undefined {
  try {
    readSettings({ [name]: process.env[name], MCP_TOKEN: process.env['MCP_TOKEN'] });
  } catch (error) {
    if (!(error instanceof BadSetting)) throw error;
    if (error.variable === name) return error.message;
  }
  return undefined;
}

function valueOf(value: string, shown: Variable['shown']): string {
  if (shown === 'secret') return 'is set.';
  return shown === 'url' ? value.replace(/\/\/.*@/, '//***@').replace(/[?#].*$/, '') : value;
}
