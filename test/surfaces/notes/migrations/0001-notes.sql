create schema notes;

create table notes.notes (
  tenant_id uuid not null,
  id uuid not null,
  owner_id uuid not null,
  title text not null,
  labels jsonb not null default '{}',
  kind text not null default 'plain',
  version bigint not null default 1,
  created_at timestamptz not null default now(),
  deleted_at timestamptz,
  primary key (tenant_id, id)
);
create index notes_list on notes.notes (tenant_id, created_at desc, id desc);

create table notes.counts (
  tenant_id uuid primary key,
  written bigint not null
);
