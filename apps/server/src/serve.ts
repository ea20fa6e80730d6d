import type { AddressInfo } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApp, sentenceFor } from '#composition';
import { heldLock } from '#platform/postgres';
import type { Settings } from '#platform/settings';
import { createLogger, type Logger } from '#platform/telemetry';

/** After this long what is still under way is cut off, so that there is time to close the engines. */
const DRAIN_MS = 7_000;
const PATIENCE_MS = 9_500;

/** Starts the server and says where to go next; stops it when the system asks. */
export async function serve(settings: Settings): Promise<void> {
  const logger = createLogger(settings.logLevel);
  const app = await createApp(settings, { logger });
  stopOnSignals(app, logger);
  try {
    // Not `app.listen`, which logs a failure before it throws it: the user gets one sentence.
    await app.getHttpAdapter().getInstance().listen({ port: settings.port, host: settings.host });
  } catch (error) {
    await app.close();
    throw error;
  }
  const url = addressOf(app, settings);
  await (await heldLock(settings.dataDir))?.announce(url);
  process.stdout.write(welcome(url, settings));
}

/** One sentence for what a user can mend; a fault keeps its stack. */
export function exitFor(error: unknown): never {
  const sentence = sentenceFor(error);
  if (sentence === undefined) console.error(error);
  else console.error(sentence);
  process.exit(1);
}

/** Stop accepting, answer what is under way, close the engines. Nothing that hangs is waited for longer than 9.5 s. */
function stopOnSignals(app: NestFastifyApplication, logger: Logger): void {
  let stopping = false;
  const stop = (signal: NodeJS.Signals) => {
    if (stopping) return;
    stopping = true;
    logger.info({ signal }, 'stopping');
    setTimeout(() => {
      logger.warn('requests that did not end were cut off');
      app.getHttpServer().closeAllConnections();
    }, DRAIN_MS).unref();
    setTimeout(() => {
      logger.error('stopped before everything was closed');
      process.exit(1);
    }, PATIENCE_MS).unref();
    app.close().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error({ err: error }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

function addressOf(app: NestFastifyApplication, { host }: Settings): string {
  const { port } = app.getHttpServer().address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function welcome(url: string, { dataDir, databaseUrl, eventStoreUrl, token }: Settings): string {
  const database = databaseUrl === undefined ? `embedded, in ${dataDir}` : 'the Postgres of DATABASE_URL';
  const log = eventStoreUrl === undefined ? 'in the database' : 'the EventStoreDB of EVENTSTORE_URL';
  const local =
    token === undefined
      ? [
          '',
          'Warning: local mode. No token is set, so every program on this machine may call. Set MCP_TOKEN to require one.',
        ]
      : [];
  return [
    `Scriptorium is ready at ${url}`,
    '',
    `  API description   ${url}/docs`,
    `  Health            ${url}/health`,
    `  Readiness         ${url}/ready`,
    `  Database          ${database}`,
    `  Event log         ${log}`,
    ...local,
    '',
    '',
  ].join('\n');
}
