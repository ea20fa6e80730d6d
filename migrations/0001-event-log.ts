import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The event log. `position` comes from a sequence, but only under one transaction-wide lock: commits then happen in
 * position order, and a tailing reader cannot miss an event that commits late.
 */
export class EventLog1763400000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create schema eventlog');
    await runner.query('create sequence eventlog.position');
    await runner.query(`
      create table eventlog.events (
        position bigint primary key,
        stream text collate "C" not null,
        revision bigint not null,
        id uuid not null,
        type text collate "C" not null,
        data json not null,
        metadata json not null,
        recorded_at timestamptz not null
      )`);
    await runner.query('create unique index events_stream_revision on eventlog.events (stream, revision)');
    await runner.query('create index events_id on eventlog.events (id)');
    await runner.query(`
      create table eventlog.streams (
        stream text collate "C" primary key,
        max_age_seconds bigint,
        max_count bigint,
        tombstoned boolean not null default false,
        pruned_through bigint not null default -1
      )`);
    await runner.query(APPEND);
    await runner.query(TOMBSTONE);
    await runner.query(PRUNE);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop schema eventlog cascade');
  }
}

/**
 * Takes many appends at once, each judged by itself: `[{s: stream, e: expected, v: [{i, t, d, m}]}]` where expected is a
 * revision, or -1 none, -2 any, -3 exists. `announce` wakes the readers of other processes. One row per append, in order: what became of it, and where.
 */
const APPEND = `
create function eventlog.append(appends json, announce boolean)
returns table (outcome text, revision bigint, "position" bigint)
language plpgsql as $body$
#variable_conflict use_column
declare
  asked record;
  found bigint;
  present integer;
  closed boolean;
  size integer;
  ids uuid[];
  moment timestamptz;
begin
  perform pg_advisory_xact_lock(7801, 1);
  moment := clock_timestamp();
  for asked in select a.s as stream, a.e as expected, a.v as events from json_to_recordset(appends) as a(s text, e bigint, v json)
  loop
    select coalesce(s.tombstoned, false), greatest(e.revision, s.pruned_through, -1) into closed, found
      from (select asked.stream as name) as n
      left join lateral (
        select revision from eventlog.events where stream = n.name order by revision desc limit 1) as e on true
      left join eventlog.streams s on s.stream = n.name;
    revision := found;
    position := null;

    if closed then
      outcome := 'tombstoned';
      return next;
      continue;
    end if;

    if asked.expected = found or (asked.expected = -3 and found >= 0) or asked.expected = -2 then
      if asked.expected < -1 then
        select array_agg(v.i), count(*) into ids, size from json_to_recordset(asked.events) as v(i uuid);
        select count(distinct e.id), max(e.revision), max(e.position) into present, revision, position
          from eventlog.events e where e.id = any (ids) and e.stream = asked.stream;
        if present = size then
          outcome := 'repeated';
          return next;
          continue;
        elsif present > 0 then
          outcome := 'reused';
          return next;
          continue;
        end if;
      end if;
      insert into eventlog.events (position, stream, revision, id, type, data, metadata, recorded_at)
      select nextval('eventlog.position'), asked.stream, found + v.ordinal, v.i, v.t, v.d::json, v.m::json, moment
      from rows from (json_to_recordset(asked.events) as (i uuid, t text, d text, m text)) with ordinality as v(i, t, d, m, ordinal);
      get diagnostics size = row_count;
      outcome := 'appended';
      revision := found + size;
      position := currval('eventlog.position');
      return next;
      continue;
    end if;

    select array_agg(v.i order by v.ordinal), count(*) into ids, size
      from rows from (json_to_recordset(asked.events) as (i uuid)) with ordinality as v(i, ordinal);
    select count(*) into present from eventlog.events e
      where e.stream = asked.stream and asked.expected >= -1
        and e.revision between asked.expected + 1 and asked.expected + size
        and e.id = ids[e.revision - asked.expected];
    if present = size then
      outcome := 'repeated';
      select e.revision, e.position into revision, position from eventlog.events e
        where e.stream = asked.stream and e.revision = asked.expected + size;
    else
      outcome := 'conflict';
    end if;
    return next;
  end loop;
  if announce then
    perform pg_notify('eventlog', '');
  end if;
end
$body$`;

/** Closes a stream for good, judged like an append. */
const TOMBSTONE = `
create function eventlog.tombstone(closing text, expected bigint)
returns table (outcome text, revision bigint)
language plpgsql as $body$
#variable_conflict use_column
declare
  found bigint;
  closed boolean;
begin
  perform pg_advisory_xact_lock(7801, 1);
  select coalesce(max(e.revision), -1) into found from eventlog.events e where e.stream = closing;
  select s.tombstoned, greatest(found, s.pruned_through) into closed, found
    from eventlog.streams s where s.stream = closing
    union all select false, found limit 1;
  if closed then
    return query select 'tombstoned', found;
  elsif expected = -2 or expected = found or (expected = -3 and found >= 0) then
    insert into eventlog.streams (stream, tombstoned) values (closing, true)
      on conflict (stream) do update set tombstoned = true;
    return query select 'closed', found;
  else
    return query select 'conflict', found;
  end if;
end
$body$`;

/** Removes what readers of a stream no longer see, and remembers how far, so that revisions never start again. */
const PRUNE = `
create function eventlog.prune() returns bigint
language plpgsql as $body$
declare
  rules record;
  last bigint;
  through bigint;
  removed bigint := 0;
  gone bigint;
begin
  for rules in select * from eventlog.streams where tombstoned or max_age_seconds is not null or max_count is not null loop
    select max(revision) into last from eventlog.events where stream = rules.stream;
    continue when last is null;
    through := case when rules.tombstoned then last else greatest(
      last - coalesce(rules.max_count, last + 1),
      (select max(revision) from eventlog.events where stream = rules.stream
        and recorded_at <= clock_timestamp() - rules.max_age_seconds * interval '1 second')) end;
    continue when through is null or through < 0;
    update eventlog.streams set pruned_through = greatest(pruned_through, last) where stream = rules.stream;
    delete from eventlog.events where stream = rules.stream and revision <= through;
    get diagnostics gone = row_count;
    removed := removed + gone;
  end loop;
  return removed;
end
$body$`;
