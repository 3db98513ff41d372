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
create index notes_owner on notes.notes (owner_id, id);
create index notes_drafts on notes.notes (created_at) where kind = 'draft' and deleted_at is null;
create index notes_deleted on notes.notes (deleted_at) where deleted_at is not null;

-- A queue: due_at says when, and a row with an error code that is not due is dead.
create table notes.reminders (
  tenant_id uuid not null,
  note_id uuid not null,
  due_at timestamptz,
  attempts int not null default 0,
  lease_token uuid,
  leased_until timestamptz,
  last_error_code text,
  primary key (tenant_id, note_id),
  foreign key (tenant_id, note_id) references notes.notes (tenant_id, id) on delete cascade
);
create index reminders_due_at on notes.reminders (due_at) where due_at is not null;
