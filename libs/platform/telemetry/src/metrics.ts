import { collectDefaultMetrics, Registry } from 'prom-client';

/** Everything one process counts. A registry of its own, so that two apps in one process do not share numbers. */
export class Metrics extends Registry {
  /** Adds the process's own numbers: CPU, memory, event loop, garbage collection. */
  withProcessMetrics(): this {
    collectDefaultMetrics({ register: this });
    return this;
  }
}
