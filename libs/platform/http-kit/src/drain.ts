import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { refuseHttp } from './http.errors.js';

/**
 * Lets a server that is closing come to its end: what is under way is answered, what comes later on an open connection is
 * refused, and no connection is left to wait for more. Node closes those that wait between two requests; it does not close
 * one that never sent anything, nor one whose last answer went out during the closing.
 */
export function drainOnClose(fastify: FastifyInstance): void {
  const open = new Set<Socket>();
  let closing = false;
  fastify.server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  fastify.addHook('preClose', (done) => {
    closing = true;
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
    done();
  });
  fastify.addHook('onRequest', (_request, _reply, done) => done(closing ? refuseHttp('SHUTTING_DOWN') : undefined));
  fastify.addHook('onSend', (_request, reply, _payload, done) => {
    if (closing) reply.header('connection', 'close');
    done();
  });
}
