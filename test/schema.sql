-- What all migrations together make, read from the catalogues. It is never edited:
-- "vitest run test/schema.test.ts -u" writes it.

create schema kernel;

create table kernel.audit_events (
  id uuid not null,
  tenant_id uuid,
  actor text not null,
  action text not null,
  target text not null,
  outcome text not null,
  request_id uuid,
  reason text,
  diff_hash text,
  sealed_in uuid,
  occurred_at timestamp with time zone not null default kernel.now(),
  constraint audit_events_pkey PRIMARY KEY (id)
);
CREATE INDEX audit_events_tenant ON kernel.audit_events USING btree (tenant_id, id DESC);
CREATE TRIGGER audit_events_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON kernel.audit_events FOR EACH STATEMENT EXECUTE FUNCTION kernel.refuse_change();

create table kernel.clock (
  only_row boolean not null default true,
  offset_seconds double precision not null default 0,
  constraint clock_only_row_check CHECK (only_row),
  constraint clock_pkey PRIMARY KEY (only_row)
);

create table kernel.event_consumers (
  consumer text collate "C" not null,
  lane smallint not null,
  "position" bigint not null default 0,
  lease_token uuid,
  leased_until timestamp with time zone,
  wanted_by uuid,
  created_at timestamp with time zone not null default now(),
  constraint event_consumers_lane_check CHECK (((lane >= 0) AND (lane <= 15))),
  constraint event_consumers_pkey PRIMARY KEY (consumer, lane)
) with (fillfactor=50);

create table kernel.event_counter (
  only_row boolean not null default true,
  "position" bigint not null default 0,
  constraint event_counter_only_row_check CHECK (only_row),
  constraint event_counter_pkey PRIMARY KEY (only_row)
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000, fillfactor=10);

create table kernel.event_park_waits (
  park_id uuid not null,
  "position" bigint not null,
  constraint event_park_waits_park_id_fkey FOREIGN KEY (park_id) REFERENCES kernel.event_parks(id) ON DELETE CASCADE,
  constraint event_park_waits_pkey PRIMARY KEY (park_id, "position")
);

create table kernel.event_parks (
  id uuid not null,
  consumer text collate "C" not null,
  lane smallint not null,
  aggregate_id uuid not null,
  event_id uuid not null,
  first_position bigint not null,
  attempts integer not null,
  next_attempt_at timestamp with time zone,
  last_error_code text not null,
  state text not null,
  blocking boolean not null default true,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint event_parks_check CHECK ((blocking OR (state = ANY (ARRAY['skipped'::text, 'resolved'::text])))),
  constraint event_parks_pkey PRIMARY KEY (id),
  constraint event_parks_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'dead'::text, 'skipped'::text, 'resolved'::text])))
);
CREATE UNIQUE INDEX event_parks_blocking ON kernel.event_parks USING btree (consumer, aggregate_id) WHERE blocking;
CREATE INDEX event_parks_consumer ON kernel.event_parks USING btree (consumer, id);
CREATE INDEX event_parks_due ON kernel.event_parks USING btree (next_attempt_at) WHERE (blocking AND (state <> 'dead'::text));
CREATE INDEX event_parks_first_position ON kernel.event_parks USING btree (first_position) WHERE blocking;

create table kernel.events (
  "position" bigint not null,
  id uuid not null,
  tenant_id uuid not null,
  type text not null,
  schema_version integer not null,
  aggregate_type text not null,
  aggregate_id uuid not null,
  aggregate_version bigint not null,
  payload jsonb not null,
  payload_ref text,
  traceparent text,
  occurred_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  lane smallint not null,
  constraint events_pkey PRIMARY KEY ("position")
) partition by RANGE ("position");
CREATE INDEX events_id ON ONLY kernel.events USING btree (id);
CREATE INDEX events_lane ON ONLY kernel.events USING btree (lane, "position");
CREATE INDEX events_tenant ON ONLY kernel.events USING btree (tenant_id, "position");

create table kernel.idempotency_records (
  principal_id uuid not null,
  operation text not null,
  key text collate "C" not null,
  tenant_id uuid not null,
  fingerprint bytea not null,
  state text not null,
  operation_id uuid,
  lease_token uuid,
  leased_until timestamp with time zone,
  status smallint,
  headers jsonb,
  body bytea storage external,
  resource_ref text,
  created_at timestamp with time zone not null default now(),
  completed_at timestamp with time zone,
  expires_at timestamp with time zone not null,
  constraint idempotency_records_check CHECK (((state = 'in_progress'::text) OR (status IS NOT NULL))),
  constraint idempotency_records_fingerprint_check CHECK ((octet_length(fingerprint) = 32)),
  constraint idempotency_records_pkey PRIMARY KEY (principal_id, operation, key),
  constraint idempotency_records_state_check CHECK ((state = ANY (ARRAY['in_progress'::text, 'completed'::text])))
);
CREATE INDEX idempotency_records_expires_at ON kernel.idempotency_records USING btree (expires_at);

create table kernel.inbox_events (
  consumer text collate "C" not null,
  event_id uuid not null,
  processed_at timestamp with time zone not null default now(),
  constraint inbox_events_pkey PRIMARY KEY (consumer, event_id)
) partition by RANGE (event_id);

create table kernel.migrations (
  schema text not null,
  number integer not null,
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone not null default now(),
  constraint migrations_pkey PRIMARY KEY (schema, number)
);

