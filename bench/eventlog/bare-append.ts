import type { Sql } from '#platform/postgres';
import { freshStream, sampleEvents } from './sample-events.js';

/** The log's own SQL function, called with many appends at once and nothing around it. */
export class BareAppend {
  constructor(
    private readonly sql: Sql,
    private readonly together: number,
  ) {}

  async append(): Promise<void> {
    const appends = Array.from({ length: this.together }, () => ({
      s: freshStream(),
      e: -1,
      v: sampleEvents(1).map(({ id, type, data, metadata }) => ({
        i: id,
        t: type,
        d: JSON.stringify(data),
        m: JSON.stringify(metadata),
      })),
    }));
    const { rows } = await this.sql.query<{ outcome: string }>('select * from eventlog.append($1, false)', [
      JSON.stringify(appends),
    ]);
    if (rows.some(({ outcome }) => outcome !== 'appended')) throw new Error('The bare function refused an append.');
  }
}
