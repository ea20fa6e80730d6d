import { HttpException } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isRefusal, type Refusal } from '#kernel';
import type { Logger } from '#platform/telemetry';
import { pathOf } from './admission.js';
import { exchangeOf } from './exchange.js';
import { refuseHttp } from './http.errors.js';
import type { RouteTable } from './route-table.js';
import { statusOf } from './status.js';
import type { Surfaces } from './surface.js';

const RETRY_AFTER_SECONDS = 2;

/** Says no: turns whatever was thrown into the words of the surface that owns the path. Nothing from inside gets out. */
export class Failures {
  constructor(
    private readonly surfaces: Surfaces,
    private readonly routes: RouteTable,
    private readonly logger: Logger,
  ) {}

  answer(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const path = decoded(pathOf(request.raw.url));
    const refusal = this.refusalFor(error, request.method, path, reply);
    const { requestId, startedAt } = exchangeOf(request);
    this.log(refusal, error, { request_id: requestId, method: request.method, path });
    if (reply.sent || reply.raw.headersSent) return;
    const { status, body } = this.surfaces.ownerOf(path).fail({
      refusal,
      status: statusOf(refusal),
      requestId,
      elapsedMs: performance.now() - startedAt,
      method: request.method,
      path,
    });
    if (refusal.kind === 'unavailable' || refusal.kind === 'overloaded') {
      reply.header('retry-after', retryAfter(refusal));
    }
    void reply.status(status).type('application/json; charset=utf-8').send(body);
  }

  private refusalFor(error: unknown, method: string, path: string, reply: FastifyReply): Refusal {
    // A refusal of kind internal is a fault that has a name; the name is for the log.
    if (isRefusal(error) && error.kind !== 'internal') return error;
    const status = statusIn(error);
    if (status === 404) return this.nothingHere(method, path, reply);
    if (status === 413) return refuseHttp('PAYLOAD_TOO_LARGE');
    if (status === 415) return refuseHttp('UNSUPPORTED_MEDIA_TYPE');
    if (status !== undefined && status >= 400 && status < 500) return refuseHttp('BAD_REQUEST');
    return refuseHttp('INTERNAL', {}, undefined, error);
  }

  private nothingHere(method: string, path: string, reply: FastifyReply): Refusal {
    const allowed = this.routes.methodsAt(path);
    // A folder takes the method at all of its paths, whether there is a file or not.
    if (allowed.length === 0 || allowed.includes(method)) return refuseHttp('ROUTE_NOT_FOUND', { method, path });
    reply.header('allow', allowed.join(', '));
    return refuseHttp('METHOD_NOT_ALLOWED', { method, path, allowed });
  }

  private log(refusal: Refusal, error: unknown, about: object): void {
    if (refusal.kind === 'internal') this.logger.error({ ...about, err: error }, 'request failed');
    else if (refusal.kind === 'unavailable') this.logger.warn({ ...about, code: refusal.code }, refusal.message);
    else this.logger.debug({ ...about, code: refusal.code }, refusal.message);
  }
}

/** Routes match decoded paths, so owners are found by them too. What does not decode stands as it is. */
function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

function statusIn(error: unknown): number | undefined {
  if (error instanceof HttpException) return error.getStatus();
  const status = (error as { statusCode?: unknown } | undefined)?.statusCode;
  return typeof status === 'number' ? status : undefined;
}

function retryAfter({ details }: Refusal): string {
  const seconds = details['retry_after'];
  return String(typeof seconds === 'number' && seconds > 0 ? Math.ceil(seconds) : RETRY_AFTER_SECONDS);
}
