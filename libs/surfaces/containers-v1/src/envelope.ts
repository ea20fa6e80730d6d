import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { catchError, map, throwError, type Observable } from 'rxjs';
import type { ContainersEnvelopeDto } from './containers-answers.dto.js';

/** What a route gives back: the answer without what every answer carries. */
export type Payload<Answer extends ContainersEnvelopeDto> = Omit<Answer, keyof ContainersEnvelopeDto> &
  Partial<Pick<ContainersEnvelopeDto, 'issues' | 'partial'>>;

const REMEDIATIONS: Readonly<Record<string, string>> = {
  NO_RESULTS: 'Shorten or drop the search, ask for state "all", or lower the offset.',
  STALE_READ: 'The answer may miss what you wrote last; ask again in a moment.',
};

/** `remediation` has what can be done, by issue. */
export function envelope(
  requestId: string,
  elapsedMs: number,
  remediation: Readonly<Record<string, string>>,
  partial = false,
): ContainersEnvelopeDto {
  const issues = Object.keys(remediation);
  return {
    version: 'v1',
    request_id: requestId,
    partial,
    timings_ms: { total: Math.round(elapsedMs) },
    issues,
    ...(issues.length > 0 ? { remediation } : {}),
  };
}

/** The request ids that came in bodies, by what was thrown: a failure is answered where the body is no longer at hand. */
const idsInBodies = new WeakMap<object, string>();

/** The id a failed request gave itself in its body, if it did. */
export function requestIdInBody(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  return idsInBodies.get(error) ?? requestIdInBody((error as { cause?: unknown }).cause);
}

/** Puts every answer of this surface into its envelope. */
@Injectable()
export class ContainersEnvelope implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler<Payload<ContainersEnvelopeDto>>): Observable<object> {
    const http = context.switchToHttp();
    const reply = http.getResponse<FastifyReply>();
    const own = idIn(http.getRequest<FastifyRequest>().body);
    if (own !== undefined) reply.header('x-request-id', own);
    return next.handle().pipe(
      map((payload) => wrap(payload, reply)),
      catchError((error: unknown) => {
        if (own !== undefined && typeof error === 'object' && error !== null) idsInBodies.set(error, own);
        return throwError(() => error);
      }),
    );
  }
}

function wrap({ issues = [], partial, ...payload }: Payload<ContainersEnvelopeDto>, reply: FastifyReply): object {
  const all = reply.getHeader('x-stale') === undefined ? issues : [...issues, 'STALE_READ'];
  const remediation = Object.fromEntries(all.map((issue) => [issue, REMEDIATIONS[issue] ?? '']));
  return {
    ...envelope(String(reply.getHeader('x-request-id')), reply.elapsedTime, remediation, partial),
    ...payload,
  };
}

function idIn(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('request_id' in body)) return undefined;
  const { request_id: id } = body;
  return typeof id === 'string' && /^[\x21-\x7e]{1,128}$/.test(id) ? id : undefined;
}
