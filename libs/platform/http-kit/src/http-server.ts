import type { INestApplication } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger, Metrics } from '#platform/telemetry';
import { Admission } from './admission.js';
import type { Authenticator } from './authentication.js';
import { BODY_LIMIT_BYTES, registerBodyParser } from './body-parser.js';
import { refuseSocket } from './client-error.js';
import { drainOnClose } from './drain.js';
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
      // A host that is missing or given twice is ours to refuse, in the owner's words.
      http: { requireHostHeader: false, joinDuplicateHeaders: true },
      return503OnClosing: false,
      clientErrorHandler: (error, socket) => refuseSocket(error, socket, options.surfaces),
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
    drainOnClose(fastify);
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
