import type { FastifyInstance } from 'fastify';
import { refuseHttp } from './http.errors.js';

export const BODY_LIMIT_BYTES = 1024 * 1024;

/** JSON only. No body at all is not a broken one: routes whose body is optional take it. */
export function registerBodyParser(fastify: FastifyInstance): void {
  // Refuses __proto__ and constructor.prototype keys instead of dropping them silently.
  const parse = fastify.getDefaultJsonParser('error', 'error');
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') return done(null, undefined);
    void parse(request, body as string, (error, value) => {
      if (error) done(refuseHttp('BROKEN_JSON', {}, undefined, error));
      else done(null, value);
    });
  });
}
