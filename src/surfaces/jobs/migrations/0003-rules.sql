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
