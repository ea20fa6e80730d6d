import type { Response } from 'supertest';
import { ProjectionHost } from '#platform/projections';
import type { Settings } from '#platform/settings';
import { startServer, type TestServer } from './server.js';

declare module 'expect' {
  interface Matchers<R extends void | Promise<void>> {
    /** The answer is as the published description says. */
    toSatisfyApiSpec(): R;
  }
}

export type Answer = Pick<Response, 'status' | 'body' | 'headers'>;

/** The whole program on embedded engines of its own, asked over the wire. */
export class ContainersApp {
  private constructor(private readonly server: TestServer) {}

  static async start(settings: Partial<Settings> = {}): Promise<ContainersApp> {
    return new ContainersApp(await startServer(settings));
  }

  get url(): string {
    return this.server.url;
  }

  stop(): Promise<void> {
    return this.server.close();
  }

  post(path: string, body?: object | string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send('post', path, body, headers);
  }

  patch(path: string, body: object): Promise<Answer> {
    return this.send('patch', path, body, {});
  }

  delete(path: string): Promise<Answer> {
    return this.send('delete', path, undefined, {});
  }

  create(body: object): Promise<Answer> {
    return this.post('/v1/containers/create', body);
  }

  describe(container: string): Promise<Answer> {
    return this.post('/v1/containers/describe', { container });
  }

  list(body: object = {}): Promise<Answer> {
    return this.post('/v1/containers/list', body);
  }

  async rebuild(): Promise<void> {
    const host = this.server.app.get(ProjectionHost);
    await host.rebuild('containers');
    await host.rebuilt('containers');
  }

  private async send(
    method: 'post' | 'patch' | 'delete',
    path: string,
    body: object | string | undefined,
    headers: Record<string, string>,
  ): Promise<Answer> {
    const request = this.server.send[method](path).set(headers);
    if (typeof body === 'string') return request.set('content-type', 'application/json').send(body);
    return body === undefined ? request : request.send(body);
  }
}

/** What of an answer stays the same from one request to the next. */
export function lasting({ body }: Answer): string {
  const { request_id: _id, timings_ms: _timings, ...rest } = body as Record<string, unknown>;
  return JSON.stringify(rest);
}
