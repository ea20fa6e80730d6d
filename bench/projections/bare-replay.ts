import type { StoredEvent } from '#platform/eventlog';
import type { Database, Sql } from '#platform/postgres';
import type { Projection, Row, RowWriter, Table } from '#platform/projections';
import type { Stage } from './stage.js';

const PAGE = 1_000;
const READ = `
  select position, stream, revision, id, type, data, metadata, recorded_at from eventlog.events
  where position > $1 and type = any ($2) order by position limit ${PAGE}`;

export interface BareTimes {
  readonly readMs: number;
  readonly writeMs: number;
}

/**
 * The least that a replay can be: reading the events page by page with the driver, and writing the rows that come of each
 * page with one upsert a transaction. It opens no seal, folds nothing, keeps no checkpoint and fences nothing.
 */
export class BareReplay {
  private readonly name: string;
  private readonly table: Table;

  private constructor(
    private readonly database: Database,
    private readonly projection: Projection,
    private readonly pages: readonly (readonly Row[])[],
  ) {
    const [first, ...others] = Object.entries(projection.tables);
    if (!first || others.length > 0) throw new Error('The bare replay knows projections of one table.');
    this.table = first[1];
    this.name = `bare."${first[0]}"`;
  }

  /** Works out beforehand which rows each page of events leaves. */
  static async prepare({ database, store }: Stage, projection: Projection): Promise<BareReplay> {
    const rows = new RowsInMemory(projection);
    const pages: Row[][] = [];
    const page: StoredEvent[] = [];
    const fold = async () => {
      for (const event of await store.open(page.splice(0))) await projection.apply(event, rows);
      pages.push(rows.changed());
    };
    for await (const event of store.log.readAll({ types: projection.handles })) {
      page.push(event);
      if (page.length === PAGE) await fold();
    }
    if (page.length > 0) await fold();
    return new BareReplay(database.at('projection'), projection, pages);
  }

  async run(): Promise<BareTimes> {
    await this.makeTable();
    const started = performance.now();
    await this.read();
    const between = performance.now();
    for (const rows of this.pages) await this.database.transaction((tx) => this.upsert(tx, rows));
    return { readMs: between - started, writeMs: performance.now() - between };
  }

  private async read(): Promise<void> {
    let after: number | undefined = 0;
    while (after !== undefined) {
      const { rows }: { rows: { position: number }[] } = await this.database.query(READ, [
        after,
        this.projection.handles,
      ]);
      after = rows.at(-1)?.position;
    }
  }

  private async upsert(tx: Sql, rows: readonly Row[]): Promise<void> {
    const columns = Object.keys(this.table.columns);
    const key = this.table.key.join();
    const rest = columns.filter((column) => !this.table.key.includes(column));
    await tx.query(
      `insert into ${this.name} (${columns.join()})
       select ${columns.join()} from json_populate_recordset(null::${this.name}, $1)
       on conflict (${key}) do update set ${rest.map((column) => `${column} = excluded.${column}`).join()}`,
      [JSON.stringify(rows)],
    );
  }

  private async makeTable(): Promise<void> {
    const { columns, key, indexes = [] } = this.table;
    await this.database.query('drop schema if exists bare cascade');
    await this.database.query('create schema bare');
    const defined = Object.entries(columns).map(([column, type]) => `${column} ${type}`);
    await this.database.query(`create table ${this.name} (${defined.join()}, primary key (${key.join()}))`);
    for (const index of indexes) await this.database.query(`create index on ${this.name} ${index}`);
  }
}

/** Takes a projection's writes and remembers which rows they touched. */
class RowsInMemory implements RowWriter {
  private readonly rows = new Map<string, Row>();
  private readonly touched = new Set<string>();

  constructor(private readonly projection: Projection) {}

  upsert(table: string, row: Row): void {
    this.put(this.keyOf(table, row), row);
  }

  patch(table: string, key: Row, changes: Row): void {
    const id = this.keyOf(table, key);
    const row = this.rows.get(id);
    if (row) this.put(id, { ...row, ...changes });
  }

  delete(): void {
    throw new Error('The bare replay knows projections that delete nothing.');
  }

  async get(table: string, key: Row): Promise<Row | undefined> {
    return this.rows.get(this.keyOf(table, key));
  }

  /** The rows as they stand, of those touched since the last call. */
  changed(): Row[] {
    const rows = [...this.touched].map((id) => this.rows.get(id)).filter((row) => row !== undefined);
    this.touched.clear();
    return rows;
  }

  private put(id: string, row: Row): void {
    this.rows.set(id, row);
    this.touched.add(id);
  }

  private keyOf(table: string, row: Row): string {
    return JSON.stringify(this.projection.tables[table]?.key.map((column) => row[column]));
  }
}
