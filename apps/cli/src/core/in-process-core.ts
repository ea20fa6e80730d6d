import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { isRefusal, Refusal } from '#kernel';
import type { Settings } from '#platform/settings';
import { createLogger } from '#platform/telemetry';
import { refuseCommand } from '../failure.js';
import { answerOf } from './answer.js';
import { headersFor, withQuery, type Core, type Query } from './core.js';

/** The whole program in this process, without a port: asked as a server is, so it answers as a server does. */
export class InProcessCore implements Core {
  private constructor(
    private readonly app: NestFastifyApplication,
    private readonly token: string | undefined,
  ) {}

  static async open(settings: Settings): Promise<InProcessCore> {
    // Loaded only here: most commands find a server and need none of it.
    const { createApp, sentenceFor } = await import('#composition');
    try {
      const app = await createApp(settings, { logger: createLogger(logLevel(settings)) });
      await app.getHttpAdapter().getInstance().ready();
      return new InProcessCore(app, settings.token);
    } catch (error) {
      const sentence = sentenceFor(error);
      if (sentence === undefined || isRefusal(error, 'DATA_DIR_HELD')) throw error;
      if (isRefusal(error)) throw new Refusal(error.code, { kind: error.kind, message: sentence, hint: '' });
      throw refuseCommand('CANNOT_START', {}, sentence, error);
    }
  }

  get<Answer>(path: string, query?: Query): Promise<Answer> {
    return this.ask('GET', withQuery(path, query));
  }

  post<Answer>(path: string, body?: object): Promise<Answer> {
    return this.ask('POST', path, body);
  }

  close(): Promise<void> {
    return this.app.close();
  }

  private async ask<Answer>(method: 'GET' | 'POST', url: string, body?: object): Promise<Answer> {
    const { statusCode, body: text } = await this.app.inject({
      method,
      url,
      headers: headersFor(this.token, body),
      ...(body === undefined ? {} : { payload: body }),
    });
    return answerOf(statusCode, text);
  }
}

/** A command is quiet about what goes well, unless LOG_LEVEL asks for more. */
function logLevel(settings: Settings) {
  return process.env['LOG_LEVEL'] ? settings.logLevel : 'warn';
}
