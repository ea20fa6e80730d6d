import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The keys of sealed fields: no projection, to be backed up apart; an erased subject keeps its row, without a key.
 * Snapshots are derived: dropping them only costs a longer read.
 */
export class KeysAndSnapshots1763400000003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create schema keys');
    await runner.query(`
      create table keys.master_key (
        only_one boolean primary key default true check (only_one),
        fingerprint text not null,
        claimed_at timestamptz not null default now()
      )`);
    await runner.query(`
      create table keys.data_keys (
        subject text collate "C" primary key,
        wrapped_key bytea,
        created_at timestamptz not null default now(),
        erased_at timestamptz,
        check ((wrapped_key is null) = (erased_at is not null))
      )`);
    await runner.query('create schema snapshots');
    await runner.query(`
      create table snapshots.states (
        stream text collate "C" not null,
        fold text not null,
        revision bigint not null,
        event_id uuid not null,
        state json not null,
        digest text not null,
        subjects text[] not null,
        taken_at timestamptz not null default now(),
        primary key (stream, fold)
      )`);
    await runner.query('create index states_subjects on snapshots.states using gin (subjects)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop schema snapshots cascade');
    await runner.query('drop schema keys cascade');
  }
}
