import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiServiceUnavailableResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Metrics } from '#platform/telemetry';
import { Infrastructure } from '../binds.js';
import { exchangeOf } from '../exchange.js';
import { HealthDto, ReadinessDto } from './health.dto.js';
import { Readiness } from './readiness.js';

/** Injects the program's version. */
export const PROGRAM_VERSION = Symbol('program version');

const SCHEMA_VERSION = '1.0.0';

@ApiTags('infrastructure')
@Controller()
export class InfrastructureController {
  constructor(
    private readonly readiness: Readiness,
    private readonly metrics: Metrics,
    @Inject(PROGRAM_VERSION) private readonly toolVersion: string,
  ) {}

  @Get('health')
  @Infrastructure()
  @ApiOperation({ summary: 'Whether the process answers; touches nothing else' })
  @ApiOkResponse({ type: HealthDto })
  health(@Req() request: FastifyRequest): HealthDto {
    const { requestId, startedAt } = exchangeOf(request);
    const durationMs = Math.round((performance.now() - startedAt) * 1000) / 1000;
    return {
      ok: true,
      status: 'ok',
      result: { uptimeMs: Math.round(process.uptime() * 1000) },
      _meta: { ts: new Date().toISOString(), durationMs, schemaVersion: SCHEMA_VERSION, toolVersion: this.toolVersion },
      version: 'v1',
      request_id: requestId,
      partial: false,
      timings_ms: { total: durationMs },
      issues: [],
    };
  }

  @Get('ready')
  @Infrastructure()
  @ApiOperation({ summary: 'Whether every part that is needed answers' })
  @ApiOkResponse({ type: ReadinessDto })
  @ApiServiceUnavailableResponse({ type: ReadinessDto })
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<ReadinessDto> {
    const answer = await this.readiness.check();
    if (!answer.ok) reply.status(503).header('retry-after', '2');
    return answer;
  }

  @Get('metrics')
  @Infrastructure()
  @ApiOperation({ summary: 'Numbers for Prometheus' })
  @ApiProduces('text/plain')
  @ApiOkResponse({ schema: { type: 'string' } })
  async scrape(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    reply.type(this.metrics.contentType);
    return this.metrics.metrics();
  }
}
