-- Workflows: jobs whose steps are kept. A run is a job of such a type; its row here is the lock between
-- the run, which is put off until one of its steps can go on, and what wakes it: events and signals.

create table jobs.runs (
  tenant_id uuid not null,
  job_id uuid not null,
  -- The newest event at the submission. The waits of the run see only later ones.
  from_position bigint not null,
  -- The person whom the run is about: an erasure of that account ends it.
  person_id uuid,
  -- The run that invoked it, and the number of runs above it.
  parent_job_id uuid,
  depth smallint not null default 0,
  -- Its body has failed for good with this code: what its steps did is undone.
  undoing text,
  -- The step whose failure ended it: a retry goes on there.
  failed_step text,
  -- How often all of it was undone and begun again.
  round int not null default 0,
  primary key (tenant_id, job_id)
);
create index runs_person on jobs.runs (person_id) where person_id is not null;
create index runs_parent on jobs.runs (tenant_id, parent_job_id) where parent_job_id is not null;

create table jobs.job_steps (
  tenant_id uuid not null,
  job_id uuid not null,
  name text collate "C" not null,
  sequence int not null,
  kind text not null check (kind in ('write', 'run', 'sleep', 'event', 'signal', 'invoke', 'undo')),
  state text not null check (state in ('waiting', 'retrying', 'done', 'failed', 'timed_out')),
  attempts smallint not null default 0,
  result json,
  error_code text,
  until timestamptz,
  -- What a wait waits for, as a digest, and the position in the log up to which it has seen it.
  awaited text,
  position bigint,
  child_job_id uuid,
  created_at timestamptz not null default kernel.now(),
  completed_at timestamptz,
  primary key (tenant_id, job_id, name)
) with (fillfactor = 70);

-- One row for each wait that is not over. Until it is open, the run itself reads the log for it.
create table jobs.step_waits (
  tenant_id uuid not null,
  job_id uuid not null,
  name text collate "C" not null,
  event_type text collate "C" not null,
  -- The nil id: any aggregate.
  aggregate_id uuid not null,
  awaited text not null,
  match jsonb not null default '{}',
  scanned_through bigint not null,
  is_open boolean not null default false,
  primary key (tenant_id, job_id, name)
);
create index step_waits_events on jobs.step_waits (tenant_id, event_type, aggregate_id);

create table jobs.job_signals (
  tenant_id uuid not null,
  job_id uuid not null,
  id uuid not null,
  -- Their order.
  number bigint generated always as identity,
  name text collate "C" not null,
  data json not null,
  -- Who sent it: it is erased with the account. Null: the platform.
  principal_id uuid,
  created_at timestamptz not null default kernel.now(),
  -- The step that has read it.
  step text collate "C",
  primary key (tenant_id, job_id, id)
);
create index job_signals_unread on jobs.job_signals (tenant_id, job_id, name, number)
  where step is null;
create index job_signals_principal on jobs.job_signals (principal_id)
  where principal_id is not null;
