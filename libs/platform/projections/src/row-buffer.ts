import type { Sql, SqlValue } from '#platform/postgres';
import type { Cell, Row, RowWriter, Table } from './projection.js';

type Change = { kind: 'upsert'; row: Row } | { kind: 'patch'; key: Row; changes: Row } | { kind: 'delete'; key: Row };

/** Gathers the writes of a batch, one per row, and flushes them in few statements; looks rows up in its source. */
export class RowBuffer implements RowWriter {
  private readonly changes = new Map<string, Map<string, Change>>();

  constructor(
    private readonly source: Sql,
    private readonly schema: string,
    private readonly tables: Readonly<Record<string, Table>>,
  ) {}

  upsert(table: string, row: Row): void {
    this.of(table).set(this.keyOf(table, row), { kind: 'upsert', row });
  }

  patch(table: string, key: Row, changes: Row): void {
    const id = this.keyOf(table, key);
    const pending = this.of(table).get(id);
    if (pending?.kind === 'delete') return;
    this.of(table).set(id, pending ? merged(pending, changes) : { kind: 'patch', key, changes });
  }

  delete(table: string, key: Row): void {
    this.of(table).set(this.keyOf(table, key), { kind: 'delete', key });
  }

  async get(table: string, key: Row): Promise<Row | undefined> {
    const pending = this.of(table).get(this.keyOf(table, key));
    if (pending?.kind === 'upsert') return pending.row;
    if (pending?.kind === 'delete') return undefined;
    const { key: columns } = this.spec(table);
    const { rows } = await this.source.query<Row>(
      `select * from ${this.name(table)} where ${columns.map((column, at) => `${quoted(column)} = $${at + 1}`).join(' and ')}`,
      columns.map((column) => key[column] as SqlValue),
    );
    return rows[0] && pending ? { ...rows[0], ...pending.changes } : rows[0];
  }

  /** Deletes first, so that a row may take the place of another. */
  async flush(tx: Sql): Promise<void> {
    for (const [table, changes] of this.changes) {
      const all = [...changes.values()];
      await this.remove(
        tx,
        table,
        all.flatMap((change) => (change.kind === 'delete' ? [change.key] : [])),
      );
      await this.change(
        tx,
        table,
        all.flatMap((change) => (change.kind === 'patch' ? [change] : [])),
      );
      await this.insert(
        tx,
        table,
        all.flatMap((change) => (change.kind === 'upsert' ? [change.row] : [])),
      );
    }
    this.changes.clear();
  }

  private async insert(tx: Sql, table: string, rows: readonly Row[]): Promise<void> {
    if (rows.length === 0) return;
    const { columns, key } = this.spec(table);
    const names = Object.keys(columns);
    const rest = names.filter((column) => !key.includes(column));
    const onConflict =
      rest.length > 0
        ? `do update set ${rest.map((c) => `${quoted(c)} = excluded.${quoted(c)}`).join()}`
        : 'do nothing';
    await tx.query(
      `insert into ${this.name(table)} (${list(names)}) select ${list(names)}
       from json_populate_recordset(null::${this.name(table)}, $1) on conflict (${list(key)}) ${onConflict}`,
      [asJson(rows)],
    );
  }

  /** Rows that change the same columns go together. */
  private async change(tx: Sql, table: string, patches: readonly { key: Row; changes: Row }[]): Promise<void> {
    const { key } = this.spec(table);
    for (const [columns, group] of groupedBy(patches, ({ changes }) => Object.keys(changes).sort().join())) {
      if (columns === '') continue;
      const sets = columns.split(',').map((column) => `${quoted(column)} = r.${quoted(column)}`);
      await tx.query(
        `update ${this.name(table)} as t set ${sets.join()} from json_populate_recordset(null::${this.name(table)}, $1) as r
         where ${matching(key)}`,
        [asJson(group.map(({ key: row, changes }) => ({ ...row, ...changes })))],
      );
    }
  }

  private async remove(tx: Sql, table: string, keys: readonly Row[]): Promise<void> {
    if (keys.length === 0) return;
    await tx.query(
      `delete from ${this.name(table)} as t using json_populate_recordset(null::${this.name(table)}, $1) as r
       where ${matching(this.spec(table).key)}`,
      [asJson(keys)],
    );
  }

  private of(table: string): Map<string, Change> {
    let changes = this.changes.get(table);
    if (!changes) this.changes.set(table, (changes = new Map<string, Change>()));
    return changes;
  }

  private keyOf(table: string, row: Row): string {
    const { key } = this.spec(table);
    return JSON.stringify(
      key.map((column) => {
        const cell = row[column];
        return isOdd(cell) ? textOf(cell) : cell;
      }),
    );
  }

  private spec(table: string): Table {
    const spec = this.tables[table];
    if (!spec) throw new Error(`The projection declares no table ${table}.`);
    return spec;
  }

  private name(table: string): string {
    return `${quoted(this.schema)}.${quoted(table)}`;
  }
}

/** Rows as Postgres reads them. */
function asJson(rows: readonly Row[]): string {
  return JSON.stringify(rows.map((row) => (Object.values(row).some(isOdd) ? plain(row) : row)));
}

/** What JSON has no word for goes as the text of its type. */
function isOdd(cell: Cell | undefined): cell is bigint | Buffer {
  return typeof cell === 'bigint' || Buffer.isBuffer(cell);
}

function plain(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([column, cell]) => [column, isOdd(cell) ? textOf(cell) : cell] as const),
  );
}

function textOf(cell: bigint | Buffer): string {
  return typeof cell === 'bigint' ? cell.toString() : `\\x${cell.toString('hex')}`;
}

function merged(pending: Exclude<Change, { kind: 'delete' }>, changes: Row): Change {
  return pending.kind === 'upsert'
    ? { kind: 'upsert', row: { ...pending.row, ...changes } }
    : { ...pending, changes: { ...pending.changes, ...changes } };
}

function groupedBy<T>(items: readonly T[], key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group) group.push(item);
    else groups.set(key(item), [item]);
  }
  return groups;
}

/** A name as SQL takes it, whatever is in it. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function list(columns: readonly string[]): string {
  return columns.map(quoted).join();
}

function matching(key: readonly string[]): string {
  return key.map((column) => `t.${quoted(column)} = r.${quoted(column)}`).join(' and ');
}
