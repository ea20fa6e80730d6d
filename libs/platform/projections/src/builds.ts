import { shareOf, START, type Position } from '#platform/eventlog';
import type { Database, Sql } from '#platform/postgres';
import type { RebuildProgress, RebuildReport } from './status.js';
import type { Projection } from './projection.js';
import { quoted } from './row-buffer.js';

export type BuildState = 'building' | 'live' | 'previous';

/** One making of a read model, in a schema of its own. */
export interface Build {
  readonly name: string;
  /** Counts the makings of this projection. */
  readonly version: number;
  /** The version of the code that made it. */
  readonly fold: number;
  readonly state: BuildState;
  readonly position: Position;
  /** Where the log ended when the build was begun, and how many events it held. */
  readonly goal: { readonly position: Position; readonly events: number };
  readonly report: RebuildReport | null;
}

export function schemaOf(build: { name: string; version: number }): string {
  return `${build.name}_v${build.version}`;
}

/** All builds of a projection, newest first. */
export async function buildsOf(sql: Sql, name: string): Promise<Build[]> {
  const { rows } = await sql.query<Build>(
    `select name, version, fold, state, position, report,
            json_build_object('position', goal_position, 'events', goal_events) as goal
     from projections.builds where name = $1 and state <> 'reactor' order by version desc`,
    [name],
  );
  return rows;
}

/** Makes the schema and the empty tables of the next build. */
export async function beginBuild(
  tx: Sql,
  projection: Projection,
  state: 'building' | 'live',
  goal: Build['goal'] = { position: START, events: 0 },
): Promise<Build> {
  const { rows } = await tx.query<{ version: number }>(
    `insert into projections.builds (name, version, fold, state, goal_position, goal_events)
     select $1, coalesce(max(version), 0) + 1, $2, $3, $4, $5 from projections.builds where name = $1 returning version`,
    [projection.name, projection.version, state, goal.position, goal.events],
  );
  const build: Build = {
    name: projection.name,
    version: rows[0]?.version ?? 1,
    fold: projection.version,
    state,
    position: START,
    goal,
    report: null,
  };
  const schema = quoted(schemaOf(build));
  await tx.query(`drop schema if exists ${schema} cascade`);
  await tx.query(`create schema ${schema}`);
  for (const [table, { columns, key, indexes = [] }] of Object.entries(projection.tables)) {
    const name = `${schema}.${quoted(table)}`;
    const defined = Object.entries(columns).map(([column, type]) => `${quoted(column)} ${type}`);
    await tx.query(`create table ${name} (${defined.join()}, primary key (${key.map(quoted).join()}))`);
    for (const index of indexes) await tx.query(`create index on ${name} ${index}`);
  }
  return build;
}

/** Points the live views at a build. Readers see the old one until the transaction commits, then the new one. */
export async function pointViews(
  tx: Sql,
  projection: Projection,
  build: { name: string; version: number },
): Promise<void> {
  for (const table of Object.keys(projection.tables)) {
    const view = `live.${quoted(table)}`;
    await tx.query(`drop view if exists ${view}`);
    await tx.query(`create view ${view} as select * from ${quoted(schemaOf(build))}.${quoted(table)}`);
  }
}

export async function setState(tx: Sql, build: Build, state: BuildState): Promise<void> {
  await tx.query(
    'update projections.builds set state = $3, updated_at = clock_timestamp() where name = $1 and version = $2',
    [build.name, build.version, state],
  );
}

export async function saveReport(sql: Sql, build: Build, report: RebuildReport): Promise<void> {
  await sql.query('update projections.builds set report = $3 where name = $1 and version = $2', [
    build.name,
    build.version,
    JSON.stringify(report),
  ]);
}

/** Removes a build with its tables. */
export async function dropBuild(tx: Sql, build: Build): Promise<void> {
  await tx.query(`drop schema if exists ${quoted(schemaOf(build))} cascade`);
  await tx.query('delete from projections.builds where name = $1 and version = $2', [build.name, build.version]);
}

/** Moves a checkpoint; part of the transaction that writes the rows. */
export async function saveCheckpoint(tx: Sql, name: string, version: number, position: Position): Promise<void> {
  await tx.query(
    'update projections.builds set position = $3, updated_at = clock_timestamp() where name = $1 and version = $2',
    [name, version, position],
  );
}

/** The live build, made now if the projection is new. */
export async function ensureLive(database: Database, projection: Projection): Promise<Build> {
  return database.transaction(async (tx) => {
    const live = (await buildsOf(tx, projection.name)).find((build) => build.state === 'live');
    if (live) return live;
    const build = await beginBuild(tx, projection, 'live');
    await pointViews(tx, projection, build);
    return build;
  });
}

/** How far a build has come: events behind it, of those the log held when it was begun. */
export function progressOf({ version, goal }: Build, position: Position): RebuildProgress {
  return { version, processed: Math.round(goal.events * shareOf(position, goal.position)), total: goal.events };
}
