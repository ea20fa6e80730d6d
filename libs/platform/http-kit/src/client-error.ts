import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { refuseHttp } from './http.errors.js';
import { statusOf } from './status.js';
import type { Surfaces } from './surface.js';

/** What is not even HTTP gets a short answer and a closed door. It has no path, so the last surface speaks. */
export function refuseSocket(error: NodeJS.ErrnoException, socket: Socket, surfaces: Surfaces): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return void socket.destroy();
  const refusal = refusalFor(error);
  const { status, body } = surfaces.ownerOf('').fail({
    refusal,
    status: statusOf(refusal),
    requestId: randomUUID(),
    elapsedMs: 0,
    method: '',
    path: '',
  });
  const text = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(text)}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`);
}

function refusalFor({ code }: NodeJS.ErrnoException) {
  if (code === 'HPE_HEADER_OVERFLOW') return refuseHttp('HEADERS_TOO_LARGE');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return refuseHttp('REQUEST_TIMEOUT');
  return refuseHttp('BAD_REQUEST');
}
