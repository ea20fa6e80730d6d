/** Folded states of long streams. Derived: dropping the rows only costs a longer read. */
export const SNAPSHOTS_DDL = `
create schema if not exists snapshots;
create table if not exists snapshots.states (
  stream text collate "C" not null,
  fold text not null,
  revision bigint not null,
  event_id uuid not null,
  state json not null,
  digest text not null,
  subjects text[] not null,
  taken_at timestamptz not null default now(),
  primary key (stream, fold)
);
create index if not exists states_subjects on snapshots.states using gin (subjects);
`;
