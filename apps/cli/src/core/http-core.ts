import { refuseCommand } from '../failure.js';
import { answerOf } from './answer.js';
import { headersFor, withQuery, type Core, type Query } from './core.js';

/** A little more than the longest deadline of an operation. */
const PATIENCE_MS = 70_000;

/** A server that runs somewhere, over HTTP. */
export class HttpCore implements Core {
  private readonly base: string;

  constructor(
    url: string,
    private readonly token: string | undefined,
    private readonly stop: AbortSignal,
    private readonly patienceMs = PATIENCE_MS,
  ) {
    this.base = url.replace(/\/+$/, '');
  }

  get<Answer>(path: string, query?: Query): Promise<Answer> {
    return this.ask('GET', withQuery(path, query));
  }

  post<Answer>(path: string, body?: object): Promise<Answer> {
    return this.ask('POST', path, body);
  }

  async close(): Promise<void> {}

  private async ask<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const { status, text } = await this.fetched(method, path, body);
    return answerOf(status, text);
  }

  private async fetched(method: string, path: string, body?: object) {
    try {
      const answer = await fetch(this.base + path, {
        method,
        headers: headersFor(this.token, body),
        body: body === undefined ? undefined : JSON.stringify(body),
        redirect: 'error',
        signal: AbortSignal.any([this.stop, AbortSignal.timeout(this.patienceMs)]),
      });
      return { status: answer.status, text: await answer.text() };
    } catch (error) {
      this.stop.throwIfAborted();
      throw refuseCommand('SERVER_UNREACHABLE', {}, `${this.base} does not answer${reasonIn(error)}.`, error);
    }
  }
}

function reasonIn(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return ' in time';
  const code = ((error as Error).cause as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? ` (${code})` : '';
}
