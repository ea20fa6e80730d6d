import type { FastifyReply, FastifyRequest } from 'fastify';
import { Histogram } from 'prom-client';
import type { Metrics } from '#platform/telemetry';

/** Times requests by route pattern, never by path: paths hold ids, and ids are without end. */
export class HttpMetrics {
  private readonly seconds: Histogram<'method' | 'route' | 'status'>;

  constructor(metrics: Metrics) {
    this.seconds = new Histogram({
      name: 'http_request_duration_seconds',
      help: 'How long requests took, by route.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
      registers: [metrics],
    });
  }

  note(request: FastifyRequest, reply: FastifyReply): void {
    const route = request.routeOptions.url ?? 'unmatched';
    this.seconds.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000);
  }
}
