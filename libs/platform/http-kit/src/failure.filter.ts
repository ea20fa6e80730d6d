import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Failures } from './failures.js';

/** Brings everything Nest catches to the one place that says no. */
@Catch()
export class FailureFilter implements ExceptionFilter {
  constructor(private readonly failures: Failures) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.failures.answer(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }
}
