import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { refuseHttp } from './http.errors.js';

export const BODY_LIMIT_BYTES = 1024 * 1024;

/** JSON only. No body at all is not a broken one: routes whose body is optional take it. */
export function registerBodyParser(fastify: FastifyInstance): void {
  // Refuses __proto__ and constructor.prototype keys instead of dropping them silently.
  const parse = fastify.getDefaultJsonParser('error', 'error');
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined);
    const text = decoded(body as Buffer);
    if (text === undefined) return done(refuseHttp('BROKEN_JSON'));
    void parse(request, text, (error, value) => {
      if (error) done(refuseHttp('BROKEN_JSON', {}, undefined, error));
      else done(null, value);
    });
  });
}

/** Bytes that are not UTF-8 are refused: replacing them would store something nobody wrote. */
function decoded(bytes: Buffer): string | undefined {
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}
