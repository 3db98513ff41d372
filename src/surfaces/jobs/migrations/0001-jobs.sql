-- Long work. jobs is the truth and, with job_events, the history; job_queue has one narrow row for each
-- job that waits, and exists only to be claimed from. No index of jobs has a column that changes between
-- submission and success, so a job that goes well is claimed and finished without an index being written.
-- The hot tables have no foreign keys to jobs: each would lock and read the row again; checkJobs()
-- verifies what they would promise.

create schema if not exists jobs;

-- The checks of single columns of the hot tables are domains, as those of kernel.idempotency_records are.
create domain jobs.positive as int check (value >= 1);
create domain jobs.priority as smallint check (value between 0 and 9);
create domain jobs.job_state as text check (value in ('pending', 'retryable', 'running', 'succeeded',
  'failed', 'cancelled', 'expired'));
create domain jobs.attempt_state as text check (value in ('running', 'succeeded', 'failed', 'cancelled',
  'released', 'lease_expired', 'expired'));
create domain jobs.step_kind as text
  check (value in ('write', 'run', 'sleep', 'event', 'signal', 'invoke', 'undo'));
create domain jobs.step_state as text
  check (value in ('waiting', 'retrying', 'done', 'failed', 'timed_out'));

create table jobs.jobs (
  id uuid primary key,
  tenant_id uuid not null,
  type text collate "C" not null,
  schema_version jobs.positive not null,
  state jobs.job_state not null default 'pending',
  priority jobs.priority not null default 5,
  input_ref uuid,
  result_ref uuid,
  idempotency_key text collate "C",
  request_fingerprint kernel.digest,
  scheduled_at timestamptz,
  deadline_at timestamptz,
  cancel_requested_at timestamptz,
  created_at timestamptz not null default kernel.now(),
  completed_at timestamptz,
  version int not null default 1,
  principal_id uuid not null,
  operation text collate "C" not null,
  attempt_count int not null default 0,
  max_attempts jobs.positive not null,
  -- Since the submission or the last retry that was asked for.
  failures smallint not null default 0,
  losses smallint not null default 0,
  last_sequence int not null default 1,
  has_dependents boolean not null default false,
  dead_at timestamptz,
  error_code text,
  error_retryable boolean,
  cause_job_id uuid,
  retry_of_job_id uuid,
  usage jsonb,
  -- The W3C trace in which the job was submitted; its attempts and its end continue it.
  traceparent text,
  -- The narrow session that submitted it: the work has no more rights than that, and ends with it. Null:
  -- it belongs to the account.
  session_id uuid,
  check ((completed_at is not null)
    = (state in ('succeeded', 'failed', 'cancelled', 'expired'))),
  check ((dead_at is not null) = (state in ('failed', 'cancelled', 'expired'))),
  check ((error_code is null) = (error_retryable is null)),
  check (cause_job_id is null or error_code is not null)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
create unique index jobs_tenant on jobs.jobs (tenant_id, id);
create unique index jobs_idempotency on jobs.jobs
  (tenant_id, principal_id, operation, idempotency_key) where idempotency_key is not null;
create index jobs_dead on jobs.jobs (tenant_id, id) where dead_at is not null;
create index jobs_dead_types on jobs.jobs (type, dead_at) where dead_at is not null;
-- Finds the jobs that a retry made: an erasure erases the inputs that they copied.
create index jobs_retries on jobs.jobs (retry_of_job_id) where retry_of_job_id is not null;

-- What the job was given; a job without a row here was given nothing, or a file.
create table jobs.job_inputs (
  job_id uuid primary key,
  tenant_id uuid not null,
  parameters json not null
);

-- Ready when wake_at is null; infinity while dependencies are open. Derived from jobs and
-- job_dependencies.
create table jobs.job_queue (
  tenant_id uuid not null,
  job_id uuid not null,
  type text collate "C" not null,
  schema_version int not null,
  rank smallint not null,
  ready_at timestamptz not null default now(),
  wake_at timestamptz,
  deadline_at timestamptz,
  primary key (tenant_id, job_id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_cost_delay = 0);
create index job_queue_ready on jobs.job_queue
  (type, schema_version, tenant_id, rank, ready_at, job_id) where wake_at is null;
create index job_queue_wake_at on jobs.job_queue (wake_at)
  where wake_at is not null and wake_at < 'infinity';
create index job_queue_deadline_at on jobs.job_queue (deadline_at) where deadline_at is not null;

-- lease_token is the hash of the bearer. At most one attempt of a job runs: the index says so.
create table jobs.job_attempts (
  id uuid primary key,
  job_id uuid not null,
  tenant_id uuid not null,
  type text collate "C" not null,
  schema_version int not null,
  attempt_no int not null,
  worker_id uuid not null,
  claim_id uuid,
  lease_token kernel.digest not null,
  state jobs.attempt_state not null,
  leased_until timestamptz not null,
  heartbeat_at timestamptz not null,
  started_at timestamptz not null,
  lease_seconds int not null,
  timeout_at timestamptz not null,
  completed_at timestamptz,
  error_code text,
  unique (job_id, attempt_no),
  check ((completed_at is null) = (state = 'running'))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
create unique index job_attempts_running on jobs.job_attempts (job_id) where state = 'running';
create index job_attempts_counted on jobs.job_attempts (tenant_id, type) where state = 'running';
create index job_attempts_claim on jobs.job_attempts (claim_id)
  where state = 'running' and claim_id is not null;

-- When some process of the platform last reached the database, and the times in which none did. An
-- attempt whose lease could not be renewed meanwhile is not counted against its job.
create table jobs.last_beat (
  one boolean primary key default true check (one),
  beat_at timestamptz not null default now()
) with (fillfactor = 50);
insert into jobs.last_beat default values;
create table jobs.outages (
  began_at timestamptz primary key,
  ended_at timestamptz not null
);

-- One row a job, so that saving a checkpoint does not write the job's row again.
create table jobs.job_checkpoints (
  job_id uuid primary key,
  tenant_id uuid not null,
  attempt_id uuid,
  body jsonb not null,
  saved_at timestamptz not null default kernel.now()
) with (fillfactor = 70);

create table jobs.job_progress (
  job_id uuid not null,
  sequence int not null,
  tenant_id uuid not null,
  stage text not null,
  current bigint not null,
  total bigint,
  message_code text,
  recorded_at timestamptz not null default kernel.now(),
  primary key (job_id, sequence)
);

-- satisfied_at is set once, by the commit that ended the parent or that found it ended already.
create table jobs.job_dependencies (
  job_id uuid not null,
  depends_on_job_id uuid not null,
  tenant_id uuid not null,
  required_state text not null check (required_state in ('succeeded', 'terminal')),
  satisfied_at timestamptz,
  primary key (job_id, depends_on_job_id),
  check (job_id <> depends_on_job_id)
);
create index job_dependencies_open on jobs.job_dependencies (depends_on_job_id)
  where satisfied_at is null;

-- Jobs that have ended and of whose dependents some are not settled yet: a sweep settles them.
create table jobs.unsettled_jobs (
  tenant_id uuid not null,
  job_id uuid not null,
  primary key (tenant_id, job_id)
);

-- The history inside a job: the fold of it is the job's state.
create table jobs.job_events (
  job_id uuid not null,
  sequence int not null,
  tenant_id uuid not null,
  id uuid not null default gen_random_uuid(),
  type text not null,
  data jsonb not null default '{}',
  occurred_at timestamptz not null default kernel.now(),
  -- Who gave the reason of a cancellation, so that it is erased with the account.
  principal_id uuid,
  primary key (job_id, sequence)
);
create index job_events_principal on jobs.job_events (principal_id)
  where principal_id is not null;

-- One result an attempt: small ones in the row, so that they commit with the state; others as an object.
create table jobs.job_results (
  id uuid primary key,
  job_id uuid not null,
  tenant_id uuid not null,
  attempt_id uuid not null,
  media_type text not null,
  size bigint not null,
  checksum_sha256 bytea not null check (octet_length(checksum_sha256) = 32),
  body bytea,
  blob_key text,
  created_at timestamptz not null default kernel.now(),
  check ((body is null) <> (blob_key is null))
);
create index job_results_created_at on jobs.job_results (created_at);
create index job_results_attempt on jobs.job_results (attempt_id);
create index job_results_bytes on jobs.job_results (id) where blob_key is not null;

-- What the platform knows of a type beyond its code: built-in types and activities of other surfaces have
-- a row once somebody paused them. Job types belong to the platform, not to a tenant.
create table jobs.job_types (
  type text collate "C" primary key,
  id uuid not null default gen_random_uuid() unique,
  kind text not null check (kind in ('built_in', 'activity', 'external')),
  queue text not null default 'default',
  lease_seconds int,
  timeout_seconds int,
  max_attempts smallint,
  backoff_base_ms int,
  backoff_cap_ms int,
  tenant_max_running int,
  paused_at timestamptz,
  paused_until timestamptz,
  paused_by text,
  pause_reason text,
  version int not null default 1,
  created_at timestamptz not null default kernel.now(),
  updated_at timestamptz not null default kernel.now(),
  check ((paused_at is null) = (pause_reason is null)),
  check (paused_at is not null or paused_until is null)
);

create table jobs.job_type_versions (
  type text collate "C" not null references jobs.job_types (type),
  schema_version int not null check (schema_version >= 1),
  parameters_schema jsonb not null,
  result_schema jsonb,
  created_at timestamptz not null default kernel.now(),
  primary key (type, schema_version)
);

-- Who can run what: tenant_id null serves all tenants. Runners inside the platform announce themselves
-- here like the others.
create table jobs.worker_capabilities (
  worker_id uuid not null,
  queue text not null default 'default',
  capability text collate "C" not null,
  version int not null,
  tenant_id uuid,
  principal_id uuid,
  last_seen_at timestamptz not null default now(),
  primary key (worker_id, capability, version)
) with (fillfactor = 50);
create index worker_capabilities_type on jobs.worker_capabilities (capability, version);

create table jobs.job_schedules (
  tenant_id uuid not null,
  name text collate "C" not null check (name ~ '^[a-z0-9][a-z0-9_.-]{0,99}$'),
  id uuid not null unique,
  principal_id uuid not null,
  type text collate "C" not null,
  schema_version int not null,
  parameters json not null,
  cron text not null,
  timezone text not null,
  enabled boolean not null default true,
  catch_up text not null default 'latest' check (catch_up in ('skip', 'latest', 'all')),
  overlap text not null default 'allow' check (overlap in ('allow', 'skip')),
  priority smallint not null default 5 check (priority between 0 and 9),
  next_run_at timestamptz,
  last_run_at timestamptz,
  last_job_id uuid,
  -- Why the last run that was due made no job.
  last_error_code text,
  version int not null default 1,
  created_at timestamptz not null default kernel.now(),
  updated_at timestamptz not null default kernel.now(),
  paused_at timestamptz,
  -- Its owner may no longer schedule the type.
  paused_reason text check (paused_reason in ('owner_revoked')),
  -- The narrow session that wrote it, as in jobs.jobs.
  session_id uuid,
  primary key (tenant_id, name),
  check ((paused_at is null) = (paused_reason is null)),
  check (paused_at is null or not enabled)
);
create index job_schedules_due on jobs.job_schedules (next_run_at) where enabled;

-- Names of deleted schedules: a repeated DELETE gets the same reply, a name that never was gets 404.
create table jobs.deleted_schedules (
  tenant_id uuid not null,
  name text collate "C" not null,
  type text collate "C" not null,
  principal_id uuid not null,
  deleted_at timestamptz not null default kernel.now(),
  primary key (tenant_id, name)
);
create index deleted_schedules_deleted_at on jobs.deleted_schedules (deleted_at);

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
  kind jobs.step_kind not null,
  state jobs.step_state not null,
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

-- Rules: a rule submits a job at an event, as a schedule does at a time.
create table jobs.job_rules (
  tenant_id uuid not null,
  name text collate "C" not null,
  -- A deleted name that is used again is another rule.
  id uuid not null,
  principal_id uuid not null,
  -- The narrow session of its owner, whose scope it keeps.
  session_id uuid,
  -- A type of events, a noun (`order.*`) or `*`, and what must hold for the event.
  event text collate "C" not null,
  conditions json not null,
  type text collate "C" not null,
  schema_version int not null,
  -- With references to the event.
  parameters json not null,
  priority smallint not null,
  delay_seconds int not null,
  state text not null check (state in ('active', 'paused', 'disabled', 'deleted')),
  reason text,
  -- Events up to this position of the log of this cell are older than the rule.
  from_position bigint not null,
  from_cell uuid not null,
  runs bigint not null default 0,
  hour_began timestamptz not null default kernel.now(),
  runs_in_hour int not null default 0,
  last_run_at timestamptz,
  last_job_id uuid,
  missed bigint not null default 0,
  last_error_code text,
  missed_said_at timestamptz,
  version int not null default 1,
  created_at timestamptz not null default kernel.now(),
  updated_at timestamptz not null default kernel.now(),
  primary key (tenant_id, name)
) with (fillfactor = 70);
create unique index job_rules_id on jobs.job_rules (tenant_id, id);
create index job_rules_events on jobs.job_rules (tenant_id, event) where state = 'active';
create index job_rules_principal on jobs.job_rules (principal_id);
create index job_rules_deleted on jobs.job_rules (updated_at) where state = 'deleted';
