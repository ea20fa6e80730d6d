import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { Writable } from 'node:stream';
import { Controller, Get, HttpException, Module, Param, Req } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { defineRefusals, type Kind } from '#kernel';
import type { OperationRequest } from '#platform/operations';
import { createLogger, Metrics } from '#platform/telemetry';
import { LocalMode } from './authentication.js';
import { HostPolicy } from './host-policy.js';
import { HttpServer } from './http-server.js';
import { CurrentRequest } from './parameters.js';
import { Surfaces, type Surface } from './surface.js';

const speaks = (name: string, owns: (path: string) => boolean): Surface => ({
  name,
  title: name,
  about: name,
  owns,
  fail: ({ refusal, status, requestId }) => ({
    status,
    body: { by: name, code: refusal.code, message: refusal.message, requestId },
  }),
});

const refuse = defineRefusals({
  FULL: { kind: 'overloaded', message: 'Too much.', hint: 'Wait.' },
  GONE: { kind: 'unavailable', message: 'Away.', hint: 'Wait.' },
  BROKEN_INSIDE: { kind: 'internal', message: 'The inner wheel is off.', hint: 'Mend it.' },
  NOT_NOW: { kind: 'blocked', message: 'A gate is shut.', hint: 'Ask.' },
});

const THROWN: Readonly<Record<string, () => unknown>> = {
  fault: () => new Error('secret inside text'),
  nothing: () => undefined,
  text: () => 'secret inside text',
  full: () => refuse('FULL', { retry_after: 17.2 }),
  gone: () => refuse('GONE'),
  inside: () => refuse('BROKEN_INSIDE'),
  shut: () => refuse('NOT_NOW'),
  teapot: () => new HttpException('secret inside text', 418),
};

const gone: boolean[] = [];
let asked: () => void = () => undefined;

@Controller()
class Thrower {
  @Get('throw/:what')
  throw(@Param('what') what: string): never {
    throw THROWN[what]?.();
  }

  @Get('slow')
  async slow(@CurrentRequest() { signal }: OperationRequest, @Req() _: FastifyRequest): Promise<string> {
    asked();
    await once(signal!, 'abort');
    gone.push(true);
    return 'nobody hears this';
  }
}

@Module({ controllers: [Thrower] })
class ThrowerModule {}

let app: NestFastifyApplication;
let send: ReturnType<typeof request>;
const logged: string[] = [];

beforeAll(async () => {
  const sink = new Writable({
    write: (chunk: Buffer, _, done) => {
      logged.push(chunk.toString());
      done();
    },
  });
  const server = new HttpServer({
    surfaces: new Surfaces([speaks('first', (path) => path.startsWith('/throw/')), speaks('rest', () => false)]),
    hosts: new HostPolicy([]),
    authenticator: new LocalMode(),
    logger: createLogger('info', sink),
    metrics: new Metrics(),
  });
  app = await NestFactory.create<NestFastifyApplication>(ThrowerModule, server.adapter, {
    bodyParser: false,
    logger: false,
  });
  server.install(app);
  await app.listen(0, '127.0.0.1');
  send = request(`http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`);
});
afterAll(() => app.close());

describe('what goes wrong', () => {
  it.each(['fault', 'nothing', 'text', 'inside'])(
    'inside (%s) gives a request id and nothing else away',
    async (what) => {
      const { status, body, text } = await send.get(`/throw/${what}`).set('authorization', 'Bearer hush-hush');
      expect(status).toBe(500);
      expect(body).toMatchObject({ by: 'first', code: 'INTERNAL', requestId: expect.any(String) });
      expect(text).not.toMatch(/inside text|wheel|at /);
      const entry = logged.find((line) => line.includes(body.requestId as string));
      expect(JSON.parse(entry!)).toMatchObject({ level: 50, method: 'GET', path: `/throw/${what}` });
      expect(logged.join('')).not.toContain('hush-hush');
    },
  );

  it('has its cause in the log', async () => {
    const { body } = await send.get('/throw/fault');
    expect(logged.find((line) => line.includes(body.requestId as string))).toContain('secret inside text');
  });

  it.each<[string, Kind, number, string]>([
    ['full', 'overloaded', 429, '18'],
    ['gone', 'unavailable', 503, '2'],
  ])('for now (%s) says when to come again', async (what, _, status, seconds) => {
    const answer = await send.get(`/throw/${what}`);
    expect([answer.status, answer.headers['retry-after']]).toEqual([status, seconds]);
  });

  it('at a gate is forbidden, without a time to come again', async () => {
    const { status, headers } = await send.get('/throw/shut');
    expect([status, headers['retry-after']]).toEqual([403, undefined]);
  });

  it('in the framework keeps its sort, not its words', async () => {
    const { status, text } = await send.get('/throw/teapot');
    expect(status).toBe(400);
    expect(text).not.toContain('inside text');
  });

  it('on a path of no one is said by the last surface', async () => {
    const { status, body } = await send.get('/nowhere');
    expect([status, body.by]).toEqual([404, 'rest']);
  });
});

describe('a client that goes away', () => {
  it('cancels what it asked for', async () => {
    const { port } = app.getHttpServer().address() as AddressInfo;
    const taken = new Promise<void>((resolve) => (asked = resolve));
    const socket = connect(port, '127.0.0.1');
    socket.write('GET /slow HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await taken;
    socket.destroy();
    while (gone.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(gone).toEqual([true]);
  });
});
