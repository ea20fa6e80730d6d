import { randomUUID } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import helmet from 'helmet';
import type { Authenticator } from './authentication.js';
import { openExchange, type Exchange } from './exchange.js';
import type { HostPolicy } from './host-policy.js';
import { refuseHttp } from './http.errors.js';
import { isOpen } from './open-routes.js';

const secure = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    // Swagger UI draws with inline styles and data: images; scripts come from here only.
    directives: {
      defaultSrc: ["'self'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'", "'unsafe-inline'"],
      imgSrc: ["'self'", 'data:'],
      objectSrc: ["'none'"],
      baseUri: ["'none'"],
      formAction: ["'self'"],
      frameAncestors: ["'none'"],
    },
  },
  // Loopback speaks plain HTTP; whoever puts TLS in front adds this there.
  strictTransportSecurity: false,
});

/** Lets a request in: names it, guards it against foreign pages, finds out who asks. Before routing, on every path. */
export class Admission {
  constructor(
    private readonly hosts: HostPolicy,
    private readonly authenticator: Authenticator,
  ) {}

  admit(request: FastifyRequest, reply: FastifyReply): void {
    const exchange = begin(request, reply);
    this.hosts.check(request.headers.host, request.headers.origin);
    const named = ABSOLUTE.exec(request.raw.url ?? '')?.[1];
    if (named !== undefined) this.hosts.check(named, undefined);
    exchange.caller = this.authenticator.authenticate(request.headers);
    if (!exchange.caller && !isOpen(request, pathOf(request.raw.url))) {
      reply.header('www-authenticate', 'Bearer');
      throw refuseHttp('UNAUTHORIZED');
    }
  }
}

/** A request target may name its host itself, as clients of proxies write it. */
const ABSOLUTE = /^https?:\/\/([^/?]*)/i;

/** The path of a request target, without its host and its query. */
export function pathOf(url = '/'): string {
  const target = url.replace(ABSOLUTE, '');
  const end = target.indexOf('?');
  return end === -1 ? target : target.slice(0, end);
}

function begin(request: FastifyRequest, reply: FastifyReply): Exchange {
  const gone = new AbortController();
  const requestId = saneId(request.headers['x-request-id']) ?? randomUUID();
  const exchange: Exchange = { requestId, startedAt: performance.now(), signal: gone.signal };
  openExchange(request, exchange);
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort();
  });
  reply.header('x-request-id', requestId);
  reply.header('cache-control', 'no-store');
  secure(request.raw, reply.raw, () => undefined);
  return exchange;
}

function saneId(text: string | string[] | undefined): string | undefined {
  return typeof text === 'string' && /^[\x21-\x7e]{1,128}$/.test(text) ? text : undefined;
}
