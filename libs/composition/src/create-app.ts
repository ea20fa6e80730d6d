import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { HostPolicy, HttpServer, LocalMode, OwnerToken } from '#platform/http-kit';
import type { Settings } from '#platform/settings';
import { createLogger, Metrics, NestLogger, type Logger } from '#platform/telemetry';
import { AppModule } from './app.module.js';
import { CoreModule } from './core.module.js';
import { serveDocuments } from './documents.js';
import { openEngines, type Engines } from './engines.js';
import { allSurfaces } from './surfaces.js';

export interface AppOptions {
  readonly logger?: Logger;
  /** Engines opened by somebody else; closed with the app all the same. */
  readonly engines?: Engines;
}

/** The whole program on the engines the settings name: ready to listen, or to run operations in this process. */
export async function createApp(settings: Settings, options: AppOptions = {}): Promise<NestFastifyApplication> {
  const logger = options.logger ?? createLogger(settings.logLevel);
  const metrics = new Metrics().withProcessMetrics();
  const engines = options.engines ?? (await openEngines(settings, logger));
  try {
    const http = httpServerFor(settings, logger, metrics);
    const app = await NestFactory.create<NestFastifyApplication>(
      AppModule.on(CoreModule.forRoot(engines, logger, metrics)),
      http.adapter,
      { bodyParser: false, abortOnError: false, logger: new NestLogger(logger) },
    );
    http.install(app);
    serveDocuments(app);
    return await app.init();
  } catch (error) {
    await engines.close();
    throw error;
  }
}

function httpServerFor(settings: Settings, logger: Logger, metrics: Metrics): HttpServer {
  return new HttpServer({
    surfaces: allSurfaces(),
    hosts: new HostPolicy(servedHosts(settings)),
    authenticator: settings.token === undefined ? new LocalMode() : new OwnerToken(settings.token),
    logger,
    metrics,
  });
}

function servedHosts({ host, port, publicUrl }: Settings): string[] {
  const bound = host.includes(':') ? `[${host}]` : host;
  // A browser leaves the port out when it is the scheme's own.
  const own = port === 80 || port === 443 ? [bound, `${bound}:${port}`] : [`${bound}:${port}`];
  if (publicUrl === undefined) return own;
  const { protocol, hostname, host: named } = new URL(publicUrl);
  return [...own, named, ...(named === hostname ? [`${hostname}:${protocol === 'https:' ? 443 : 80}`] : [])];
}
