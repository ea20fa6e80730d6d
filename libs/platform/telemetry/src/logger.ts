import { pino, type DestinationStream, type Logger } from 'pino';

export type { Logger } from 'pino';

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Where secrets stand in what is logged, one level deep and at the top. */
const SECRETS = [
  'authorization',
  'cookie',
  'token',
  'password',
  'secret',
  'MCP_TOKEN',
  'MASTER_KEY',
  'DATABASE_URL',
  'EVENTSTORE_URL',
];

/** A structured logger: one JSON object per line, secrets replaced, on stderr so that stdout stays for answers. */
export function createLogger(
  level: LogLevel,
  destination: DestinationStream = pino.destination({ fd: 2, sync: true }),
): Logger {
  return pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`, `*.headers.${name}`]), censor: '[redacted]' },
    },
    destination,
  );
}
