/**
 * The tables of the keyring: what every sealed field depends on, so they are no projection and are backed up apart.
 * An erased subject keeps its row, without a key.
 */
export const KEYRING_DDL = `
create schema if not exists keys;
create table if not exists keys.master_key (
  only_one boolean primary key default true check (only_one),
  fingerprint text not null,
  claimed_at timestamptz not null default now()
);
create table if not exists keys.data_keys (
  subject text collate "C" primary key,
  wrapped_key bytea,
  created_at timestamptz not null default now(),
  erased_at timestamptz,
  check ((wrapped_key is null) = (erased_at is not null))
);
`;
