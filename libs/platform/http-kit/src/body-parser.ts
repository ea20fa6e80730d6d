import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { refuseHttp } from './http.errors.js';

export const BODY_LIMIT_BYTES = 1024 * 1024;

/** JSON only. No body at all is not a broken one: routes whose body is optional take it. */
export function registerBodyParser(fastify: FastifyInstance): void {
  // Names such as __proto__ are left in: the input pipe refuses them, and says which.
  const parse = fastify.getDefaultJsonParser('ignore', 'ignore');
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (isCompressed(request)) return done(refuseHttp('UNSUPPORTED_MEDIA_TYPE', {}, 'The body is compressed.'));
    if (body.length === 0) return done(null, undefined);
    const text = decoded(body as Buffer);
    if (text === undefined) return done(refuseHttp('BROKEN_JSON'));
    void parse(request, text, (error, value) => {
      if (error) done(refuseHttp('BROKEN_JSON', {}, undefined, error));
      else done(null, value);
    });
  });
}

function isCompressed({ headers }: FastifyRequest): boolean {
  const coding = headers['content-encoding'] ?? 'identity';
  return coding.toLowerCase() !== 'identity';
}

/** Bytes that are not UTF-8 are refused: replacing them would store something nobody wrote. */
function decoded(bytes: Buffer): string | undefined {
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}
