import { rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import request from 'supertest';
import { createApp } from '#composition';
import type { Settings } from '#platform/settings';
import { createLogger } from '#platform/telemetry';
import { preparedDataDir } from '#testing';

/** A whole server on a port of its own, on the embedded engine unless told otherwise. */
export interface TestServer {
  readonly app: NestFastifyApplication;
  readonly url: string;
  readonly port: number;
  /** What it logged, line by line. */
  readonly logged: string[];
  /** Sends requests to it. */
  readonly send: ReturnType<typeof request>;
  close(): Promise<void>;
}

export async function startServer(settings: Partial<Settings> = {}): Promise<TestServer> {
  const dataDir = await preparedDataDir();
  const logged: string[] = [];
  const sink = new Writable({
    write: (chunk: Buffer, _, done) => {
      logged.push(chunk.toString());
      done();
    },
  });
  const app = await createApp(
    { port: 0, host: '127.0.0.1', dataDir, logLevel: 'info', ...settings },
    { logger: createLogger('info', sink) },
  );
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.getHttpServer().address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    app,
    url,
    port,
    logged,
    send: request(url),
    close: async () => {
      await app.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
