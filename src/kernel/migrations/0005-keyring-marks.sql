-- What a key makes of its own name: a process with another key, or another pepper, finds the difference at
-- its start and not at the first value that it cannot open.
create table kernel.keyring_marks (
  name text primary key,
  mark bytea not null,
  first_seen_at timestamptz not null default now()
);
