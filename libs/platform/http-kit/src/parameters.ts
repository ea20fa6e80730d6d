import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '#kernel';
import { parsePosition } from '#platform/eventlog';
import type { Execution, OperationRequest } from '#platform/operations';
import { exchangeOf } from './exchange.js';
import { invalidInput, refuseHttp } from './http.errors.js';

/** On whose behalf the request is made. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const { caller } = exchangeOf(context.switchToHttp().getRequest<FastifyRequest>());
  if (!caller) throw refuseHttp('UNAUTHORIZED');
  return caller;
});

/**
 * The second argument of `Operations.run`: request id, the signal of a client that went away, the position asked for.
 * The answer's `x-position` and `x-stale` headers come from it.
 */
export const CurrentRequest = createParamDecorator((_: unknown, context: ExecutionContext): OperationRequest => {
  const http = context.switchToHttp();
  const request = http.getRequest<FastifyRequest>();
  const reply = http.getResponse<FastifyReply>();
  const { requestId, signal } = exchangeOf(request);
  return { requestId, signal, after: positionAsked(request), finished: (execution) => showPosition(reply, execution) };
});

function positionAsked(request: FastifyRequest) {
  const text = request.headers['x-position'];
  if (text === undefined || text === '') return undefined;
  const position = typeof text === 'string' ? parsePosition(text) : undefined;
  if (position === undefined) {
    throw invalidInput([{ field: 'x-position', message: 'must be a position that an earlier answer carried' }]);
  }
  return position;
}

function showPosition(reply: FastifyReply, { position, stale }: Execution): void {
  if (reply.sent) return;
  if (position !== undefined) reply.header('x-position', position);
  if (stale) reply.header('x-stale', 'true');
}
