import type { FastifyRequest } from 'fastify';
import { isLoopback, namesLoopback } from './host-policy.js';

const OPEN = ['/health', '/ready', '/openapi.json', '/docs', '/mcp/manifest.json'];

/** True when the path may be asked for without a token. */
export function isOpen(request: FastifyRequest, path: string): boolean {
  if (path === '/metrics') return isLocal(request);
  return OPEN.includes(path) || path.startsWith('/docs/');
}

/** From this very machine, and not through a proxy that stands on it. */
function isLocal({ headers, socket }: FastifyRequest): boolean {
  const peer = (socket.remoteAddress ?? '').replace(/^::ffff:/, '');
  const forwarded = headers['x-forwarded-for'] ?? headers.forwarded;
  return isLoopback(peer) && namesLoopback(headers.host) && forwarded === undefined;
}
