import type { FastifyRequest } from 'fastify';
import type { Caller } from '#kernel';

/** What the kit knows about one request, from its first byte to its last. */
export interface Exchange {
  readonly requestId: string;
  readonly startedAt: number;
  /** Aborts when the client goes away before the answer is out. */
  readonly signal: AbortSignal;
  /** Absent on open routes that nobody signed in to. */
  caller?: Caller;
}

const exchanges = new WeakMap<object, Exchange>();

export function openExchange(request: FastifyRequest, exchange: Exchange): void {
  exchanges.set(request.raw, exchange);
}

/** The exchange of a request the kit let in; a fault when it did not. */
export function exchangeOf(request: FastifyRequest): Exchange {
  const exchange = exchanges.get(request.raw);
  if (!exchange) throw new Error('The request did not come through the HTTP kit.');
  return exchange;
}
