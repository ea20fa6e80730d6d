import type { Socket } from 'node:net';
import type { INestApplication } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger, Metrics } from '#platform/telemetry';
import { Admission } from './admission.js';
import type { Authenticator } from './authentication.js';
import { BODY_LIMIT_BYTES, registerBodyParser } from './body-parser.js';
import { FailureFilter } from './failure.filter.js';
import { Failures } from './failures.js';
import { HttpMetrics } from './http-metrics.js';
import type { HostPolicy } from './host-policy.js';
import { InputPipe } from './input.pipe.js';
import { RouteTable } from './route-table.js';
import type { Surfaces } from './surface.js';

export interface HttpServerOptions {
  readonly surfaces: Surfaces;
  readonly hosts: HostPolicy;
  readonly authenticator: Authenticator;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly bodyLimitBytes?: number;
}

/** The HTTP side of a Nest app: what every request meets before and after its controller. */
export class HttpServer {
  readonly adapter: FastifyAdapter;
  private readonly failures: Failures;

  constructor(options: HttpServerOptions) {
    const routes = new RouteTable();
    const admission = new Admission(options.hosts, options.authenticator);
    const metrics = new HttpMetrics(options.metrics);
    this.failures = new Failures(options.surfaces, routes, options.logger);
    this.adapter = new FastifyAdapter({
      bodyLimit: options.bodyLimitBytes ?? BODY_LIMIT_BYTES,
      routerOptions: { maxParamLength: 1024 },
      clientErrorHandler: (error, socket) => refuseSocket(error, socket),
      // A URL that cannot be decoded fails before any hook runs.
      frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
        try {
          admission.admit(request, reply);
          this.failures.answer(error, request, reply);
        } catch (refusal) {
          this.failures.answer(refusal, request, reply);
        }
      },
    });
    const fastify = this.adapter.getInstance();
    registerBodyParser(fastify);
    fastify.addHook('onRoute', ({ url, method }) => routes.add(url, method));
    fastify.addHook('onRequest', (request, reply, done) => {
      admission.admit(request, reply);
      done();
    });
    fastify.addHook('onResponse', (request, reply, done) => {
      metrics.note(request, reply);
      done();
    });
  }

  /** Puts the strict input pipe and the failure filter on all routes. Before `app.init()`. */
  install(app: INestApplication): void {
    app.useGlobalPipes(new InputPipe());
    app.useGlobalFilters(new FailureFilter(this.failures));
  }
}

/** What is not even HTTP gets a short answer and a closed door. */
function refuseSocket(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return void socket.destroy();
  const [status, code] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? (['431 Request Header Fields Too Large', 'HEADERS_TOO_LARGE'] as const)
      : (['400 Bad Request', 'BAD_REQUEST'] as const);
  const body = JSON.stringify({ error: { code, message: 'The request cannot be understood.' } });
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}
