import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the projection and reactor runners keep about themselves. The read models' own tables are made by their builds. */
export class Projections1763400000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create schema projections');
    await runner.query('create schema live');
    await runner.query(`
      create table projections.builds (
        name text not null,
        version integer not null,
        fold integer not null,
        state text not null check (state in ('building', 'live', 'previous', 'reactor')),
        position text collate "C" not null default '',
        goal_position text collate "C" not null default '',
        goal_events bigint not null default 0,
        report json,
        started_at timestamptz not null default clock_timestamp(),
        updated_at timestamptz not null default clock_timestamp(),
        primary key (name, version)
      )`);
    await runner.query(`create unique index one_live_build on projections.builds (name) where state = 'live'`);
    await runner.query(`
      create table projections.leases (
        name text primary key,
        owner text not null,
        token bigint not null,
        expires_at timestamptz not null
      )`);
    await runner.query(`
      create table projections.parked (
        name text not null,
        version integer not null,
        position text collate "C" not null,
        event_id uuid not null,
        stream text not null,
        revision bigint not null,
        type text not null,
        error text not null,
        behind boolean not null,
        attempts integer not null default 1,
        parked_at timestamptz not null default clock_timestamp(),
        primary key (name, version, position),
        foreign key (name, version) references projections.builds on delete cascade
      )`);
    await runner.query(`
      create table projections.requests (
        id uuid primary key,
        name text not null,
        action text not null,
        argument json not null,
        answer json,
        requested_at timestamptz not null default clock_timestamp(),
        answered_at timestamptz
      )`);
    await runner.query('create index open_requests on projections.requests (name) where answered_at is null');
    await runner.query(`
      create table projections.timers (
        reactor text not null,
        key text not null,
        due_at timestamptz not null,
        data json not null,
        primary key (reactor, key)
      )`);
    await runner.query('create index timers_due on projections.timers (reactor, due_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop schema projections cascade');
    await runner.query('drop schema live cascade');
  }
}
