-- The foundation's own tables. Tenants lead every key that a tenant's rows are read by.

create schema if not exists kernel;

-- The platform's time: one row, moved by /dev/clock in development, always zero in production.
create table kernel.clock (
  only_row boolean primary key default true check (only_row),
  offset_seconds double precision not null default 0
);
insert into kernel.clock default values;

create function kernel.now() returns timestamptz
  language sql stable parallel safe
  return now() + (select make_interval(secs => offset_seconds) from kernel.clock);

-- Outcomes of keyed operations. The primary key alone makes a second effect impossible.
create table kernel.idempotency_records (
  principal_id uuid not null,
  operation text not null,
  key text collate "C" not null,
  tenant_id uuid not null,
  fingerprint bytea not null check (octet_length(fingerprint) = 32),
  state text not null check (state in ('in_progress', 'completed')),
  operation_id uuid,
  lease_token uuid,
  leased_until timestamptz,
  status smallint,
  headers jsonb,
  body bytea,
  resource_ref text,
  created_at timestamptz not null default now(),
  completed_at timestamptz,
  expires_at timestamptz not null,
  primary key (principal_id, operation, key),
  check (state = 'in_progress' or status is not null)
);
create index idempotency_records_expires_at on kernel.idempotency_records (expires_at);
alter table kernel.idempotency_records alter column body set storage external;

-- A small staging table: rows wait here from their commit until the sequencer gives them a position.
create table kernel.outbox_events (
  seq bigint generated always as identity primary key,
  id uuid not null,
  tenant_id uuid not null,
  type text not null,
  schema_version int not null,
  aggregate_type text not null,
  aggregate_id uuid not null,
  aggregate_version bigint not null,
  payload jsonb not null,
  payload_ref text,
  traceparent text,
  occurred_at timestamptz not null default kernel.now(),
  created_at timestamptz not null default now()
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0);

-- Strict limits hold over all processes: one conditional statement a request (GCRA).
create unlogged table kernel.throttles (
  bucket text collate "C" primary key,
  tat timestamptz not null
);

create table kernel.audit_events (
  id uuid primary key,
  tenant_id uuid,
  actor text not null,
  action text not null,
  target text not null,
  outcome text not null,
  request_id uuid,
  reason text,
  diff_hash text,
  sealed_in uuid,
  occurred_at timestamptz not null default kernel.now()
);
create index audit_events_tenant on kernel.audit_events (tenant_id, id desc);

create function kernel.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'kernel.% is append-only', tg_table_name using errcode = '42501';
end $$;
create trigger audit_events_append_only before update or delete or truncate on kernel.audit_events
  for each statement execute function kernel.refuse_change();
