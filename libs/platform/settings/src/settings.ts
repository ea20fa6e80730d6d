import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { LOG_LEVELS, type LogLevel } from '#platform/telemetry';
import { BadSetting } from './settings.errors.js';

/** What can be set from outside, validated. */
export interface Settings {
  readonly port: number;
  readonly host: string;
  /** How others reach this server, when that is not host and port. */
  readonly publicUrl?: string;
  readonly dataDir: string;
  /** Absent: the embedded database in `dataDir`. */
  readonly databaseUrl?: string;
  /** Absent: the event log in the database. */
  readonly eventStoreUrl?: string;
  /** The owner's token. Absent: local mode. */
  readonly token?: string;
  readonly masterKey?: string;
  readonly logLevel: LogLevel;
}

type Environment = Readonly<Record<string, string | undefined>>;

const LOOPBACK = ['127.0.0.1', 'localhost', '::1'];
const TOKEN_FILE = join('docker', 'mcp_token.txt');

/** Reads the settings from the environment; throws BadSetting with one sentence that says what to change. */
export function readSettings(environment: Environment = process.env, workingDirectory = process.cwd()): Settings {
  const settings: Settings = {
    port: portIn(environment),
    host: hostIn(environment),
    publicUrl: urlIn(environment, 'PUBLIC_URL', ['http', 'https'], 'https://scriptorium.example.org'),
    dataDir: resolve(workingDirectory, textIn(environment, 'DATA_DIR') ?? '.data'),
    databaseUrl: urlIn(
      environment,
      'DATABASE_URL',
      ['postgres', 'postgresql'],
      'postgres://user@host:5432/scriptorium',
    ),
    eventStoreUrl: urlIn(environment, 'EVENTSTORE_URL', ['esdb', 'esdb+discover'], 'esdb://host:2113?tls=true'),
    token: tokenIn(environment, workingDirectory),
    masterKey: masterKeyIn(environment),
    logLevel: logLevelIn(environment),
  };
  if (!LOOPBACK.includes(settings.host) && settings.token === undefined) {
    throw new BadSetting(
      'HOST',
      `HOST is ${settings.host}, which other machines can reach, but there is no token: set MCP_TOKEN, or set HOST to 127.0.0.1.`,
    );
  }
  return settings;
}

function textIn(environment: Environment, variable: string): string | undefined {
  const text = environment[variable]?.trim();
  return text === '' ? undefined : text;
}

function portIn(environment: Environment): number {
  const text = textIn(environment, 'PORT') ?? '7801';
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new BadSetting('PORT', `PORT is "${text}", which is not a port: set it to a whole number from 0 to 65535.`);
}

function hostIn(environment: Environment): string {
  const host = textIn(environment, 'HOST') ?? '127.0.0.1';
  if (/^[a-z0-9.:_-]+$/i.test(host)) return host;
  throw new BadSetting('HOST', `HOST is "${host}", which is not an address: set it to one such as 127.0.0.1.`);
}

/** The value is not repeated in the sentence: it may hold a password. */
function urlIn(environment: Environment, variable: string, schemes: readonly string[], example: string) {
  const text = textIn(environment, variable);
  if (text === undefined) return undefined;
  const scheme = /^([a-z+]+):\/\/[^/]/i.exec(text)?.[1]?.toLowerCase();
  if (scheme !== undefined && schemes.includes(scheme) && (scheme.startsWith('esdb') || URL.canParse(text)))
    return text;
  throw new BadSetting(
    variable,
    `${variable} is no ${schemes.join(' or ')} URL: set it to one such as ${example}, or leave it out.`,
  );
}

function tokenIn(environment: Environment, workingDirectory: string): string | undefined {
  const fromVariable = textIn(environment, 'MCP_TOKEN');
  const token = fromVariable ?? tokenFile(join(workingDirectory, TOKEN_FILE));
  if (token === undefined) return undefined;
  const where = fromVariable === undefined ? TOKEN_FILE : 'MCP_TOKEN';
  if (/\s/.test(token)) throw new BadSetting('MCP_TOKEN', `${where} contains white space: set it to one word.`);
  return token;
}

function tokenFile(path: string): string | undefined {
  try {
    const text = readFileSync(path, 'utf8').trim();
    return text === '' ? undefined : text;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || (error as NodeJS.ErrnoException).code === 'ENOTDIR') {
      return undefined;
    }
    throw new BadSetting('MCP_TOKEN', `${path} cannot be read: make it readable, or remove it and set MCP_TOKEN.`);
  }
}

function masterKeyIn(environment: Environment): string | undefined {
  const text = textIn(environment, 'MASTER_KEY');
  if (text === undefined || /^[0-9a-f]{64}$/i.test(text) || /^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return text;
  throw new BadSetting(
    'MASTER_KEY',
    'MASTER_KEY is not a key of 32 bytes: set it to 64 hexadecimal digits or 44 characters of base64.',
  );
}

function logLevelIn(environment: Environment): LogLevel {
  const text = textIn(environment, 'LOG_LEVEL') ?? 'info';
  const level = LOG_LEVELS.find((name) => name === text.toLowerCase());
  if (level !== undefined) return level;
  throw new BadSetting('LOG_LEVEL', `LOG_LEVEL is "${text}": set it to one of ${LOG_LEVELS.join(', ')}.`);
}
