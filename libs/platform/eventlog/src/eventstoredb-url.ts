import { refuseUnreachable } from './eventstoredb-errors.js';

const SHAPE = /^(esdb(?:\+discover)?:\/\/)(?:[^@/?]*@)?([^@?]+?)\/?(?:\?(.*))?$/;

/** What the client understands. It would print the whole connection string, password included, for anything else. */
const KNOWN = new Set(
  [
    'userCertFile',
    'userKeyFile',
    'maxDiscoverAttempts',
    'connectionName',
    'defaultDeadline',
    'discoveryInterval',
    'gossipTimeout',
    'nodePreference',
    'tls',
    'tlsVerifyCert',
    'tlsCAFile',
    'throwOnAppendFailure',
    'keepAliveInterval',
    'keepAliveTimeout',
  ].map((key) => key.toLowerCase()),
);

/**
 * Checks a connection string and adds what this adapter relies on: failures of an append are thrown, and every call has
 * a deadline.
 */
export function connectionString(url: string, deadlineMs: number): string {
  const match = SHAPE.exec(url.trim());
  if (match === null) throw badUrl('it must look like esdb://user:password@host:2113?tls=true');
  const settings = (match[3] ?? '').split('&').filter((setting) => setting !== '');
  const keys = new Map(settings.map((setting) => split(setting)));
  for (const [key, value] of keys) {
    if (!KNOWN.has(key)) throw badUrl(`it has an unknown option ${key}`);
    if (value === '') throw badUrl(`its option ${key} has no value`);
  }
  if (keys.get('tlsverifycert') === 'false') {
    throw badUrl('certificates are always verified; name the authority with tlsCAFile instead of tlsVerifyCert=false');
  }
  const own = ['throwOnAppendFailure=true', ...(keys.has('defaultdeadline') ? [] : [`defaultDeadline=${deadlineMs}`])];
  const base = url.trim().split('?')[0]!.replace(/\/$/, '');
  return `${base}?${[...settings, ...own].join('&')}`;
}

/** The hosts of a connection string, for messages: never its credentials. */
export function hostsOf(url: string): string {
  return SHAPE.exec(url.trim())?.[2] ?? 'an unreadable address';
}

/** A refusal that says what is wrong with EVENTSTORE_URL, and does not repeat it. */
export function badUrl(reason: string, cause?: unknown): Error {
  return refuseUnreachable(`EVENTSTORE_URL cannot be used: ${reason}.`, {
    hint: 'Correct EVENTSTORE_URL and start again.',
    cause,
  });
}

function split(setting: string): [string, string] {
  const [key = '', ...value] = setting.split('=');
  return [key.toLowerCase().replace(/[_-]/g, ''), value.join('=')];
}
