import type { Sql, SqlValue } from '#platform/postgres';
import { schemaOf, type Build } from './builds.js';
import type { Projection, Table } from './projection.js';
import { quoted } from './row-buffer.js';
import type { TableComparison } from './status.js';

const PAGE = 2_000;

/** Compares the tables of two builds that stand still, page by page: no statement holds the database for long. */
export async function compareBuilds(
  sql: Sql,
  projection: Projection,
  before: Build,
  after: Build,
): Promise<TableComparison[]> {
  const comparisons: TableComparison[] = [];
  for (const [table, spec] of Object.entries(projection.tables)) {
    const columns = await sharedColumns(sql, table, before, after);
    // A table the old build did not have, or had under another key, has nothing to be compared with.
    if (spec.key.every((column) => columns.includes(column))) {
      comparisons.push(await compareTable(sql, table, spec, columns, before, after));
    }
  }
  return comparisons;
}

async function sharedColumns(sql: Sql, table: string, before: Build, after: Build): Promise<string[]> {
  const { rows } = await sql.query<{ column_name: string }>(
    `select column_name from information_schema.columns where table_name = $1 and table_schema in ($2, $3)
     group by column_name having count(*) = 2 order by column_name`,
    [table, schemaOf(before), schemaOf(after)],
  );
  return rows.map(({ column_name }) => column_name);
}

interface Side {
  readonly table: string;
  readonly key: readonly string[];
  /** A number that differs where the compared columns do. */
  readonly hash: string;
}

async function compareTable(
  sql: Sql,
  table: string,
  { key }: Table,
  columns: readonly string[],
  before: Build,
  after: Build,
): Promise<TableComparison> {
  const side = (build: Build): Side => ({
    table: `${quoted(schemaOf(build))}.${quoted(table)}`,
    key,
    hash: `hashtextextended(row(${columns.map(quoted).join()})::text, 0)`,
  });
  const [old, made] = [side(before), side(after)];
  let [rows, onlyBefore, onlyAfter, changed] = [0, 0, 0, 0];
  let low: SqlValue[] | undefined;
  let high: SqlValue[] | undefined;
  do {
    high = await pageEnd(sql, made, low);
    const sums = await Promise.all([checksum(sql, old, low, high), checksum(sql, made, low, high)]);
    rows += sums[1].count;
    if (sums[0].count !== sums[1].count || sums[0].sum !== sums[1].sum) {
      const [was, is] = await Promise.all([hashes(sql, old, low, high), hashes(sql, made, low, high)]);
      for (const [id, hash] of is) {
        if (!was.has(id)) onlyAfter += 1;
        else if (was.get(id) !== hash) changed += 1;
      }
      for (const id of was.keys()) if (!is.has(id)) onlyBefore += 1;
    }
    low = high;
  } while (high !== undefined);
  return { table, columns, rows, onlyBefore, onlyAfter, changed };
}

/** The key of the last row of the page after `low`; undefined when the page is the last one. */
async function pageEnd(sql: Sql, side: Side, low: readonly SqlValue[] | undefined): Promise<SqlValue[] | undefined> {
  const { rows } = await sql.query<Record<string, SqlValue>>(
    `select ${texts(side.key)} from ${side.table} ${within(side, low, undefined)}
     order by ${side.key.map(quoted).join()} limit 1 offset ${PAGE - 1}`,
    [...(low ?? [])],
  );
  return rows[0] && side.key.map((column) => rows[0]?.[column] ?? null);
}

async function checksum(sql: Sql, side: Side, low?: readonly SqlValue[], high?: readonly SqlValue[]) {
  const { rows } = await sql.query<{ count: number; sum: string | null }>(
    `select count(*), bit_xor(${side.hash})::text as sum from ${side.table} ${within(side, low, high)}`,
    [...(low ?? []), ...(high ?? [])],
  );
  return { count: rows[0]?.count ?? 0, sum: rows[0]?.sum ?? null };
}

async function hashes(sql: Sql, side: Side, low?: readonly SqlValue[], high?: readonly SqlValue[]) {
  const { rows } = await sql.query<{ id: string; hash: string }>(
    `select row(${side.key.map(quoted).join()})::text as id, (${side.hash})::text as hash from ${side.table} ${within(side, low, high)}`,
    [...(low ?? []), ...(high ?? [])],
  );
  return new Map(rows.map(({ id, hash }) => [id, hash]));
}

function within(side: Side, low?: readonly SqlValue[], high?: readonly SqlValue[]): string {
  const key = `(${side.key.map(quoted).join()})`;
  const bound = (from: number) => `(${side.key.map((_, at) => `$${from + at + 1}`).join()})`;
  const conditions = [
    ...(low ? [`${key} > ${bound(0)}`] : []),
    ...(high ? [`${key} <= ${bound(low ? side.key.length : 0)}`] : []),
  ];
  return conditions.length > 0 ? `where ${conditions.join(' and ')}` : '';
}

/** Keys travel as text, which every type reads back exactly. */
function texts(key: readonly string[]): string {
  return key.map((column) => `${quoted(column)}::text as ${quoted(column)}`).join();
}
