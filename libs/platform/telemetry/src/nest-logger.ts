import type { LoggerService } from '@nestjs/common';
import type { Logger } from './logger.js';

/** Hands what Nest says to our logger; its start-up chatter only at debug. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.logger.debug({ context: contextOf(rest) }, String(message));
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.logger.warn({ context: contextOf(rest) }, String(message));
  }

  error(message: unknown, ...rest: unknown[]): void {
    const err = message instanceof Error ? message : undefined;
    this.logger.error({ err, context: contextOf(rest) }, err?.message ?? String(message));
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.logger.fatal({ context: contextOf(rest) }, String(message));
  }
}

function contextOf(rest: readonly unknown[]): string | undefined {
  const last = rest.at(-1);
  return typeof last === 'string' ? last : undefined;
}
