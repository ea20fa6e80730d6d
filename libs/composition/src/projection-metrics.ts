import { Inject, Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { ProjectionHost, type ProjectionStatus } from '#platform/projections';
import { LOGGER, Metrics, type Logger } from '#platform/telemetry';

const SAME_SCRAPE_MS = 500;

/** How far behind the read models are, asked for when somebody scrapes. */
@Injectable()
export class ProjectionMetrics {
  private askedAt = -Infinity;
  private asked: Promise<readonly ProjectionStatus[]> = Promise.resolve([]);

  constructor(
    private readonly projections: ProjectionHost,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly metrics: Metrics,
  ) {
    this.gauge('projection_lag_events', 'Events not taken in yet, counted up to 10,000.', ({ lag }) => lag.events);
    this.gauge('projection_lag_seconds', 'Age of the oldest event not taken in yet.', ({ lag }) => lag.seconds);
    this.gauge('projection_parked_events', 'Events that could not be taken in, put aside.', ({ parked }) => parked);
  }

  private gauge(name: string, help: string, value: (status: ProjectionStatus) => number): void {
    const gauge: Gauge<'projection'> = new Gauge({
      name,
      help,
      labelNames: ['projection'],
      registers: [this.metrics],
      collect: async () => {
        for (const status of await this.statuses()) gauge.set({ projection: status.name }, value(status));
      },
    });
  }

  /** One question for all gauges of a scrape. */
  private statuses(): Promise<readonly ProjectionStatus[]> {
    if (performance.now() - this.askedAt > SAME_SCRAPE_MS) {
      this.askedAt = performance.now();
      this.asked = this.projections.status().catch((error: unknown) => {
        // A scrape answers also while the database is away; these numbers are then those of the last time.
        this.logger.debug({ err: error }, 'projections could not be asked');
        return [];
      });
    }
    return this.asked;
  }
}