create table kernel.outbox_events (
  seq bigint not null generated always as identity,
  id uuid not null,
  tenant_id uuid not null,
  type text not null,
  schema_version integer not null,
  aggregate_type text not null,
  aggregate_id uuid not null,
  aggregate_version bigint not null,
  payload jsonb not null,
  payload_ref text,
  traceparent text,
  occurred_at timestamp with time zone not null default kernel.now(),
  created_at timestamp with time zone not null default now(),
  constraint outbox_events_pkey PRIMARY KEY (seq)
) with (autovacuum_vacuum_cost_delay=0, autovacuum_vacuum_scale_factor=0.01);

create unlogged table kernel.throttles (
  bucket text collate "C" not null,
  tat timestamp with time zone not null,
  constraint throttles_pkey PRIMARY KEY (bucket)
);

CREATE OR REPLACE FUNCTION kernel.drop_event_partitions(older_than interval)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  size constant bigint := 5000000;
  passed bigint;
  part record;
  youngest timestamptz;
  dropped int := 0;
begin
  select least(
    (select position from kernel.event_counter),
    (select min(position) from kernel.event_consumers),
    (select min(first_position) - 1 from kernel.event_parks where blocking)
  ) into passed;
  for part in
    select c.relname as name, substring(c.relname from 'events_p(\d+)$')::bigint as number
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'kernel.events'::regclass
    order by c.relname
  loop
    exit when (part.number + 1) * size - 1 > passed;
    execute format('select created_at from kernel.%I order by position desc limit 1', part.name)
      into youngest;
    exit when youngest >= kernel.now() - older_than;
    execute format('drop table kernel.%I', part.name);
    dropped := dropped + 1;
  end loop;
  return dropped;
end $function$;

CREATE OR REPLACE FUNCTION kernel.drop_inbox_partitions(older_than interval)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  part record;
  dropped int := 0;
begin
  for part in
    select c.relname as name,
      to_timestamp(substring(c.relname from 'inbox_events_w(\d+)$') || '+00', 'YYYYMMDDTZH') as low
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'kernel.inbox_events'::regclass and c.relname like 'inbox\_events\_w%'
    order by c.relname
  loop
    exit when part.low + interval '168 hours' > kernel.now() - older_than;
    exit when part.low + interval '168 hours' > now();
    execute format('drop table kernel.%I', part.name);
    dropped := dropped + 1;
  end loop;
  delete from kernel.inbox_events_before where processed_at < kernel.now() - older_than;
  return dropped;
end $function$;

CREATE OR REPLACE FUNCTION kernel.first_id_of(moment timestamp with time zone)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ((lpad(to_hex(((EXTRACT(epoch FROM moment) * (1000)::numeric))::bigint), 12, '0'::text) || repeat('0'::text, 20)))::uuid;

CREATE OR REPLACE FUNCTION kernel.lane_of(aggregate uuid)
 RETURNS smallint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ((uuid_hash_extended(aggregate, (0)::bigint) & (15)::bigint))::smallint;

CREATE OR REPLACE FUNCTION kernel.now()
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (now() + (SELECT make_interval(secs => clock.offset_seconds) AS make_interval FROM kernel.clock));

CREATE OR REPLACE FUNCTION kernel.prepare_event_partitions(ahead bigint)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
declare
  size constant bigint := 5000000;
  low bigint;
  name text;
begin
  perform pg_advisory_xact_lock(5330113);
  select coalesce(max(substring(c.relname from 'events_p(\d+)$')::bigint + 1), 0) * size into low
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'kernel.events'::regclass;
  while low <= (select position from kernel.event_counter) + ahead loop
    name := format('events_p%s', lpad((low / size)::text, 6, '0'));
    execute format('create table kernel.%I (like kernel.events including all)', name);
    execute format('alter table kernel.events attach partition kernel.%I for values from (%s) to (%s)',
      name, low, low + size);
    low := low + size;
  end loop;
  return low;
end $function$;

CREATE OR REPLACE FUNCTION kernel.prepare_inbox_partitions(until timestamp with time zone)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
AS $function$
declare
  low timestamptz;
  name text;
begin
  perform pg_advisory_xact_lock(5330113);
  select max(to_timestamp(substring(c.relname from 'inbox_events_w(\d+)$') || '+00', 'YYYYMMDDTZH'))
    + interval '168 hours' into low
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'kernel.inbox_events'::regclass and c.relname like 'inbox\_events\_w%';
  if low is null then
    low := date_trunc('week', now() at time zone 'UTC') at time zone 'UTC';
    create table kernel.inbox_events_before (like kernel.inbox_events including all);
    execute format('alter table kernel.inbox_events attach partition kernel.inbox_events_before
      for values from (minvalue) to (%L)', kernel.first_id_of(low));
  end if;
  while low <= until loop
    name := format('inbox_events_w%s', to_char(low at time zone 'UTC', 'YYYYMMDD'));
    execute format('create table kernel.%I (like kernel.inbox_events including all)', name);
    execute format('alter table kernel.inbox_events attach partition kernel.%I for values from (%L) to (%L)',
      name, kernel.first_id_of(low), kernel.first_id_of(low + interval '168 hours'));
    low := low + interval '168 hours';
  end loop;
  return low;
end $function$;

CREATE OR REPLACE FUNCTION kernel.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'kernel.% is append-only', tg_table_name using errcode = '42501';
end $function$;
