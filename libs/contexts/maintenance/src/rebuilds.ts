import { Inject, Injectable } from '@nestjs/common';
import { isRefusal } from '#kernel';
import { ProjectionHost, type RebuildReport } from '#platform/projections';
import { LOGGER, type Logger } from '#platform/telemetry';

export type RebuildOutcome =
  | { readonly state: 'running' }
  | { readonly state: 'done'; readonly report: RebuildReport }
  | { readonly state: 'failed'; readonly error: string };

/** How the rebuilds that this process started came out: the last one of each projection. */
@Injectable()
export class Rebuilds {
  private readonly last = new Map<string, { readonly version: number; readonly outcome: RebuildOutcome }>();

  constructor(
    private readonly projections: ProjectionHost,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  of(name: string) {
    return this.last.get(name);
  }

  /** Follows a rebuild that has just begun to its end. */
  follow(name: string, version: number): void {
    const note = (outcome: RebuildOutcome) => this.last.set(name, { version, outcome });
    note({ state: 'running' });
    this.projections.rebuilt(name).then(
      (report) => note({ state: 'done', report }),
      (error: unknown) => {
        this.logger.error({ err: error, projection: name, version }, 'rebuild failed');
        note({ state: 'failed', error: isRefusal(error) ? error.message : 'It failed; the log has the cause.' });
      },
    );
  }
}
