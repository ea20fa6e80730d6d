import { Injectable } from '@nestjs/common';
import { Counter, Histogram } from 'prom-client';
import { isRefusal } from '#kernel';
import { Metrics } from '#platform/telemetry';

/** Counts and times what goes through the door. */
@Injectable()
export class OperationMetrics {
  private readonly total: Counter<'operation' | 'outcome'>;
  private readonly seconds: Histogram<'operation'>;

  constructor(metrics: Metrics) {
    this.total = new Counter({
      name: 'operations_total',
      help: 'Operations run, by outcome: ok, the kind of the refusal, or internal.',
      labelNames: ['operation', 'outcome'],
      registers: [metrics],
    });
    this.seconds = new Histogram({
      name: 'operation_duration_seconds',
      help: 'How long operations took.',
      labelNames: ['operation'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
      registers: [metrics],
    });
  }

  /** Notes one operation that ended after so many milliseconds, with this error or none. */
  note(operation: string, milliseconds: number, error?: unknown): void {
    const outcome = error === undefined ? 'ok' : isRefusal(error) ? error.kind : 'internal';
    this.total.inc({ operation, outcome });
    this.seconds.observe({ operation }, milliseconds / 1000);
  }
}
