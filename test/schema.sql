-- What all migrations together make, read from the catalogues. It is never edited:
-- "vitest run test/schema.test.ts -u" writes it.

create schema kernel;

create domain kernel.digest as bytea CHECK ((octet_length(VALUE) = 32));

create domain kernel.record_state as text CHECK ((VALUE = ANY (ARRAY['in_progress'::text, 'completed'::text])));

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

create table kernel.cell (
  one boolean not null default true,
  id uuid not null,
  constraint cell_one_check CHECK (one),
  constraint cell_pkey PRIMARY KEY (one)
);

create table kernel.clock (
  only_row boolean not null default true,
  offset_seconds double precision not null default 0,
  constraint clock_only_row_check CHECK (only_row),
  constraint clock_pkey PRIMARY KEY (only_row)
);
CREATE TRIGGER replace_now AFTER UPDATE ON kernel.clock FOR EACH ROW EXECUTE FUNCTION kernel.replace_now();

create table kernel.deprecated_calls (
  tenant_id uuid not null,
  principal_id uuid not null,
  operation text collate "C" not null,
  member text collate "C" not null,
  calls bigint not null,
  first_called_at timestamp with time zone not null,
  last_called_at timestamp with time zone not null,
  constraint deprecated_calls_pkey PRIMARY KEY (tenant_id, principal_id, operation, member)
);
CREATE INDEX deprecated_calls_last ON kernel.deprecated_calls USING btree (last_called_at);
CREATE INDEX deprecated_calls_principal ON kernel.deprecated_calls USING btree (principal_id);

create table kernel.erasures (
  account_id uuid not null,
  surface text collate "C" not null,
  tenant_id uuid not null,
  requested_at timestamp with time zone not null default kernel.now(),
  erased_at timestamp with time zone,
  due_at timestamp with time zone default kernel.now(),
  attempts integer not null default 0,
  lease_token uuid,
  leased_until timestamp with time zone,
  last_error_code text,
  id uuid not null default gen_random_uuid(),
  principal_ids uuid[] not null default '{}'::uuid[],
  made_before timestamp with time zone,
  constraint erasures_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX erasures_account ON kernel.erasures USING btree (account_id, surface) WHERE (made_before IS NULL);
CREATE INDEX erasures_due_at ON kernel.erasures USING btree (due_at) WHERE (due_at IS NOT NULL);

create table kernel.event_consumers (
  consumer text collate "C" not null,
  lane smallint not null,
  "position" bigint not null default 0,
  lease_token uuid,
  leased_until timestamp with time zone,
  wanted_by uuid,
  created_at timestamp with time zone not null default now(),
  known_at timestamp with time zone not null default now(),
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
  tenant_id uuid not null,
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
CREATE UNIQUE INDEX event_parks_blocking ON kernel.event_parks USING btree (consumer, tenant_id, aggregate_id) WHERE blocking;
CREATE INDEX event_parks_consumer ON kernel.event_parks USING btree (consumer, id);
CREATE INDEX event_parks_due ON kernel.event_parks USING btree (next_attempt_at) WHERE (blocking AND (state <> 'dead'::text));
CREATE INDEX event_parks_first_position ON kernel.event_parks USING btree (first_position) WHERE blocking;

create table kernel.event_types (
  type text collate "C" not null,
  description text not null,
  schema jsonb not null,
  schema_version integer not null default 1,
  version integer not null default 1,
  archived_at timestamp with time zone,
  created_at timestamp with time zone not null default kernel.now(),
  updated_at timestamp with time zone not null default kernel.now(),
  constraint event_types_pkey PRIMARY KEY (type)
);

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
  written_by text,
  transaction_id bigint,
  constraint events_pkey PRIMARY KEY ("position")
) partition by RANGE ("position");
CREATE INDEX events_id ON ONLY kernel.events USING btree (id);
CREATE INDEX events_lane ON ONLY kernel.events USING btree (lane, "position");
CREATE INDEX events_tenant ON ONLY kernel.events USING btree (tenant_id, "position");
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON kernel.events FOR EACH ROW EXECUTE FUNCTION kernel.refuse_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON kernel.events FOR EACH STATEMENT EXECUTE FUNCTION kernel.refuse_change();

create table kernel.idempotency_records (
  principal_id uuid not null,
  operation text not null,
  key text collate "C" not null,
  tenant_id uuid not null,
  fingerprint kernel.digest not null,
  state kernel.record_state not null,
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
  request_id uuid,
  transaction_id bigint,
  sealed_body bytea storage external,
  constraint idempotency_records_check CHECK ((((state)::text = 'in_progress'::text) OR (status IS NOT NULL))),
  constraint idempotency_records_pkey PRIMARY KEY (principal_id, operation, key)
);
CREATE INDEX idempotency_records_expires_at ON kernel.idempotency_records USING btree (expires_at);
CREATE INDEX idempotency_records_request_id ON kernel.idempotency_records USING btree (request_id);

create table kernel.inbox_events (
  consumer text collate "C" not null,
  event_id uuid not null,
  processed_at timestamp with time zone not null default now(),
  constraint inbox_events_pkey PRIMARY KEY (consumer, event_id)
) partition by RANGE (event_id);

create table kernel.keyring_marks (
  name text not null,
  mark bytea not null,
  first_seen_at timestamp with time zone not null default now(),
  constraint keyring_marks_pkey PRIMARY KEY (name)
);

create table kernel.migrations (
  schema text not null,
  number integer not null,
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone not null default now(),
  compatible_since integer,
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
  written_by text,
  transaction_id bigint,
  constraint outbox_events_pkey PRIMARY KEY (seq)
) with (autovacuum_vacuum_cost_delay=0, autovacuum_vacuum_scale_factor=0.01);

create table kernel.published_aggregates (
  tenant_id uuid not null,
  type text collate "C" not null,
  id uuid not null,
  version bigint not null default 0,
  published_at timestamp with time zone not null default kernel.now(),
  constraint published_aggregates_pkey PRIMARY KEY (tenant_id, type, id)
);
CREATE INDEX published_aggregates_old ON kernel.published_aggregates USING btree (published_at);

create table kernel.requests (
  id uuid not null,
  tenant_id uuid,
  principal_id uuid,
  route text,
  status smallint not null,
  code text,
  permission text,
  pointer text,
  ms integer not null,
  about uuid[] not null,
  times integer not null,
  created_at timestamp with time zone not null,
  constraint requests_pkey PRIMARY KEY (id)
) partition by RANGE (id);
CREATE INDEX requests_principal ON ONLY kernel.requests USING btree (principal_id, id DESC);
CREATE INDEX requests_tenant ON ONLY kernel.requests USING btree (tenant_id, id DESC);

create table kernel.tenant_states (
  tenant_id uuid not null,
  state text not null,
  reason text not null,
  cell_url text,
  receipt jsonb,
  changed_at timestamp with time zone not null default now(),
  constraint tenant_states_check CHECK (((state = 'moved'::text) = (cell_url IS NOT NULL))),
  constraint tenant_states_check1 CHECK (((state <> 'deleted'::text) OR (receipt IS NOT NULL))),
  constraint tenant_states_pkey PRIMARY KEY (tenant_id),
  constraint tenant_states_state_check CHECK ((state = ANY (ARRAY['frozen'::text, 'moved'::text, 'deleted'::text])))
);
CREATE INDEX tenant_states_held ON kernel.tenant_states USING btree (tenant_id) WHERE ((receipt IS NULL) OR (NOT (receipt ? 'sha256'::text)));

create unlogged table kernel.throttles (
  bucket text collate "C" not null,
  tat timestamp with time zone not null,
  constraint throttles_pkey PRIMARY KEY (bucket)
);

CREATE OR REPLACE FUNCTION kernel.allow_change(reason text)
 RETURNS void
 LANGUAGE sql
AS $function$
  select set_config('dodeca.allowed_change', reason, true)
$function$;

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
  first_id uuid;
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
  select kernel.first_id_of(min(
      to_timestamp(substring(c.relname from 'inbox_events_w(\d+)$') || '+00', 'YYYYMMDDTZH')))
    into first_id
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'kernel.inbox_events'::regclass and c.relname like 'inbox\_events\_w%';
  if not exists (
    select from pg_class c where c.oid = 'kernel.inbox_events_before'::regclass
      and pg_get_expr(c.relpartbound, c.oid) like '%' || first_id || '%'
  ) then
    alter table kernel.inbox_events detach partition kernel.inbox_events_before;
    execute format('alter table kernel.inbox_events attach partition kernel.inbox_events_before
      for values from (minvalue) to (%L)', first_id);
  end if;
  delete from kernel.inbox_events_before where processed_at < kernel.now() - older_than;
  return dropped;
end $function$;

CREATE OR REPLACE FUNCTION kernel.emit(p_type text, p_schema_version integer, p_aggregate_type text, p_ids uuid[], p_tenant_ids uuid[], p_aggregate_ids uuid[], p_aggregate_versions bigint[], p_payloads jsonb[], p_traceparent text, p_written_by text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  v_transaction_id bigint := pg_current_xact_id()::text::bigint;
begin
  insert into kernel.outbox_events (id, tenant_id, type, schema_version, aggregate_type,
    aggregate_id, aggregate_version, payload, traceparent, written_by, transaction_id)
  select e.id, e.tenant_id, p_type, p_schema_version, p_aggregate_type,
    e.aggregate_id, e.aggregate_version, e.payload, p_traceparent, p_written_by, v_transaction_id
  from unnest(p_ids, p_tenant_ids, p_aggregate_ids, p_aggregate_versions, p_payloads)
    with ordinality e (id, tenant_id, aggregate_id, aggregate_version, payload, ordinal)
  order by e.ordinal;
end $function$;

CREATE OR REPLACE FUNCTION kernel.first_id_of(moment timestamp with time zone)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ((lpad(to_hex(((EXTRACT(epoch FROM moment) * (1000)::numeric))::bigint), 12, '0'::text) || repeat('0'::text, 20)))::uuid;

CREATE OR REPLACE FUNCTION kernel.hold_tenant()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if current_setting('kernel.tenant_work', true) = 'on' then
    return case when tg_op = 'DELETE' then old else new end;
  end if;
  if tg_op <> 'INSERT' and tg_argv[0] = 'skip' then
    return null;
  end if;
  raise exception 'the tenant is frozen' using errcode = '55P03';
end $function$;

CREATE OR REPLACE FUNCTION kernel.keep_parts(parent regclass, unit text, keep interval, ahead interval DEFAULT '35 days'::interval)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  schema text;
  base text;
  by_id boolean;
  step interval := ('1 ' || unit)::interval;
  low timestamptz;
  next timestamptz;
  part record;
  dropped int := 0;
begin
  perform pg_advisory_xact_lock(hashtextextended('kernel.parts ' || parent::oid, 0));
  select n.nspname, c.relname, a.atttypid = 'uuid'::regtype into strict schema, base, by_id
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    join pg_partitioned_table p on p.partrelid = c.oid
    join pg_attribute a on a.attrelid = c.oid and a.attnum = p.partattrs[0]
    where c.oid = parent;
  select max(to_timestamp(substring(c.relname from '_p(\d{8})$') || '+00', 'YYYYMMDDTZH')) into low
    from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = parent;
  if low is null then
    low := date_trunc(unit, now() at time zone 'UTC') at time zone 'UTC';
    execute format('create table %I.%I (like %I.%I including all)', schema, base || '_before', schema, base);
    execute format('alter table %I.%I attach partition %I.%I for values from (minvalue) to (%L)',
      schema, base, schema, base || '_before',
      case when by_id then kernel.first_id_of(low)::text else low::text end);
  else
    low := ((low at time zone 'UTC') + step) at time zone 'UTC';
  end if;
  while low <= now() + ahead loop
    next := ((low at time zone 'UTC') + step) at time zone 'UTC';
    execute format('create table %I.%I (like %I.%I including all)',
      schema, base || '_p' || to_char(low at time zone 'UTC', 'YYYYMMDD'), schema, base);
    execute format('alter table %I.%I attach partition %I.%I for values from (%L) to (%L)',
      schema, base, schema, base || '_p' || to_char(low at time zone 'UTC', 'YYYYMMDD'),
      case when by_id then kernel.first_id_of(low)::text else low::text end,
      case when by_id then kernel.first_id_of(next)::text else next::text end);
    low := next;
  end loop;
  for part in
    select c.relname as name,
      to_timestamp(substring(c.relname from '_p(\d{8})$') || '+00', 'YYYYMMDDTZH') as low
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = parent and c.relname ~ '_p\d{8}$' order by c.relname
  loop
    next := ((part.low at time zone 'UTC') + step) at time zone 'UTC';
    exit when next > kernel.now() - keep or next > now();
    execute format('drop table %I.%I', schema, part.name);
    dropped := dropped + 1;
  end loop;
  return dropped;
end $function$;

CREATE OR REPLACE FUNCTION kernel.lane_of(aggregate uuid)
 RETURNS smallint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ((uuid_hash_extended(aggregate, (0)::bigint) & (15)::bigint))::smallint;

CREATE OR REPLACE FUNCTION kernel.last_word(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select kernel.plain(regexp_replace(rtrim(value), '^.*[[:space:]]', ''))
$function$;

CREATE OR REPLACE FUNCTION kernel.make_append_only(target regclass, VARIADIC allowed text[] DEFAULT '{}'::text[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  execute format('create trigger append_only before update or delete on %s
    for each row execute function kernel.refuse_change(%s)',
    target, (select string_agg(quote_literal(reason), ', ') from unnest(allowed) as reason));
  execute format('create trigger append_only_truncate before truncate on %s
    for each statement execute function kernel.refuse_change()', target);
end $function$;

CREATE OR REPLACE FUNCTION kernel.now()
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (now() + make_interval(secs => (0)::double precision));

CREATE OR REPLACE FUNCTION kernel.plain(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select lower(regexp_replace(normalize(value, nfkd), '[\u0300-\u036f]', '', 'g'))
$function$;

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
  if tg_op in ('UPDATE', 'DELETE') and current_setting('dodeca.allowed_change', true) = any(tg_argv)
  then
    return coalesce(new, old);
  end if;
  raise exception '%.% is append-only', tg_table_schema, tg_table_name
    using errcode = '42501', constraint = 'append_only';
end $function$;

CREATE OR REPLACE FUNCTION kernel.replace_now()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  execute format(
    'create or replace function kernel.now() returns timestamptz language sql stable parallel safe '
    'return now() + make_interval(secs => %s)', new.offset_seconds);
  return null;
end $function$;

create schema identity;

create domain identity.aal as text CHECK ((VALUE = ANY (ARRAY['aal1'::text, 'aal2'::text])));

create domain identity.client_name as text CHECK (((octet_length(VALUE) >= 1) AND (octet_length(VALUE) <= 300)));

create domain identity.revoked_reason as text CHECK ((VALUE = ANY (ARRAY['logout'::text, 'admin'::text, 'password_reset'::text, 'password_change'::text, 'refresh_reuse'::text, 'account_disabled'::text, 'account_deleted'::text, 'address_proven'::text, 'too_many'::text, 'membership_ended'::text, 'code_reuse'::text, 'client'::text])));

create domain identity.scope as text[] CHECK (((cardinality(VALUE) <= 20) AND (octet_length(array_to_string(VALUE, ' '::text)) <= 1000)));

create table identity.accounts (
  tenant_id uuid not null,
  id uuid not null,
  kind text not null default 'person'::text,
  email text,
  email_normalized text collate "C" not null,
  email_scope uuid not null,
  status text not null,
  verified_at timestamp with time zone,
  display_name text,
  locale text,
  profile jsonb not null default '{}'::jsonb,
  metadata jsonb not null default '{}'::jsonb,
  version bigint not null default 1,
  created_at timestamp with time zone not null default kernel.now(),
  constraint accounts_kind_check CHECK ((kind = ANY (ARRAY['person'::text, 'anonymous'::text]))),
  constraint accounts_pkey PRIMARY KEY (id),
  constraint accounts_status_check CHECK ((status = ANY (ARRAY['invited'::text, 'active'::text, 'disabled'::text, 'deleted'::text]))),
  constraint accounts_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES identity.tenants(id),
  constraint accounts_tenant_id_id_key UNIQUE (tenant_id, id)
);
CREATE UNIQUE INDEX accounts_email ON identity.accounts USING btree (email_scope, email_normalized) WHERE (status <> 'deleted'::text);
CREATE INDEX accounts_email_words ON identity.accounts USING btree (tenant_id, kernel.plain(email_normalized));
CREATE INDEX accounts_last_word ON identity.accounts USING btree (tenant_id, kernel.last_word(display_name) COLLATE "C");
CREATE INDEX accounts_name_words ON identity.accounts USING btree (tenant_id, kernel.plain(display_name) COLLATE "C");
CREATE INDEX accounts_tenant_email ON identity.accounts USING btree (tenant_id, email_normalized, id);

create table identity.anonymous_accounts (
  tenant_id uuid not null,
  account_id uuid not null,
  due_at timestamp with time zone,
  attempts integer not null default 0,
  lease_token uuid,
  leased_until timestamp with time zone,
  last_error_code text,
  constraint anonymous_accounts_pkey PRIMARY KEY (tenant_id, account_id),
  constraint anonymous_accounts_tenant_id_account_id_fkey FOREIGN KEY (tenant_id, account_id) REFERENCES identity.accounts(tenant_id, id)
);
CREATE INDEX anonymous_accounts_due ON identity.anonymous_accounts USING btree (due_at) WHERE (due_at IS NOT NULL);

create table identity.api_keys (
  tenant_id uuid not null,
  id uuid not null,
  account_id uuid,
  made_by uuid not null,
  name text not null,
  prefix text not null,
  secret_hash bytea not null,
  permissions text[] not null,
  state text not null default 'active'::text,
  version bigint not null default 1,
  created_at timestamp with time zone not null default kernel.now(),
  last_used_at timestamp with time zone,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  constraint api_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES identity.accounts(id),
  constraint api_keys_one_duty CHECK ((identity.duties_of(permissions) <= 1)),
  constraint api_keys_pkey PRIMARY KEY (id),
  constraint api_keys_state_check CHECK ((state = ANY (ARRAY['active'::text, 'revoked'::text, 'expired'::text]))),
  constraint api_keys_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES identity.tenants(id),
  constraint api_keys_tenant_id_id_key UNIQUE (tenant_id, id)
);
CREATE INDEX api_keys_account ON identity.api_keys USING btree (tenant_id, account_id, id);
CREATE INDEX api_keys_organization ON identity.api_keys USING btree (tenant_id, id) WHERE (account_id IS NULL);
CREATE INDEX api_keys_owner ON identity.api_keys USING btree (account_id, id);
CREATE INDEX api_keys_prefix ON identity.api_keys USING btree (tenant_id, prefix);
CREATE INDEX api_keys_revoked_at ON identity.api_keys USING btree (revoked_at) WHERE (revoked_at IS NOT NULL);

create table identity.client_secrets (
  tenant_id uuid not null,
  client_id uuid not null,
  id uuid not null,
  secret_hash bytea not null,
  created_at timestamp with time zone not null default kernel.now(),
  expires_at timestamp with time zone,
  constraint client_secrets_pkey PRIMARY KEY (tenant_id, client_id, id),
  constraint client_secrets_tenant_id_client_id_fkey FOREIGN KEY (tenant_id, client_id) REFERENCES identity.clients(tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX client_secrets_expires_at ON identity.client_secrets USING btree (expires_at) WHERE (expires_at IS NOT NULL);

create table identity.clients (
  tenant_id uuid not null,
  id uuid not null,
  name text not null,
  type text not null,
  redirect_uris text[] not null,
  scopes jsonb not null,
  uri text collate "C",
  first_party boolean not null,
  origins text[] not null default '{}'::text[],
  version bigint not null default 1,
  created_at timestamp with time zone not null default kernel.now(),
  updated_at timestamp with time zone not null default kernel.now(),
  deleted_at timestamp with time zone,
  constraint clients_check CHECK (((type <> 'api'::text) OR ((uri IS NOT NULL) AND (redirect_uris = '{}'::text[]) AND (NOT first_party)))),
  constraint clients_pkey PRIMARY KEY (id),
  constraint clients_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES identity.tenants(id),
  constraint clients_tenant_id_id_key UNIQUE (tenant_id, id),
  constraint clients_type_check CHECK ((type = ANY (ARRAY['web'::text, 'spa'::text, 'native'::text, 'api'::text])))
);
CREATE UNIQUE INDEX clients_audience ON identity.clients USING btree (uri) WHERE ((type = 'api'::text) AND (deleted_at IS NULL));
CREATE INDEX clients_deleted_at ON identity.clients USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);
CREATE INDEX clients_list ON identity.clients USING btree (tenant_id, id DESC) WHERE (deleted_at IS NULL);
CREATE INDEX clients_origins ON identity.clients USING gin (origins) WHERE ((deleted_at IS NULL) AND (origins <> '{}'::text[]));

create table identity.connections (
  tenant_id uuid not null,
  id uuid not null,
  name text not null,
  kind text not null,
  preset text,
  issuer text,
  client_id text not null,
  secret bytea,
  apple jsonb,
  endpoints jsonb,
  fields jsonb,
  scopes text[],
  trust_email boolean not null,
  jit boolean not null,
  mfa_values text[] not null,
  role_map jsonb not null,
  state text not null default 'active'::text,
  editor_id uuid not null,
  version bigint not null default 1,
  created_at timestamp with time zone not null default kernel.now(),
  updated_at timestamp with time zone not null default kernel.now(),
  deleted_at timestamp with time zone,
  constraint connections_kind_check CHECK ((kind = ANY (ARRAY['oidc'::text, 'oauth2'::text]))),
  constraint connections_pkey PRIMARY KEY (id),
  constraint connections_state_check CHECK ((state = ANY (ARRAY['active'::text, 'disabled'::text]))),
  constraint connections_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES identity.tenants(id),
  constraint connections_tenant_id_id_key UNIQUE (tenant_id, id)
);
CREATE INDEX connections_deleted_at ON identity.connections USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);
CREATE INDEX connections_list ON identity.connections USING btree (tenant_id, id DESC) WHERE (deleted_at IS NULL);

create table identity.credentials (
  tenant_id uuid not null,
  account_id uuid not null,
  password_hash bytea not null,
  password_changed_at timestamp with time zone not null default kernel.now(),
  constraint credentials_pkey PRIMARY KEY (account_id),
  constraint credentials_tenant_id_account_id_fkey FOREIGN KEY (tenant_id, account_id) REFERENCES identity.accounts(tenant_id, id)
);

create table identity.email_changes (
  tenant_id uuid not null,
  id uuid not null,
  account_id uuid not null,
  email text not null,
  email_normalized text collate "C" not null,
  status text not null default 'pending'::text,
  expires_at timestamp with time zone not null,
  created_at timestamp with time zone not null default kernel.now(),
  constraint email_changes_pkey PRIMARY KEY (id),
  constraint email_changes_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'completed'::text, 'superseded'::text, 'expired'::text, 'refused'::text]))),
  constraint email_changes_tenant_id_account_id_fkey FOREIGN KEY (tenant_id, account_id) REFERENCES identity.accounts(tenant_id, id),
  constraint email_changes_tenant_id_id_key UNIQUE (tenant_id, id)
);
CREATE INDEX email_changes_account ON identity.email_changes USING btree (account_id);
CREATE INDEX email_changes_expires_at ON identity.email_changes USING btree (expires_at);

create table identity.external_identities (
  tenant_id uuid not null,
  id uuid not null,
  account_id uuid not null,
  provider text not null,
  issuer text not null,
  subject text,
  created_at timestamp with time zone not null default kernel.now(),
  unlinked_at timestamp with time zone,
  constraint external_identities_identity UNIQUE (issuer, subject),
  constraint external_identities_pkey PRIMARY KEY (id),
  constraint external_identities_tenant_id_account_id_fkey FOREIGN KEY (tenant_id, account_id) REFERENCES identity.accounts(tenant_id, id),
  constraint external_identities_unlinked CHECK (((subject IS NULL) = (unlinked_at IS NOT NULL)))
);
CREATE INDEX external_identities_account ON identity.external_identities USING btree (account_id);

create table identity.factor_resets (
  tenant_id uuid not null,
  id uuid not null,
  account_id uuid not null,
  requested_by uuid not null,
  reason text not null,
  state text not null default 'waiting'::text,
  effective_at timestamp with time zone not null,
  created_at timestamp with time zone not null default kernel.now(),
  ended_at timestamp with time zone,
  due_at timestamp with time zone,
  attempts integer not null default 0,
  lease_token uuid,
  leased_until timestamp with time zone,
  last_error_code text,
  constraint factor_resets_check CHECK (((state = 'waiting'::text) = (ended_at IS NULL))),
  constraint factor_resets_pkey PRIMARY KEY (id),
  constraint factor_resets_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'done'::text, 'stopped'::text, 'withdrawn'::text, 'lapsed'::text]))),
  constraint factor_resets_tenant_id_account_id_fkey FOREIGN KEY (tenant_id, account_id) REFERENCES identity.accounts(tenant_id, id),
  constraint factor_resets_tenant_id_id_key UNIQUE (tenant_id, id)
);
CREATE INDEX factor_resets_account ON identity.factor_resets USING btree (tenant_id, account_id, id);
CREATE INDEX factor_resets_due ON identity.factor_resets USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE UNIQUE INDEX factor_resets_waiting ON identity.factor_resets USING btree (account_id) WHERE (state = 'waiting'::text);

create table identity.gone_sessions (
  id uuid not null,
  gone_at timestamp with time zone not null default kernel.now(),
  moved_tenant_id uuid,
  constraint gone_sessions_pkey PRIMARY KEY (id)
);
CREATE INDEX gone_sessions_gone_at ON identity.gone_sessions USING btree (gone_at);

create table identity.invitations (
  tenant_id uuid not null,
  id uuid not null,
  email text not null,
  email_normalized text collate "C" not null,
  role_ids text[] not null,
  state text not null default 'pending'::text,
  invited_by uuid not null,
  expires_at timestamp with time zone not null,
  version bigint not null default 1,
  created_at timestamp with time zone not null default kernel.now(),
  constraint invitations_pkey PRIMARY KEY (tenant_id, id),
  constraint invitations_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'accepted'::text, 'declined'::text, 'withdrawn'::text]))),
  constraint invitations_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES identity.tenants(id)
);
CREATE INDEX invitations_address ON identity.invitations USING btree (email_normalized, id);
CREATE INDEX invitations_expires_at ON identity.invitations USING btree (expires_at);
CREATE UNIQUE INDEX invitations_pending ON identity.invitations USING btree (tenant_id, email_normalized) WHERE (state = 'pending'::text);

create table identity.mails (
  tenant_id uuid not null,
  id uuid not null,
  account_id uuid,
  template text not null,
  address text not null,
  locale text,
  purpose text,
  ref uuid,
  key_id text,
  invitation_id uuid,
  created_at timestamp with time zone not null default kernel.now(),
  constraint mails_check CHECK (((purpose IS NULL) = (ref IS NULL))),
  constraint mails_pkey PRIMARY KEY (id),
  constraint mails_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES identity.tenants(id)
);
CREATE INDEX mails_account ON identity.mails USING btree (account_id);
CREATE INDEX mails_created_at ON identity.mails USING btree (created_at);
CREATE INDEX mails_invitation ON identity.mails USING btree (invitation_id) WHERE (invitation_id IS NOT NULL);

create table identity.mfa_methods (
  tenant_id uuid not null,
  id uuid not null,
  account_id uuid not null,
  type text not null,
  encrypted_secret_or_public_key bytea,
  status text not null,
  label text not null,
  credential_id text collate "C",
  transports text[],
  registration_challenge text,
  last_used_step bigint,
  sign_count bigint,
  last_used_at timestamp with time zone,
  version bigint not null default 1,
  created_at timestamp with time zone not null default kernel.now(),
  constraint mfa_methods_pkey PRIMARY KEY (id),
  constraint mfa_methods_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'active'::text, 'removed'::text]))),
  constraint mfa_methods_tenant_id_account_id_fkey FOREIGN KEY (tenant_id, account_id) REFERENCES identity.accounts(tenant_id, id),
  constraint mfa_methods_tenant_id_id_key UNIQUE (tenant_id, id),
  constraint mfa_methods_type_check CHECK ((type = ANY (ARRAY['totp'::text, 'webauthn'::text, 'passkey'::text])))
);
CREATE INDEX mfa_methods_account ON identity.mfa_methods USING btree (account_id, status);
CREATE UNIQUE INDEX mfa_methods_credential ON identity.mfa_methods USING btree (credential_id) WHERE ((credential_id IS NOT NULL) AND (status <> 'removed'::text));

create table identity.one_time_challenges (
  id_hash bytea not null,
  tenant_id uuid not null,
  account_id uuid,
  purpose text not null,
  ref uuid not null,
  key_id text,
  method_id uuid,
  parent_hash bytea,
  details jsonb not null default '{}'::jsonb,
  attempts integer not null default 0,
  expires_at timestamp with time zone not null,
  consumed_at timestamp with time zone,
  created_at timestamp with time zone not null default kernel.now(),
  constraint one_time_challenges_pkey PRIMARY KEY (id_hash),
  constraint one_time_challenges_purpose_check CHECK ((purpose = ANY (ARRAY['email_verification'::text, 'password_reset'::text, 'mfa_login'::text, 'mfa_step_up'::text, 'oidc_state'::text, 'oidc_ticket'::text, 'invite'::text, 'email_change'::text, 'login_code'::text, 'passkey_login'::text, 'factor_reset_stop'::text, 'oauth_code'::text]))),
  constraint one_time_challenges_tenant_id_account_id_fkey FOREIGN KEY (tenant_id, account_id) REFERENCES identity.accounts(tenant_id, id),
  constraint one_time_challenges_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES identity.tenants(id)
);
CREATE INDEX one_time_challenges_account ON identity.one_time_challenges USING btree (account_id, purpose) WHERE (consumed_at IS NULL);
CREATE INDEX one_time_challenges_address ON identity.one_time_challenges USING btree (((details ->> 'email_normalized'::text))) WHERE (purpose = ANY (ARRAY['login_code'::text, 'oidc_ticket'::text]));
CREATE INDEX one_time_challenges_expires_at ON identity.one_time_challenges USING btree (expires_at);
CREATE UNIQUE INDEX one_time_challenges_ref ON identity.one_time_challenges USING btree (purpose, ref);

create table identity.organization_domains (
  tenant_id uuid not null,
  id uuid not null,
  domain text collate "C" not null,
  state text not null default 'pending'::text,
  record_value text not null,
  missed_checks integer not null default 0,
  checked_at timestamp with time zone,
  version bigint not null default 1,
  created_at timestamp with time zone not null default kernel.now(),
  removed_at timestamp with time zone,
  due_at timestamp with time zone,
  attempts integer not null default 0,
  lease_token uuid,
  leased_until timestamp with time zone,
  last_error_code text,
  constraint organization_domains_pkey PRIMARY KEY (tenant_id, id),
  constraint organization_domains_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'verified'::text, 'lost'::text, 'removed'::text]))),
  constraint organization_domains_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES identity.tenants(id)
);
CREATE UNIQUE INDEX organization_domains_claimed ON identity.organization_domains USING btree (tenant_id, domain) WHERE (state <> 'removed'::text);
CREATE INDEX organization_domains_due ON identity.organization_domains USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX organization_domains_removed ON identity.organization_domains USING btree (removed_at) WHERE (removed_at IS NOT NULL);
CREATE UNIQUE INDEX organization_domains_verified ON identity.organization_domains USING btree (domain) WHERE (state = 'verified'::text);

create table identity.recovery_codes (
  tenant_id uuid not null,
  account_id uuid not null,
  code_hash bytea not null,
  used_at timestamp with time zone,
  created_at timestamp with time zone not null default kernel.now(),
  constraint recovery_codes_pkey PRIMARY KEY (account_id, code_hash),
  constraint recovery_codes_tenant_id_account_id_fkey FOREIGN KEY (tenant_id, account_id) REFERENCES identity.accounts(tenant_id, id)
);

create table identity.registrations (
  tenant_id uuid not null,
  id uuid not null,
  email text not null,
  email_normalized text collate "C" not null,
  email_scope uuid not null,
  password_hash bytea not null,
  display_name text,
  locale text,
  profile jsonb,
  state text not null default 'pending'::text,
  expires_at timestamp with time zone not null,
  created_at timestamp with time zone not null default kernel.now(),
  constraint registrations_pkey PRIMARY KEY (id),
  constraint registrations_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'completed'::text, 'superseded'::text, 'expired'::text]))),
  constraint registrations_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES identity.tenants(id),
  constraint registrations_tenant_id_id_key UNIQUE (tenant_id, id)
);
CREATE INDEX registrations_expires_at ON identity.registrations USING btree (expires_at);
CREATE INDEX registrations_pending ON identity.registrations USING btree (email_scope, email_normalized, id) WHERE (state = 'pending'::text);

create table identity.requests (
  tenant_id uuid not null,
  id uuid not null,
  kind text not null,
  status text not null default 'accepted'::text,
  expires_at timestamp with time zone not null,
  created_at timestamp with time zone not null default kernel.now(),
  constraint requests_kind_check CHECK ((kind = ANY (ARRAY['password_reset'::text, 'email_verification'::text, 'login_code'::text]))),
  constraint requests_pkey PRIMARY KEY (id),
  constraint requests_status_check CHECK ((status = ANY (ARRAY['accepted'::text, 'completed'::text, 'expired'::text]))),
  constraint requests_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES identity.tenants(id),
  constraint requests_tenant_id_id_key UNIQUE (tenant_id, id)
);
CREATE INDEX requests_expires_at ON identity.requests USING btree (expires_at);

create table identity.role_assignments (
  account_id uuid not null,
  tenant_id uuid not null,
  role_id text collate "C" not null,
  assigned_by text not null,
  created_at timestamp with time zone not null default kernel.now(),
  constraint role_assignments_account_id_fkey FOREIGN KEY (account_id) REFERENCES identity.accounts(id),
  constraint role_assignments_pkey PRIMARY KEY (tenant_id, account_id, role_id),
  constraint role_assignments_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES identity.tenants(id)
);
CREATE INDEX role_assignments_account ON identity.role_assignments USING btree (account_id);

create table identity.role_permissions (
  tenant_id uuid not null,
  role_id text collate "C" not null,
  permission text collate "C" not null,
  duty text generated always as identity.duty_of(permission) stored,
  constraint role_permissions_one_duty EXCLUDE USING gist (tenant_id WITH =, role_id WITH =, duty WITH <>) WHERE ((duty IS NOT NULL)),
  constraint role_permissions_pkey PRIMARY KEY (tenant_id, role_id, permission),
  constraint role_permissions_tenant_id_role_id_fkey FOREIGN KEY (tenant_id, role_id) REFERENCES identity.roles(tenant_id, role_id) ON DELETE CASCADE
);

create table identity.roles (
  tenant_id uuid not null,
  role_id text collate "C" not null,
  name text not null,
  created_at timestamp with time zone not null default kernel.now(),
  constraint roles_pkey PRIMARY KEY (tenant_id, role_id),
  constraint roles_role_id_check CHECK ((role_id ~ '^[a-z][a-z0-9_]{2,39}$'::text)),
  constraint roles_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES identity.tenants(id)
);

create table identity.security_events (
  id uuid not null,
  tenant_id uuid not null,
  account_id uuid,
  action text not null,
  actor text not null,
  safe_context jsonb not null,
  occurred_at timestamp with time zone not null default kernel.now(),
  constraint security_events_pkey PRIMARY KEY (id, occurred_at)
) partition by RANGE (occurred_at);
CREATE INDEX security_events_account ON ONLY identity.security_events USING btree (tenant_id, account_id, id DESC);
CREATE INDEX security_events_tenant ON ONLY identity.security_events USING btree (tenant_id, id DESC);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON identity.security_events FOR EACH ROW EXECUTE FUNCTION kernel.refuse_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON identity.security_events FOR EACH STATEMENT EXECUTE FUNCTION kernel.refuse_change();

create table identity.sessions (
  tenant_id uuid not null,
  id uuid not null,
  account_id uuid not null,
  token_family_id uuid not null,
  active_tenant_id uuid not null,
  scope identity.scope,
  client_id identity.client_name,
  audience identity.client_name,
  bound_tenant_id uuid,
  connection_id uuid,
  parent_id uuid,
  aal identity.aal not null,
  amr text[] not null,
  auth_time timestamp with time zone not null,
  client_metadata jsonb not null,
  version bigint not null default 1,
  created_at timestamp with time zone not null default kernel.now(),
  last_seen_at timestamp with time zone not null default kernel.now(),
  refresh_hash bytea not null,
  refresh_parent_hash bytea,
  refresh_used_at timestamp with time zone,
  refresh_replays integer not null default 0,
  refresh_expires_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  revoked_reason identity.revoked_reason,
  guest_of uuid[] not null default '{}'::uuid[],
  constraint sessions_active_tenant_id_fkey FOREIGN KEY (active_tenant_id) REFERENCES identity.tenants(id),
  constraint sessions_bound_tenant_id_fkey FOREIGN KEY (bound_tenant_id) REFERENCES identity.tenants(id),
  constraint sessions_check CHECK (((revoked_at IS NULL) = (revoked_reason IS NULL))),
  constraint sessions_narrow CHECK (((scope IS NOT NULL) OR ((client_id IS NULL) AND (audience IS NULL)))),
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_tenant_id_account_id_fkey FOREIGN KEY (tenant_id, account_id) REFERENCES identity.accounts(tenant_id, id),
  constraint sessions_tenant_id_id_key UNIQUE (tenant_id, id)
) with (fillfactor=80);
CREATE INDEX sessions_account ON identity.sessions USING btree (tenant_id, account_id, id);
CREATE INDEX sessions_alive ON identity.sessions USING btree (account_id, id) WHERE (revoked_at IS NULL);
CREATE INDEX sessions_connection ON identity.sessions USING btree (connection_id) WHERE ((connection_id IS NOT NULL) AND (revoked_at IS NULL));
CREATE INDEX sessions_expires_at ON identity.sessions USING btree (expires_at);
CREATE INDEX sessions_of_audience ON identity.sessions USING btree (audience) WHERE ((audience IS NOT NULL) AND (revoked_at IS NULL));
CREATE INDEX sessions_of_client ON identity.sessions USING btree (client_id) WHERE ((client_id IS NOT NULL) AND (revoked_at IS NULL));
CREATE INDEX sessions_parent ON identity.sessions USING btree (parent_id) WHERE ((parent_id IS NOT NULL) AND (revoked_at IS NULL));
CREATE INDEX sessions_revoked_at ON identity.sessions USING btree (revoked_at) WHERE (revoked_at IS NOT NULL);

create table identity.settings (
  name text collate "C" not null,
  value jsonb not null,
  constraint settings_pkey PRIMARY KEY (name)
);

create table identity.sign_in_forms (
  state_hash bytea not null,
  tenant_id uuid not null,
  form bytea not null,
  created_at timestamp with time zone not null default kernel.now(),
  constraint sign_in_forms_pkey PRIMARY KEY (state_hash),
  constraint sign_in_forms_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES identity.tenants(id)
);
CREATE INDEX sign_in_forms_created_at ON identity.sign_in_forms USING btree (created_at);

create table identity.signing_keys (
  kid text collate "C" not null,
  state text not null,
  public_jwk jsonb not null,
  private_key bytea not null,
  created_at timestamp with time zone not null default kernel.now(),
  activates_at timestamp with time zone not null,
  retired_at timestamp with time zone,
  removes_at timestamp with time zone,
  constraint signing_keys_pkey PRIMARY KEY (kid),
  constraint signing_keys_state_check CHECK ((state = ANY (ARRAY['next'::text, 'active'::text, 'retired'::text, 'removed'::text, 'revoked'::text])))
);
CREATE UNIQUE INDEX signing_keys_active ON identity.signing_keys USING btree (state) WHERE (state = 'active'::text);

create table identity.tenants (
  id uuid not null,
  slug text collate "C" not null,
  name text not null,
  signup text not null default 'invite'::text,
  state text not null default 'active'::text,
  made_by uuid,
  trusted boolean not null default true,
  profile_schema jsonb,
  claims jsonb,
  login jsonb,
  theme jsonb,
  version bigint not null default 1,
  created_at timestamp with time zone not null default kernel.now(),
  constraint tenants_pkey PRIMARY KEY (id),
  constraint tenants_signup_check CHECK ((signup = ANY (ARRAY['open'::text, 'invite'::text]))),
  constraint tenants_slug_check CHECK ((slug ~ '^[a-z0-9-]{3,40}$'::text)),
  constraint tenants_slug_key UNIQUE (slug),
  constraint tenants_state_check CHECK ((state = ANY (ARRAY['active'::text, 'disabled'::text])))
);
CREATE INDEX tenants_created_at ON identity.tenants USING btree (created_at);
CREATE INDEX tenants_made_by ON identity.tenants USING btree (made_by) WHERE (made_by IS NOT NULL);
CREATE INDEX tenants_name_words ON identity.tenants USING btree (kernel.plain(name) COLLATE "C");
CREATE INDEX tenants_slug_words ON identity.tenants USING btree (kernel.plain(slug));

create table identity.used_captchas (
  hash bytea not null,
  expires_at timestamp with time zone not null,
  constraint used_captchas_pkey PRIMARY KEY (hash)
);
CREATE INDEX used_captchas_expires_at ON identity.used_captchas USING btree (expires_at);

create table identity.used_realtime_tokens (
  tenant_id uuid not null,
  id uuid not null,
  used_at timestamp with time zone not null default kernel.now(),
  constraint used_realtime_tokens_pkey PRIMARY KEY (tenant_id, id)
);
CREATE INDEX used_realtime_tokens_used_at ON identity.used_realtime_tokens USING btree (used_at);

create view identity.refresh_tokens as
 SELECT sessions.refresh_hash AS id_hash,
    sessions.id AS session_id,
    sessions.refresh_parent_hash AS parent_id_hash,
    NULL::timestamp with time zone AS used_at,
    sessions.refresh_expires_at AS expires_at
   FROM identity.sessions
UNION ALL
 SELECT sessions.refresh_parent_hash AS id_hash,
    sessions.id AS session_id,
    NULL::bytea AS parent_id_hash,
    sessions.refresh_used_at AS used_at,
    sessions.refresh_expires_at AS expires_at
   FROM identity.sessions
  WHERE (sessions.refresh_parent_hash IS NOT NULL);

CREATE OR REPLACE FUNCTION identity.access_claims(declared jsonb, of_profile jsonb, of_metadata jsonb, in_scope text[], for_client text, for_audience text)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
AS $function$
begin
  return identity.claims_of(declared, of_profile, of_metadata, in_scope, 'access_token', least(1024,
    1600 - octet_length(concat(array_to_string(in_scope, ' '), for_client, for_audience))));
end $function$;

CREATE OR REPLACE FUNCTION identity.claims_of(declared jsonb, of_profile jsonb, of_metadata jsonb, in_scope text[], place text, bytes_most integer)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (SELECT jsonb_object_agg(c.name, c.value) AS jsonb_object_agg FROM (SELECT f.name, f.value, sum(((octet_length(f.name) + octet_length((f.value)::text)) + 4)) OVER (ORDER BY f.at) AS bytes FROM (SELECT (e.one ->> 'name'::text) AS name, e.at, (jsonb_build_object('metadata', claims_of.of_metadata, 'profile', CASE WHEN ((claims_of.in_scope IS NULL) OR ('profile'::text = ANY (claims_of.in_scope))) THEN claims_of.of_profile ELSE NULL::jsonb END) #> string_to_array((e.one ->> 'from'::text), '.'::text)) AS value FROM jsonb_array_elements(claims_of.declared) WITH ORDINALITY e(one, at) WHERE ((e.one -> 'in'::text) ? claims_of.place)) f WHERE (f.value <> 'null'::jsonb)) c WHERE (c.bytes <= claims_of.bytes_most));

CREATE OR REPLACE FUNCTION identity.duties_of(permissions text[])
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (SELECT count(DISTINCT identity.duty_of(permission.permission)) AS count FROM unnest(duties_of.permissions) permission(permission));

CREATE OR REPLACE FUNCTION identity.duty_of(permission text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE split_part(permission, ':'::text, 1) WHEN 'identity.support.view'::text THEN 'support'::text WHEN 'payments.refunds.create'::text THEN 'refunds'::text WHEN 'commerce.orders.cancel_any'::text THEN 'refunds'::text WHEN 'commerce.returns.decide'::text THEN 'refunds'::text WHEN 'commerce.returns.receive'::text THEN 'refunds'::text WHEN 'identity.signing_keys.rotate'::text THEN 'keys'::text ELSE NULL::text END;

CREATE OR REPLACE FUNCTION identity.keep_security_event_months(retention_days integer)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  first date;
  child text;
begin
  for first in
    select date_trunc('month', now() at time zone 'UTC')::date + make_interval(months => n)
    from generate_series(0, 2) n
  loop
    child := 'security_events_' || to_char(first, 'YYYY_MM');
    if to_regclass('identity.' || child) is null and not exists (
      select from identity.security_events_other
      where occurred_at >= first and occurred_at < first + interval '1 month')
    then
      execute format('create table if not exists identity.%I partition of identity.security_events
        for values from (%L) to (%L)', child, first, first + interval '1 month');
    end if;
  end loop;
  for child in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'identity.security_events'::regclass
      and c.relname ~ '^security_events_\d{4}_\d\d$'
      and to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month'
        < now() - make_interval(days => retention_days)
  loop
    execute format('drop table identity.%I', child);
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION identity.login_refusal(policy jsonb, for_tenant uuid, of_account uuid, at_level text, by_methods text[], in_scope text[], by_connection uuid, began_at timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
AS $function$
begin
  return case
    when policy is null then null
    when began_at + make_interval(secs => (policy -> 'session_max_seconds')::int)
      <= kernel.now() then 'session_too_old'
    when in_scope is distinct from array['enrolment']
      and identity.needs_enrolment(policy, for_tenant, at_level, by_connection)
      then 'second_factor_required'
    when at_level = 'aal2' and exists (select from identity.role_assignments r
      where r.tenant_id = for_tenant and r.account_id = of_account
        and r.role_id in ('tenant_admin', 'platform_operator')) then null
    when (policy -> 'require_sso')::boolean and not exists (select from identity.connections c
      where c.id = by_connection and c.tenant_id = for_tenant) then 'sso_required'
    when not (policy -> case
        when 'pwd' = any(by_methods) then 'password'
        when 'mail' = any(by_methods) then 'code'
        when 'oidc' = any(by_methods) then 'providers'
        when 'hwk' = any(by_methods) then 'passkey'
      end)::boolean then 'login_method_not_allowed'
  end;
end $function$;

CREATE OR REPLACE FUNCTION identity.needs_enrolment(policy jsonb, for_tenant uuid, at_level text, by_connection uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (COALESCE(((policy -> 'require_mfa'::text))::boolean, false) AND (at_level = 'aal1'::text) AND (NOT (EXISTS (SELECT FROM identity.connections c WHERE ((c.id = needs_enrolment.by_connection) AND (c.tenant_id = needs_enrolment.for_tenant) AND (c.tenant_id <> '01900000-0000-7000-8000-000000000001'::uuid))))));

create schema jobs;

create domain jobs.attempt_state as text CHECK ((VALUE = ANY (ARRAY['running'::text, 'succeeded'::text, 'failed'::text, 'cancelled'::text, 'released'::text, 'lease_expired'::text, 'expired'::text])));

create domain jobs.job_state as text CHECK ((VALUE = ANY (ARRAY['pending'::text, 'retryable'::text, 'running'::text, 'succeeded'::text, 'failed'::text, 'cancelled'::text, 'expired'::text])));

create domain jobs.positive as integer CHECK ((VALUE >= 1));

create domain jobs.priority as smallint CHECK (((VALUE >= 0) AND (VALUE <= 9)));

create domain jobs.step_kind as text CHECK ((VALUE = ANY (ARRAY['write'::text, 'run'::text, 'sleep'::text, 'event'::text, 'signal'::text, 'invoke'::text, 'undo'::text])));

create domain jobs.step_state as text CHECK ((VALUE = ANY (ARRAY['waiting'::text, 'retrying'::text, 'done'::text, 'failed'::text, 'timed_out'::text])));

create table jobs.deleted_schedules (
  tenant_id uuid not null,
  name text collate "C" not null,
  type text collate "C" not null,
  principal_id uuid not null,
  deleted_at timestamp with time zone not null default kernel.now(),
  constraint deleted_schedules_pkey PRIMARY KEY (tenant_id, name)
);
CREATE INDEX deleted_schedules_deleted_at ON jobs.deleted_schedules USING btree (deleted_at);

create table jobs.job_attempts (
  id uuid not null,
  job_id uuid not null,
  tenant_id uuid not null,
  type text collate "C" not null,
  schema_version integer not null,
  attempt_no integer not null,
  worker_id uuid not null,
  claim_id uuid,
  lease_token kernel.digest not null,
  state jobs.attempt_state not null,
  leased_until timestamp with time zone not null,
  heartbeat_at timestamp with time zone not null,
  started_at timestamp with time zone not null,
  lease_seconds integer not null,
  timeout_at timestamp with time zone not null,
  completed_at timestamp with time zone,
  error_code text,
  constraint job_attempts_check CHECK (((completed_at IS NULL) = ((state)::text = 'running'::text))),
  constraint job_attempts_job_id_attempt_no_key UNIQUE (job_id, attempt_no),
  constraint job_attempts_pkey PRIMARY KEY (id)
) with (autovacuum_vacuum_scale_factor=0.02, fillfactor=70);
CREATE INDEX job_attempts_claim ON jobs.job_attempts USING btree (claim_id) WHERE (((state)::text = 'running'::text) AND (claim_id IS NOT NULL));
CREATE INDEX job_attempts_counted ON jobs.job_attempts USING btree (tenant_id, type) WHERE ((state)::text = 'running'::text);
CREATE UNIQUE INDEX job_attempts_running ON jobs.job_attempts USING btree (job_id) WHERE ((state)::text = 'running'::text);

create table jobs.job_checkpoints (
  job_id uuid not null,
  tenant_id uuid not null,
  attempt_id uuid,
  body jsonb not null,
  saved_at timestamp with time zone not null default kernel.now(),
  constraint job_checkpoints_pkey PRIMARY KEY (job_id)
) with (fillfactor=70);

create table jobs.job_dependencies (
  job_id uuid not null,
  depends_on_job_id uuid not null,
  tenant_id uuid not null,
  required_state text not null,
  satisfied_at timestamp with time zone,
  constraint job_dependencies_check CHECK ((job_id <> depends_on_job_id)),
  constraint job_dependencies_pkey PRIMARY KEY (job_id, depends_on_job_id),
  constraint job_dependencies_required_state_check CHECK ((required_state = ANY (ARRAY['succeeded'::text, 'terminal'::text])))
);
CREATE INDEX job_dependencies_open ON jobs.job_dependencies USING btree (depends_on_job_id) WHERE (satisfied_at IS NULL);

create table jobs.job_events (
  job_id uuid not null,
  sequence integer not null,
  tenant_id uuid not null,
  id uuid not null default gen_random_uuid(),
  type text not null,
  data jsonb not null default '{}'::jsonb,
  occurred_at timestamp with time zone not null default kernel.now(),
  principal_id uuid,
  constraint job_events_pkey PRIMARY KEY (job_id, sequence)
);
CREATE INDEX job_events_principal ON jobs.job_events USING btree (principal_id) WHERE (principal_id IS NOT NULL);

create table jobs.job_inputs (
  job_id uuid not null,
  tenant_id uuid not null,
  parameters json not null,
  constraint job_inputs_pkey PRIMARY KEY (job_id)
);

create table jobs.job_progress (
  job_id uuid not null,
  sequence integer not null,
  tenant_id uuid not null,
  stage text not null,
  current bigint not null,
  total bigint,
  message_code text,
  recorded_at timestamp with time zone not null default kernel.now(),
  constraint job_progress_pkey PRIMARY KEY (job_id, sequence)
);

create table jobs.job_queue (
  tenant_id uuid not null,
  job_id uuid not null,
  type text collate "C" not null,
  schema_version integer not null,
  rank smallint not null,
  ready_at timestamp with time zone not null default now(),
  wake_at timestamp with time zone,
  deadline_at timestamp with time zone,
  constraint job_queue_pkey PRIMARY KEY (tenant_id, job_id)
) with (autovacuum_vacuum_cost_delay=0, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=2000);
CREATE INDEX job_queue_deadline_at ON jobs.job_queue USING btree (deadline_at) WHERE (deadline_at IS NOT NULL);
CREATE INDEX job_queue_ready ON jobs.job_queue USING btree (type, schema_version, tenant_id, rank, ready_at, job_id) WHERE (wake_at IS NULL);
CREATE INDEX job_queue_wake_at ON jobs.job_queue USING btree (wake_at) WHERE ((wake_at IS NOT NULL) AND (wake_at < 'infinity'::timestamp with time zone));

create table jobs.job_results (
  id uuid not null,
  job_id uuid not null,
  tenant_id uuid not null,
  attempt_id uuid not null,
  media_type text not null,
  size bigint not null,
  checksum_sha256 bytea not null,
  body bytea,
  blob_key text,
  created_at timestamp with time zone not null default kernel.now(),
  constraint job_results_check CHECK (((body IS NULL) <> (blob_key IS NULL))),
  constraint job_results_checksum_sha256_check CHECK ((octet_length(checksum_sha256) = 32)),
  constraint job_results_pkey PRIMARY KEY (id)
);
CREATE INDEX job_results_attempt ON jobs.job_results USING btree (attempt_id);
CREATE INDEX job_results_bytes ON jobs.job_results USING btree (id) WHERE (blob_key IS NOT NULL);
CREATE INDEX job_results_created_at ON jobs.job_results USING btree (created_at);

create table jobs.job_rules (
  tenant_id uuid not null,
  name text collate "C" not null,
  id uuid not null,
  principal_id uuid not null,
  session_id uuid,
  event text collate "C" not null,
  conditions json not null,
  type text collate "C" not null,
  schema_version integer not null,
  parameters json not null,
  priority smallint not null,
  delay_seconds integer not null,
  state text not null,
  reason text,
  from_position bigint not null,
  from_cell uuid not null,
  runs bigint not null default 0,
  hour_began timestamp with time zone not null default kernel.now(),
  runs_in_hour integer not null default 0,
  last_run_at timestamp with time zone,
  last_job_id uuid,
  missed bigint not null default 0,
  last_error_code text,
  missed_said_at timestamp with time zone,
  version integer not null default 1,
  created_at timestamp with time zone not null default kernel.now(),
  updated_at timestamp with time zone not null default kernel.now(),
  constraint job_rules_pkey PRIMARY KEY (tenant_id, name),
  constraint job_rules_state_check CHECK ((state = ANY (ARRAY['active'::text, 'paused'::text, 'disabled'::text, 'deleted'::text])))
) with (fillfactor=70);
CREATE INDEX job_rules_deleted ON jobs.job_rules USING btree (updated_at) WHERE (state = 'deleted'::text);
CREATE INDEX job_rules_events ON jobs.job_rules USING btree (tenant_id, event) WHERE (state = 'active'::text);
CREATE UNIQUE INDEX job_rules_id ON jobs.job_rules USING btree (tenant_id, id);
CREATE INDEX job_rules_principal ON jobs.job_rules USING btree (principal_id);

create table jobs.job_schedules (
  tenant_id uuid not null,
  name text collate "C" not null,
  id uuid not null,
  principal_id uuid not null,
  type text collate "C" not null,
  schema_version integer not null,
  parameters json not null,
  cron text not null,
  timezone text not null,
  enabled boolean not null default true,
  catch_up text not null default 'latest'::text,
  overlap text not null default 'allow'::text,
  priority smallint not null default 5,
  next_run_at timestamp with time zone,
  last_run_at timestamp with time zone,
  last_job_id uuid,
  last_error_code text,
  version integer not null default 1,
  created_at timestamp with time zone not null default kernel.now(),
  updated_at timestamp with time zone not null default kernel.now(),
  paused_at timestamp with time zone,
  paused_reason text,
  session_id uuid,
  constraint job_schedules_catch_up_check CHECK ((catch_up = ANY (ARRAY['skip'::text, 'latest'::text, 'all'::text]))),
  constraint job_schedules_check CHECK (((paused_at IS NULL) = (paused_reason IS NULL))),
  constraint job_schedules_check1 CHECK (((paused_at IS NULL) OR (NOT enabled))),
  constraint job_schedules_id_key UNIQUE (id),
  constraint job_schedules_name_check CHECK ((name ~ '^[a-z0-9][a-z0-9_.-]{0,99}$'::text)),
  constraint job_schedules_overlap_check CHECK ((overlap = ANY (ARRAY['allow'::text, 'skip'::text]))),
  constraint job_schedules_paused_reason_check CHECK ((paused_reason = 'owner_revoked'::text)),
  constraint job_schedules_pkey PRIMARY KEY (tenant_id, name),
  constraint job_schedules_priority_check CHECK (((priority >= 0) AND (priority <= 9)))
);
CREATE INDEX job_schedules_due ON jobs.job_schedules USING btree (next_run_at) WHERE enabled;

create table jobs.job_signals (
  tenant_id uuid not null,
  job_id uuid not null,
  id uuid not null,
  number bigint not null generated always as identity,
  name text collate "C" not null,
  data json not null,
  principal_id uuid,
  created_at timestamp with time zone not null default kernel.now(),
  step text collate "C",
  constraint job_signals_pkey PRIMARY KEY (tenant_id, job_id, id)
);
CREATE INDEX job_signals_principal ON jobs.job_signals USING btree (principal_id) WHERE (principal_id IS NOT NULL);
CREATE INDEX job_signals_unread ON jobs.job_signals USING btree (tenant_id, job_id, name, number) WHERE (step IS NULL);

create table jobs.job_steps (
  tenant_id uuid not null,
  job_id uuid not null,
  name text collate "C" not null,
  sequence integer not null,
  kind jobs.step_kind not null,
  state jobs.step_state not null,
  attempts smallint not null default 0,
  result json,
  error_code text,
  until timestamp with time zone,
  awaited text,
  "position" bigint,
  child_job_id uuid,
  created_at timestamp with time zone not null default kernel.now(),
  completed_at timestamp with time zone,
  constraint job_steps_pkey PRIMARY KEY (tenant_id, job_id, name)
) with (fillfactor=70);

create table jobs.job_type_versions (
  type text collate "C" not null,
  schema_version integer not null,
  parameters_schema jsonb not null,
  result_schema jsonb,
  created_at timestamp with time zone not null default kernel.now(),
  constraint job_type_versions_pkey PRIMARY KEY (type, schema_version),
  constraint job_type_versions_schema_version_check CHECK ((schema_version >= 1)),
  constraint job_type_versions_type_fkey FOREIGN KEY (type) REFERENCES jobs.job_types(type)
);

create table jobs.job_types (
  type text collate "C" not null,
  id uuid not null default gen_random_uuid(),
  kind text not null,
  queue text not null default 'default'::text,
  lease_seconds integer,
  timeout_seconds integer,
  max_attempts smallint,
  backoff_base_ms integer,
  backoff_cap_ms integer,
  tenant_max_running integer,
  paused_at timestamp with time zone,
  paused_until timestamp with time zone,
  paused_by text,
  pause_reason text,
  version integer not null default 1,
  created_at timestamp with time zone not null default kernel.now(),
  updated_at timestamp with time zone not null default kernel.now(),
  constraint job_types_check CHECK (((paused_at IS NULL) = (pause_reason IS NULL))),
  constraint job_types_check1 CHECK (((paused_at IS NOT NULL) OR (paused_until IS NULL))),
  constraint job_types_id_key UNIQUE (id),
  constraint job_types_kind_check CHECK ((kind = ANY (ARRAY['built_in'::text, 'activity'::text, 'external'::text]))),
  constraint job_types_pkey PRIMARY KEY (type)
);

create table jobs.jobs (
  id uuid not null,
  tenant_id uuid not null,
  type text collate "C" not null,
  schema_version jobs.positive not null,
  state jobs.job_state not null default 'pending'::text,
  priority jobs.priority not null default 5,
  input_ref uuid,
  result_ref uuid,
  idempotency_key text collate "C",
  request_fingerprint kernel.digest,
  scheduled_at timestamp with time zone,
  deadline_at timestamp with time zone,
  cancel_requested_at timestamp with time zone,
  created_at timestamp with time zone not null default kernel.now(),
  completed_at timestamp with time zone,
  version integer not null default 1,
  principal_id uuid not null,
  operation text collate "C" not null,
  attempt_count integer not null default 0,
  max_attempts jobs.positive not null,
  failures smallint not null default 0,
  losses smallint not null default 0,
  last_sequence integer not null default 1,
  has_dependents boolean not null default false,
  dead_at timestamp with time zone,
  error_code text,
  error_retryable boolean,
  cause_job_id uuid,
  retry_of_job_id uuid,
  usage jsonb,
  traceparent text,
  session_id uuid,
  constraint jobs_check CHECK (((completed_at IS NOT NULL) = ((state)::text = ANY (ARRAY['succeeded'::text, 'failed'::text, 'cancelled'::text, 'expired'::text])))),
  constraint jobs_check1 CHECK (((dead_at IS NOT NULL) = ((state)::text = ANY (ARRAY['failed'::text, 'cancelled'::text, 'expired'::text])))),
  constraint jobs_check2 CHECK (((error_code IS NULL) = (error_retryable IS NULL))),
  constraint jobs_check3 CHECK (((cause_job_id IS NULL) OR (error_code IS NOT NULL))),
  constraint jobs_pkey PRIMARY KEY (id)
) with (autovacuum_vacuum_scale_factor=0.02, fillfactor=50);
CREATE INDEX jobs_dead ON jobs.jobs USING btree (tenant_id, id) WHERE (dead_at IS NOT NULL);
CREATE INDEX jobs_dead_types ON jobs.jobs USING btree (type, dead_at) WHERE (dead_at IS NOT NULL);
CREATE UNIQUE INDEX jobs_idempotency ON jobs.jobs USING btree (tenant_id, principal_id, operation, idempotency_key) WHERE (idempotency_key IS NOT NULL);
CREATE INDEX jobs_retries ON jobs.jobs USING btree (retry_of_job_id) WHERE (retry_of_job_id IS NOT NULL);
CREATE UNIQUE INDEX jobs_tenant ON jobs.jobs USING btree (tenant_id, id);

create table jobs.last_beat (
  one boolean not null default true,
  beat_at timestamp with time zone not null default now(),
  constraint last_beat_one_check CHECK (one),
  constraint last_beat_pkey PRIMARY KEY (one)
) with (fillfactor=50);

create table jobs.outages (
  began_at timestamp with time zone not null,
  ended_at timestamp with time zone not null,
  constraint outages_pkey PRIMARY KEY (began_at)
);

create table jobs.runs (
  tenant_id uuid not null,
  job_id uuid not null,
  from_position bigint not null,
  person_id uuid,
  parent_job_id uuid,
  depth smallint not null default 0,
  undoing text,
  failed_step text,
  round integer not null default 0,
  constraint runs_pkey PRIMARY KEY (tenant_id, job_id)
);
CREATE INDEX runs_parent ON jobs.runs USING btree (tenant_id, parent_job_id) WHERE (parent_job_id IS NOT NULL);
CREATE INDEX runs_person ON jobs.runs USING btree (person_id) WHERE (person_id IS NOT NULL);

create table jobs.step_waits (
  tenant_id uuid not null,
  job_id uuid not null,
  name text collate "C" not null,
  event_type text collate "C" not null,
  aggregate_id uuid not null,
  awaited text not null,
  match jsonb not null default '{}'::jsonb,
  scanned_through bigint not null,
  is_open boolean not null default false,
  constraint step_waits_pkey PRIMARY KEY (tenant_id, job_id, name)
);
CREATE INDEX step_waits_events ON jobs.step_waits USING btree (tenant_id, event_type, aggregate_id);

create table jobs.unsettled_jobs (
  tenant_id uuid not null,
  job_id uuid not null,
  constraint unsettled_jobs_pkey PRIMARY KEY (tenant_id, job_id)
);

create table jobs.worker_capabilities (
  worker_id uuid not null,
  queue text not null default 'default'::text,
  capability text collate "C" not null,
  version integer not null,
  tenant_id uuid,
  principal_id uuid,
  last_seen_at timestamp with time zone not null default now(),
  constraint worker_capabilities_pkey PRIMARY KEY (worker_id, capability, version)
) with (fillfactor=50);
CREATE INDEX worker_capabilities_type ON jobs.worker_capabilities USING btree (capability, version);

create schema uploads;

create table uploads.blocked_hashes (
  sha256 bytea not null,
  reason text not null,
  created_by text not null,
  created_at timestamp with time zone not null default kernel.now(),
  constraint blocked_hashes_pkey PRIMARY KEY (sha256),
  constraint blocked_hashes_reason_check CHECK ((length(reason) <= 200)),
  constraint blocked_hashes_sha256_check CHECK ((octet_length(sha256) = 32))
);

create table uploads.derivatives (
  tenant_id uuid not null,
  id uuid not null,
  file_id uuid not null,
  kind text not null,
  storage_key text not null,
  storage_version text,
  state text not null default 'pending'::text,
  size bigint,
  sha256 bytea,
  media_type text,
  width integer,
  height integer,
  constraint derivatives_check CHECK (((state = 'ready'::text) <= ((size IS NOT NULL) AND (sha256 IS NOT NULL) AND (storage_version IS NOT NULL)))),
  constraint derivatives_kind_check CHECK ((kind = ANY (ARRAY['thumbnail'::text, 'preview'::text, 'sanitized'::text]))),
  constraint derivatives_pkey PRIMARY KEY (tenant_id, id),
  constraint derivatives_sha256_check CHECK ((octet_length(sha256) = 32)),
  constraint derivatives_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'ready'::text, 'failed'::text, 'deleted'::text]))),
  constraint derivatives_storage_key_key UNIQUE (storage_key),
  constraint derivatives_tenant_id_file_id_fkey FOREIGN KEY (tenant_id, file_id) REFERENCES uploads.files(tenant_id, id) ON DELETE CASCADE,
  constraint derivatives_tenant_id_file_id_kind_key UNIQUE (tenant_id, file_id, kind)
);

create table uploads.files (
  tenant_id uuid not null,
  id uuid not null,
  upload_id uuid not null,
  owner_id uuid not null,
  purpose text not null,
  storage_key text not null,
  storage_version text not null,
  size bigint not null,
  sha256 bytea not null,
  media_category text not null,
  claimed_type text,
  detected_type text,
  filename text,
  state text not null default 'uploaded'::text,
  error_code text,
  stage text default 'detect'::text,
  scan_result jsonb,
  metadata jsonb,
  reserved_bytes bigint not null,
  due_at timestamp with time zone,
  attempts integer not null default 0,
  lease_token uuid,
  leased_until timestamp with time zone,
  last_error_code text,
  version bigint not null default 1,
  created_at timestamp with time zone not null default kernel.now(),
  available_at timestamp with time zone,
  retention_until timestamp with time zone,
  deleted_at timestamp with time zone,
  constraint files_check CHECK (((state = 'available'::text) <= (available_at IS NOT NULL))),
  constraint files_check1 CHECK (((state = ANY (ARRAY['deleted'::text, 'purged'::text])) = (deleted_at IS NOT NULL))),
  constraint files_pkey PRIMARY KEY (tenant_id, id),
  constraint files_sha256_check CHECK ((octet_length(sha256) = 32)),
  constraint files_stage_check CHECK ((stage = ANY (ARRAY['detect'::text, 'scan'::text, 'derive'::text]))),
  constraint files_state_check CHECK ((state = ANY (ARRAY['uploaded'::text, 'available'::text, 'quarantined'::text, 'deleted'::text, 'purged'::text]))),
  constraint files_storage_key_key UNIQUE (storage_key),
  constraint files_tenant_id_upload_id_fkey FOREIGN KEY (tenant_id, upload_id) REFERENCES uploads.uploads(tenant_id, id),
  constraint files_tenant_id_upload_id_key UNIQUE (tenant_id, upload_id)
);
CREATE INDEX files_content ON uploads.files USING btree (sha256) WHERE (state = ANY (ARRAY['available'::text, 'uploaded'::text]));
CREATE INDEX files_due ON uploads.files USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE UNIQUE INDEX files_id ON uploads.files USING btree (id);
CREATE INDEX files_name ON uploads.files USING btree (tenant_id, kernel.plain(filename) COLLATE "C");
CREATE INDEX files_owner ON uploads.files USING btree (tenant_id, owner_id, id);
CREATE INDEX files_person ON uploads.files USING btree (owner_id, id);
CREATE INDEX files_retention ON uploads.files USING btree (retention_until) WHERE (retention_until IS NOT NULL);

create table uploads.processing_attempts (
  tenant_id uuid not null,
  id uuid not null,
  file_id uuid not null,
  stage text not null,
  status text not null,
  error_code text,
  started_at timestamp with time zone not null,
  ended_at timestamp with time zone not null default kernel.now(),
  constraint processing_attempts_pkey PRIMARY KEY (tenant_id, id),
  constraint processing_attempts_status_check CHECK ((status = ANY (ARRAY['succeeded'::text, 'retryable'::text, 'failed'::text]))),
  constraint processing_attempts_tenant_id_file_id_fkey FOREIGN KEY (tenant_id, file_id) REFERENCES uploads.files(tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX processing_attempts_age ON uploads.processing_attempts USING btree (started_at);
CREATE INDEX processing_attempts_file ON uploads.processing_attempts USING btree (tenant_id, file_id);

create table uploads.tenant_usage (
  tenant_id uuid not null,
  reserved_bytes bigint not null default 0,
  constraint tenant_usage_pkey PRIMARY KEY (tenant_id),
  constraint tenant_usage_reserved_bytes_check CHECK ((reserved_bytes >= 0))
);

create table uploads.upload_parts (
  tenant_id uuid not null,
  upload_id uuid not null,
  part_number integer not null,
  etag text not null,
  size bigint not null,
  sha256 bytea,
  name text not null,
  received_at timestamp with time zone not null default kernel.now(),
  replaced_name text,
  constraint upload_parts_part_number_check CHECK (((part_number >= 1) AND (part_number <= 10000))),
  constraint upload_parts_pkey PRIMARY KEY (tenant_id, upload_id, part_number),
  constraint upload_parts_tenant_id_upload_id_fkey FOREIGN KEY (tenant_id, upload_id) REFERENCES uploads.uploads(tenant_id, id) ON DELETE CASCADE
);

create table uploads.uploads (
  tenant_id uuid not null,
  id uuid not null,
  owner_id uuid not null,
  purpose text not null,
  media_category text not null,
  storage_key text not null,
  expected_size bigint not null,
  expected_checksum bytea,
  claimed_type text,
  detected_type text,
  filename text,
  part_size integer not null,
  part_count integer not null,
  state text not null default 'initiated'::text,
  multipart_upload_id text,
  reserved_bytes bigint not null,
  error_code text,
  due_at timestamp with time zone,
  attempts integer not null default 0,
  lease_token uuid,
  leased_until timestamp with time zone,
  last_error_code text,
  version bigint not null default 1,
  expires_at timestamp with time zone not null,
  created_at timestamp with time zone not null default kernel.now(),
  retention_until timestamp with time zone,
  given_checksum bytea,
  constraint uploads_expected_checksum_check CHECK ((octet_length(expected_checksum) = 32)),
  constraint uploads_expected_size_check CHECK ((expected_size > 0)),
  constraint uploads_filename_check CHECK ((length(filename) <= 255)),
  constraint uploads_given_checksum_check CHECK ((octet_length(given_checksum) = 32)),
  constraint uploads_part_count_check CHECK (((part_count >= 1) AND (part_count <= 10000))),
  constraint uploads_pkey PRIMARY KEY (tenant_id, id),
  constraint uploads_state_check CHECK ((state = ANY (ARRAY['initiated'::text, 'uploaded'::text, 'available'::text, 'quarantined'::text, 'aborted'::text, 'expired'::text]))),
  constraint uploads_storage_key_key UNIQUE (storage_key)
);
CREATE INDEX uploads_due ON uploads.uploads USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX uploads_expiry ON uploads.uploads USING btree (expires_at) WHERE (state = 'initiated'::text);
CREATE UNIQUE INDEX uploads_id ON uploads.uploads USING btree (id);
CREATE INDEX uploads_open ON uploads.uploads USING btree (tenant_id, owner_id) WHERE (state = 'initiated'::text);
CREATE INDEX uploads_parts_left ON uploads.uploads USING btree (retention_until) WHERE ((multipart_upload_id IS NOT NULL) AND (state <> 'initiated'::text));
CREATE INDEX uploads_person ON uploads.uploads USING btree (owner_id) WHERE ((state = 'initiated'::text) OR (filename IS NOT NULL));
CREATE UNIQUE INDEX uploads_references ON uploads.uploads USING btree (multipart_upload_id) WHERE (multipart_upload_id IS NOT NULL);

create schema notifications;

create table notifications.categories (
  tenant_id uuid not null,
  name text collate "C" not null,
  class text not null,
  default_channels text[] not null,
  user_can_disable boolean not null,
  respects_quiet_hours boolean not null,
  unsubscribe boolean not null,
  default_ttl_seconds integer not null,
  on_unknown text not null,
  version integer not null default 1,
  updated_at timestamp with time zone not null default kernel.now(),
  constraint categories_class_check CHECK ((class = ANY (ARRAY['transactional'::text, 'operational'::text, 'marketing'::text]))),
  constraint categories_name_check CHECK (((name ~ '^[a-z0-9_]+(\.[a-z0-9_]+)*$'::text) AND (length(name) <= 64))),
  constraint categories_on_unknown_check CHECK ((on_unknown = ANY (ARRAY['resend_same_ref'::text, 'give_up'::text]))),
  constraint categories_pkey PRIMARY KEY (tenant_id, name)
);

create table notifications.data_keys (
  tenant_id uuid not null,
  owner_id uuid not null,
  wrapped bytea not null,
  created_at timestamp with time zone not null default kernel.now(),
  constraint data_keys_pkey PRIMARY KEY (tenant_id, owner_id)
);

create table notifications.decisions (
  tenant_id uuid not null,
  intent_id uuid not null,
  channel text not null,
  rule text not null,
  outcome text not null,
  until timestamp with time zone,
  decided_at timestamp with time zone not null default kernel.now(),
  constraint decisions_pkey PRIMARY KEY (tenant_id, intent_id, channel)
);

create table notifications.dedupe_windows (
  tenant_id uuid not null,
  recipient_ref text not null,
  category text not null,
  key text not null,
  until timestamp with time zone not null,
  intent_id uuid not null,
  constraint dedupe_windows_pkey PRIMARY KEY (tenant_id, recipient_ref, category, key)
);
CREATE INDEX dedupe_windows_until ON notifications.dedupe_windows USING btree (until);

create table notifications.delivery_attempts (
  tenant_id uuid not null,
  id uuid not null,
  intent_id uuid not null,
  channel text not null,
  target text not null default ''::text,
  attempt_no integer not null,
  provider text,
  state text not null,
  provider_message_id text,
  next_attempt_at timestamp with time zone,
  error_code text,
  lane smallint not null,
  batch_id uuid,
  lease_token uuid,
  leased_until timestamp with time zone,
  wire_at timestamp with time zone,
  rendered_sha256 bytea,
  destination_id uuid,
  destination_hash bytea,
  masked text,
  forgotten boolean not null default false,
  created_at timestamp with time zone not null default kernel.now(),
  updated_at timestamp with time zone not null default kernel.now(),
  pinned boolean not null default false,
  constraint delivery_attempts_channel_check CHECK ((channel = ANY (ARRAY['email'::text, 'sms'::text, 'push'::text, 'in_app'::text]))),
  constraint delivery_attempts_pkey PRIMARY KEY (tenant_id, intent_id, channel, target, attempt_no),
  constraint delivery_attempts_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'sending'::text, 'accepted'::text, 'delivered'::text, 'deferred'::text, 'failed'::text, 'bounced'::text, 'complained'::text, 'unknown'::text, 'skipped'::text, 'cancelled'::text])))
) with (fillfactor=80);
CREATE INDEX delivery_attempts_due ON notifications.delivery_attempts USING btree (lane, next_attempt_at) WHERE ((state = 'pending'::text) AND (batch_id IS NULL));
CREATE INDEX delivery_attempts_due_of_batch ON notifications.delivery_attempts USING btree (batch_id, next_attempt_at) WHERE ((state = 'pending'::text) AND (batch_id IS NOT NULL));
CREATE INDEX delivery_attempts_message ON notifications.delivery_attempts USING btree (provider, provider_message_id) WHERE (provider_message_id IS NOT NULL);
CREATE INDEX delivery_attempts_sending ON notifications.delivery_attempts USING btree (leased_until) WHERE (state = 'sending'::text);
CREATE INDEX delivery_attempts_unknown ON notifications.delivery_attempts USING btree (next_attempt_at) WHERE (state = 'unknown'::text);

create table notifications.destinations (
  tenant_id uuid not null,
  id uuid not null,
  user_id uuid,
  channel text not null,
  provider text not null default ''::text,
  destination_hash bytea not null,
  ciphertext bytea not null,
  masked text not null,
  verified_at timestamp with time zone,
  disabled_at timestamp with time zone,
  code_hash bytea,
  code_expires_at timestamp with time zone,
  code_attempts integer not null default 0,
  created_at timestamp with time zone not null default kernel.now(),
  constraint destinations_channel_check CHECK ((channel = ANY (ARRAY['email'::text, 'sms'::text, 'push'::text]))),
  constraint destinations_pkey PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX destinations_alone ON notifications.destinations USING btree (tenant_id, channel, destination_hash) WHERE (user_id IS NULL);
CREATE INDEX destinations_hash ON notifications.destinations USING btree (destination_hash);
CREATE UNIQUE INDEX destinations_of_users ON notifications.destinations USING btree (tenant_id, user_id, channel, destination_hash) WHERE (user_id IS NOT NULL);

create table notifications.digests (
  tenant_id uuid not null,
  id uuid not null,
  recipient_ref text not null,
  category text not null,
  key text not null,
  state text not null default 'open'::text,
  order_of jsonb not null,
  principal_id uuid,
  total integer not null default 1,
  closes_at timestamp with time zone not null,
  created_at timestamp with time zone not null default kernel.now(),
  session_id uuid,
  constraint digests_pkey PRIMARY KEY (tenant_id, id),
  constraint digests_state_check CHECK ((state = ANY (ARRAY['open'::text, 'closed'::text])))
);
CREATE INDEX digests_due ON notifications.digests USING btree (closes_at) WHERE (state = 'open'::text);
CREATE UNIQUE INDEX digests_open ON notifications.digests USING btree (tenant_id, recipient_ref, category, key) WHERE (state = 'open'::text);

create table notifications.inbox_items (
  tenant_id uuid not null,
  user_id uuid not null,
  id uuid not null,
  intent_id uuid,
  sequence bigint not null,
  changed bigint not null,
  category text not null,
  title text not null,
  body text not null,
  url text,
  read_at timestamp with time zone,
  archived_at timestamp with time zone,
  created_at timestamp with time zone not null default kernel.now(),
  constraint inbox_items_pkey PRIMARY KEY (tenant_id, user_id, id)
);
CREATE INDEX inbox_items_changed ON notifications.inbox_items USING btree (tenant_id, user_id, changed);
CREATE INDEX inbox_items_created ON notifications.inbox_items USING brin (created_at);
CREATE UNIQUE INDEX inbox_items_intent ON notifications.inbox_items USING btree (tenant_id, intent_id) WHERE (intent_id IS NOT NULL);
CREATE INDEX inbox_items_sequence ON notifications.inbox_items USING btree (tenant_id, user_id, sequence DESC);
CREATE INDEX inbox_items_unread ON notifications.inbox_items USING btree (tenant_id, user_id) WHERE ((read_at IS NULL) AND (archived_at IS NULL));

create table notifications.inboxes (
  tenant_id uuid not null,
  user_id uuid not null,
  last_sequence bigint not null default 0,
  constraint inboxes_pkey PRIMARY KEY (tenant_id, user_id)
);

create table notifications.notification_batches (
  tenant_id uuid not null,
  id uuid not null,
  principal_id uuid not null,
  state text not null,
  category text not null,
  priority text not null,
  lane smallint not null,
  template_version text not null,
  emit_events boolean not null,
  total integer not null default 0,
  duplicates integer not null default 0,
  rejected_count integer not null default 0,
  rejected jsonb not null default '[]'::jsonb,
  expand_token uuid,
  expand_until timestamp with time zone,
  version integer not null default 0,
  created_at timestamp with time zone not null default kernel.now(),
  completed_at timestamp with time zone,
  session_id uuid,
  constraint notification_batches_pkey PRIMARY KEY (tenant_id, id),
  constraint notification_batches_state_check CHECK ((state = ANY (ARRAY['expanding'::text, 'dispatching'::text, 'paused'::text, 'completed'::text, 'cancelled'::text])))
);
CREATE INDEX notification_batches_created_at ON notifications.notification_batches USING btree (tenant_id, created_at);
CREATE INDEX notification_batches_open ON notifications.notification_batches USING btree (lane, id) WHERE ((state = ANY (ARRAY['expanding'::text, 'dispatching'::text, 'cancelled'::text])) AND (completed_at IS NULL));
CREATE INDEX notification_batches_sender ON notifications.notification_batches USING btree (tenant_id, principal_id, id);

create table notifications.notification_inputs (
  tenant_id uuid not null,
  ref uuid not null,
  owner_id uuid not null,
  ciphertext bytea not null,
  bytes integer not null,
  constraint notification_inputs_pkey PRIMARY KEY (tenant_id, ref)
);

create table notifications.notification_intents (
  tenant_id uuid not null,
  id uuid not null,
  recipient_ref text not null,
  category text not null,
  priority text not null,
  template_version text not null,
  locale text,
  data_ref uuid,
  scheduled_at timestamp with time zone,
  idempotency_key text,
  state text not null,
  expires_at timestamp with time zone not null,
  principal_id uuid,
  request_fingerprint bytea,
  batch_id uuid,
  digest_id uuid,
  closes_digest uuid,
  dedupe_key text,
  metadata jsonb,
  emits boolean not null default true,
  events integer not null default 0,
  created_at timestamp with time zone not null default kernel.now(),
  updated_at timestamp with time zone not null default kernel.now(),
  traceparent text,
  cancelled_at timestamp with time zone,
  session_id uuid,
  constraint notification_intents_pkey PRIMARY KEY (tenant_id, id),
  constraint notification_intents_priority_check CHECK ((priority = ANY (ARRAY['critical'::text, 'high'::text, 'normal'::text, 'bulk'::text]))),
  constraint notification_intents_state_check CHECK ((state = ANY (ARRAY['scheduled'::text, 'queued'::text, 'held'::text, 'processing'::text, 'sent'::text, 'delivered'::text, 'failed'::text, 'suppressed'::text, 'cancelled'::text, 'expired'::text])))
) with (fillfactor=85);
CREATE UNIQUE INDEX notification_intents_batch ON notifications.notification_intents USING btree (tenant_id, batch_id, recipient_ref, dedupe_key) NULLS NOT DISTINCT WHERE (batch_id IS NOT NULL);
CREATE INDEX notification_intents_created ON notifications.notification_intents USING brin (created_at);
CREATE INDEX notification_intents_digest ON notifications.notification_intents USING btree (tenant_id, digest_id) WHERE (digest_id IS NOT NULL);
CREATE UNIQUE INDEX notification_intents_key ON notifications.notification_intents USING btree (tenant_id, principal_id, idempotency_key) WHERE (idempotency_key IS NOT NULL);
CREATE INDEX notification_intents_recipient ON notifications.notification_intents USING btree (tenant_id, recipient_ref, id DESC);

create table notifications.preference_sets (
  tenant_id uuid not null,
  user_id uuid not null,
  timezone text not null,
  locale text,
  version integer not null default 1,
  updated_at timestamp with time zone not null default kernel.now(),
  constraint preference_sets_pkey PRIMARY KEY (tenant_id, user_id)
);

create table notifications.preferences (
  tenant_id uuid not null,
  user_id uuid not null,
  category text collate "C" not null,
  channel text not null,
  enabled boolean not null,
  quiet_hours jsonb,
  timezone text,
  constraint preferences_pkey PRIMARY KEY (tenant_id, user_id, category, channel),
  constraint preferences_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES notifications.preference_sets(tenant_id, user_id) ON DELETE CASCADE
);

create table notifications.provider_events (
  provider text not null,
  event_id text not null,
  provider_message_id text,
  type text not null,
  occurred_at timestamp with time zone not null,
  ref text,
  tenant_id uuid,
  intent_id uuid,
  applied boolean not null default false,
  received_at timestamp with time zone not null default kernel.now(),
  constraint provider_events_pkey PRIMARY KEY (provider, event_id)
);
CREATE INDEX provider_events_intent ON notifications.provider_events USING btree (tenant_id, intent_id) WHERE (intent_id IS NOT NULL);
CREATE INDEX provider_events_open ON notifications.provider_events USING btree (provider, provider_message_id) WHERE (NOT applied);
CREATE INDEX provider_events_received ON notifications.provider_events USING btree (received_at);
CREATE INDEX provider_events_ref ON notifications.provider_events USING btree (provider, ref) WHERE ((NOT applied) AND (ref IS NOT NULL));
CREATE INDEX provider_events_waiting ON notifications.provider_events USING btree (received_at) WHERE (NOT applied);

create table notifications.provider_health (
  provider text not null,
  id uuid not null,
  degraded boolean not null,
  version integer not null,
  changed_at timestamp with time zone not null default kernel.now(),
  constraint provider_health_pkey PRIMARY KEY (provider)
);

create table notifications.removed_ids (
  tenant_id uuid not null,
  id uuid not null,
  removed_at timestamp with time zone not null default kernel.now(),
  constraint removed_ids_pkey PRIMARY KEY (tenant_id, id)
);
CREATE INDEX removed_ids_removed_at ON notifications.removed_ids USING btree (removed_at);

create table notifications.suppressions (
  tenant_id uuid not null,
  id uuid not null,
  destination_hash bytea not null,
  channel text not null,
  category text collate "C" not null default '*'::text,
  reason text not null,
  effective_at timestamp with time zone not null default kernel.now(),
  retry_at timestamp with time zone,
  constraint suppressions_channel_check CHECK ((channel = ANY (ARRAY['email'::text, 'sms'::text, 'push'::text]))),
  constraint suppressions_pkey PRIMARY KEY (tenant_id, id),
  constraint suppressions_reason_check CHECK ((reason = ANY (ARRAY['hard_bounce'::text, 'complaint'::text, 'unsubscribe'::text, 'stop_keyword'::text, 'invalid_destination'::text, 'manual'::text]))),
  constraint suppressions_tenant_id_destination_hash_channel_category_key UNIQUE (tenant_id, destination_hash, channel, category)
);
CREATE INDEX suppressions_effective_at ON notifications.suppressions USING btree (tenant_id, effective_at);

create table notifications.template_texts (
  tenant_id uuid not null,
  id uuid not null,
  name text collate "C" not null,
  version integer not null,
  channel text not null,
  format text not null default 'text'::text,
  subject text,
  body text not null,
  text_body text,
  url text,
  locales jsonb not null default '{}'::jsonb,
  constraint template_texts_channel_check CHECK ((channel = ANY (ARRAY['email'::text, 'sms'::text, 'push'::text, 'in_app'::text]))),
  constraint template_texts_format_check CHECK ((format = ANY (ARRAY['html'::text, 'text'::text]))),
  constraint template_texts_pkey PRIMARY KEY (tenant_id, name, version, channel),
  constraint template_texts_tenant_id_id_key UNIQUE (tenant_id, id),
  constraint template_texts_version_fkey FOREIGN KEY (tenant_id, name, version) REFERENCES notifications.template_versions(tenant_id, name, version)
);
CREATE TRIGGER template_texts_immutable BEFORE UPDATE ON notifications.template_texts FOR EACH ROW EXECUTE FUNCTION notifications.refuse_change_of_published();

create table notifications.template_versions (
  tenant_id uuid not null,
  name text collate "C" not null,
  version integer not null,
  status text not null default 'draft'::text,
  default_locale text not null,
  data_schema jsonb,
  created_by uuid not null,
  created_at timestamp with time zone not null default kernel.now(),
  published_at timestamp with time zone,
  constraint template_versions_pkey PRIMARY KEY (tenant_id, name, version),
  constraint template_versions_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'published'::text, 'archived'::text])))
);
CREATE INDEX template_versions_latest ON notifications.template_versions USING btree (tenant_id, name, version DESC) WHERE (status = 'published'::text);
CREATE TRIGGER template_versions_immutable BEFORE UPDATE ON notifications.template_versions FOR EACH ROW EXECUTE FUNCTION notifications.refuse_change_of_published();

create view notifications.templates as
 SELECT t.id,
    t.tenant_id,
    t.name,
    t.version,
    t.channel,
    t.format,
    t.subject,
    t.body,
    t.text_body,
    t.url,
    t.locales,
    v.status,
    v.default_locale,
    v.data_schema,
    v.created_at,
    v.published_at
   FROM (notifications.template_texts t
     JOIN notifications.template_versions v ON (((v.tenant_id = t.tenant_id) AND (v.name = t.name) AND (v.version = t.version))));

CREATE OR REPLACE FUNCTION notifications.refuse_change_of_published()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_table_name = 'template_texts' then
    if exists (select from notifications.template_versions v
        where v.tenant_id = old.tenant_id and v.name = old.name and v.version = old.version
          and v.status <> 'draft') then
      raise exception 'a published template version does not change';
    end if;
  elsif old.status <> 'draft' and (
    (new.tenant_id, new.name, new.version, new.default_locale, new.data_schema, new.published_at)
      is distinct from
    (old.tenant_id, old.name, old.version, old.default_locale, old.data_schema, old.published_at)
    or new.status = 'draft') then
    raise exception 'a published template version does not change';
  end if;
  return new;
end $function$;

create schema payments;

create table payments.customers (
  tenant_id uuid not null,
  id uuid not null,
  account_id uuid,
  email text,
  name text,
  locale text,
  address jsonb,
  tax_id text,
  version bigint not null default 1,
  created_at timestamp with time zone not null default kernel.now(),
  updated_at timestamp with time zone not null default kernel.now(),
  deleted_at timestamp with time zone,
  constraint customers_pkey PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX customers_account ON payments.customers USING btree (tenant_id, account_id) WHERE ((account_id IS NOT NULL) AND (deleted_at IS NULL));
CREATE INDEX customers_deleted ON payments.customers USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);
CREATE INDEX customers_email ON payments.customers USING btree (tenant_id, kernel.plain(email) COLLATE "C");
CREATE INDEX customers_last_word ON payments.customers USING btree (tenant_id, kernel.last_word(name) COLLATE "C");
CREATE INDEX customers_name ON payments.customers USING btree (tenant_id, kernel.plain(name) COLLATE "C");
CREATE INDEX customers_of_account ON payments.customers USING btree (account_id, id) WHERE (account_id IS NOT NULL);

create table payments.disputes (
  tenant_id uuid not null,
  id uuid not null,
  intent_id uuid not null,
  provider text not null,
  provider_dispute_id text not null,
  amount_minor bigint not null,
  fee_minor bigint not null default 0,
  currency text not null,
  state text not null,
  reason text not null,
  money text not null default 'none'::text,
  respond_by timestamp with time zone,
  version bigint not null default 1,
  created_at timestamp with time zone not null default kernel.now(),
  closed_at timestamp with time zone,
  constraint disputes_amount_minor_check CHECK ((amount_minor > 0)),
  constraint disputes_money_check CHECK ((money = ANY (ARRAY['none'::text, 'withdrawn'::text, 'returned'::text, 'lost'::text]))),
  constraint disputes_pkey PRIMARY KEY (tenant_id, id),
  constraint disputes_state_check CHECK ((state = ANY (ARRAY['warning'::text, 'needs_response'::text, 'under_review'::text, 'won'::text, 'lost'::text, 'closed'::text]))),
  constraint disputes_tenant_id_intent_id_fkey FOREIGN KEY (tenant_id, intent_id) REFERENCES payments.payment_intents(tenant_id, id)
);
CREATE INDEX disputes_intent ON payments.disputes USING btree (tenant_id, intent_id);
CREATE UNIQUE INDEX disputes_provider ON payments.disputes USING btree (provider, provider_dispute_id);
CREATE INDEX disputes_tenant_provider ON payments.disputes USING btree (tenant_id, provider_dispute_id);

create table payments.ledger_accounts (
  id uuid not null default gen_random_uuid(),
  owner_type text not null,
  owner_id uuid not null,
  currency text not null,
  type text not null,
  payment_account_id uuid not null default '00000000-0000-0000-0000-000000000000'::uuid,
  normal_side text not null generated always as 
CASE
    WHEN (type = ANY (ARRAY['provider_clearing'::text, 'bank'::text, 'provider_fees'::text, 'disputed_funds'::text])) THEN 'debit'::text
    ELSE 'credit'::text
END stored,
  created_at timestamp with time zone not null default kernel.now(),
  constraint ledger_accounts_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint ledger_accounts_id_currency_key UNIQUE (id, currency),
  constraint ledger_accounts_owner_id_currency_type_payment_account_id_key UNIQUE (owner_id, currency, type, payment_account_id),
  constraint ledger_accounts_owner_type_check CHECK ((owner_type = ANY (ARRAY['platform'::text, 'tenant'::text]))),
  constraint ledger_accounts_pkey PRIMARY KEY (id),
  constraint ledger_accounts_type_check CHECK ((type = ANY (ARRAY['provider_clearing'::text, 'bank'::text, 'provider_fees'::text, 'suspense'::text, 'merchant_balance'::text, 'refunds_in_transit'::text, 'disputed_funds'::text])))
);

create table payments.ledger_balances (
  account_id uuid not null,
  shard smallint not null,
  debits_minor bigint not null default 0,
  credits_minor bigint not null default 0,
  constraint ledger_balances_account_id_fkey FOREIGN KEY (account_id) REFERENCES payments.ledger_accounts(id),
  constraint ledger_balances_pkey PRIMARY KEY (account_id, shard),
  constraint ledger_balances_shard_check CHECK (((shard >= 0) AND (shard <= 15)))
) with (fillfactor=50);

create table payments.ledger_entries (
  transaction_id uuid not null,
  line smallint not null,
  account_id uuid not null,
  currency text not null,
  direction text not null,
  amount_minor bigint not null,
  effective_at timestamp with time zone not null default kernel.now(),
  constraint ledger_entries_account_id_currency_fkey FOREIGN KEY (account_id, currency) REFERENCES payments.ledger_accounts(id, currency),
  constraint ledger_entries_amount_minor_check CHECK ((amount_minor > 0)),
  constraint ledger_entries_direction_check CHECK ((direction = ANY (ARRAY['debit'::text, 'credit'::text]))),
  constraint ledger_entries_pkey PRIMARY KEY (transaction_id, line),
  constraint ledger_entries_transaction_id_fkey FOREIGN KEY (transaction_id) REFERENCES payments.ledger_transactions(id)
);
CREATE INDEX ledger_entries_account ON payments.ledger_entries USING btree (account_id, effective_at);
CREATE TRIGGER ledger_entries_append_only BEFORE DELETE OR UPDATE ON payments.ledger_entries FOR EACH ROW EXECUTE FUNCTION payments.refuse_change();
CREATE TRIGGER ledger_entries_are_new AFTER INSERT ON payments.ledger_entries REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION payments.check_entries_are_new();
CREATE TRIGGER ledger_entries_no_truncate BEFORE TRUNCATE ON payments.ledger_entries FOR EACH STATEMENT EXECUTE FUNCTION payments.refuse_change();

create table payments.ledger_transactions (
  id uuid not null,
  tenant_id uuid not null,
  operation_id uuid,
  intent_id uuid,
  purpose text not null,
  external_ref text,
  payment_account_id uuid not null default '00000000-0000-0000-0000-000000000000'::uuid,
  request_id uuid,
  reverses_id uuid,
  description text not null,
  effective_at timestamp with time zone not null default kernel.now(),
  made_in xid8 not null default pg_current_xact_id(),
  constraint ledger_transactions_pkey PRIMARY KEY (id),
  constraint ledger_transactions_reverses_id_fkey FOREIGN KEY (reverses_id) REFERENCES payments.ledger_transactions(id)
);
CREATE UNIQUE INDEX ledger_transactions_external ON payments.ledger_transactions USING btree (external_ref, purpose, payment_account_id);
CREATE INDEX ledger_transactions_intent ON payments.ledger_transactions USING btree (tenant_id, intent_id, id);
CREATE UNIQUE INDEX ledger_transactions_operation ON payments.ledger_transactions USING btree (operation_id, purpose);
CREATE UNIQUE INDEX ledger_transactions_reversal ON payments.ledger_transactions USING btree (reverses_id) WHERE (reverses_id IS NOT NULL);
CREATE INDEX ledger_transactions_tenant ON payments.ledger_transactions USING btree (tenant_id, id);
CREATE TRIGGER ledger_transactions_append_only BEFORE DELETE OR UPDATE ON payments.ledger_transactions FOR EACH ROW EXECUTE FUNCTION payments.refuse_change();
CREATE CONSTRAINT TRIGGER ledger_transactions_balanced AFTER INSERT ON payments.ledger_transactions DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION payments.check_balanced();
CREATE TRIGGER ledger_transactions_no_truncate BEFORE TRUNCATE ON payments.ledger_transactions FOR EACH STATEMENT EXECUTE FUNCTION payments.refuse_change();

create table payments.payment_accounts (
  tenant_id uuid not null,
  id uuid not null,
  name text not null,
  provider text not null,
  external_ref text not null,
  state text not null default 'active'::text,
  methods text[] not null,
  auth jsonb not null,
  has_webhook_secret boolean not null,
  sealed bytea,
  version bigint not null default 1,
  created_at timestamp with time zone not null default kernel.now(),
  updated_at timestamp with time zone not null default kernel.now(),
  constraint payment_accounts_check CHECK (((sealed IS NULL) = (state = 'closed'::text))),
  constraint payment_accounts_id_key UNIQUE (id),
  constraint payment_accounts_pkey PRIMARY KEY (tenant_id, id),
  constraint payment_accounts_state_check CHECK ((state = ANY (ARRAY['active'::text, 'closing'::text, 'closed'::text])))
);
CREATE UNIQUE INDEX payment_accounts_external ON payments.payment_accounts USING btree (provider, external_ref) WHERE (state <> 'closed'::text);
CREATE UNIQUE INDEX payment_accounts_name ON payments.payment_accounts USING btree (tenant_id, name) WHERE (state <> 'closed'::text);

create table payments.payment_intents (
  tenant_id uuid not null,
  id uuid not null,
  merchant_id uuid generated always as tenant_id stored,
  order_ref text,
  amount_minor bigint not null,
  currency text not null,
  state text not null default 'requires_authorization'::text,
  provider text not null,
  provider_customer_ref text,
  customer_id uuid,
  provider_handle text,
  provider_handle_at timestamp with time zone,
  reconciled_in uuid,
  charge_ref text,
  managed boolean not null default false,
  request_id uuid,
  amount_authorized_minor bigint not null default 0,
  amount_captured_minor bigint not null default 0,
  amount_refunded_minor bigint not null default 0,
  amount_refund_pending_minor bigint not null default 0,
  authorization_expires_at timestamp with time zone,
  cancellation_reason text,
  disputed boolean not null default false,
  last_error jsonb,
  metadata jsonb not null default '{}'::jsonb,
  created_by uuid,
  version bigint not null default 1,
  created_at timestamp with time zone not null default kernel.now(),
  constraint payment_intents_amount_minor_check CHECK ((amount_minor > 0)),
  constraint payment_intents_amounts CHECK (((0 <= amount_refunded_minor) AND (0 <= amount_refund_pending_minor) AND ((amount_refunded_minor + amount_refund_pending_minor) <= amount_captured_minor) AND (amount_captured_minor <= amount_authorized_minor) AND (amount_authorized_minor <= amount_minor))),
  constraint payment_intents_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint payment_intents_pkey PRIMARY KEY (tenant_id, id),
  constraint payment_intents_state_check CHECK ((state = ANY (ARRAY['requires_authorization'::text, 'requires_action'::text, 'authorized'::text, 'captured'::text, 'cancelled'::text])))
);
CREATE INDEX payment_intents_amount ON payments.payment_intents USING btree (tenant_id, currency, amount_minor, id);
CREATE INDEX payment_intents_charge ON payments.payment_intents USING btree (provider, charge_ref);
CREATE INDEX payment_intents_customer ON payments.payment_intents USING btree (tenant_id, customer_id) WHERE (customer_id IS NOT NULL);
CREATE UNIQUE INDEX payment_intents_handle ON payments.payment_intents USING btree (provider, provider_handle);
CREATE INDEX payment_intents_maker ON payments.payment_intents USING btree (created_by, id);
CREATE INDEX payment_intents_order ON payments.payment_intents USING btree (tenant_id, order_ref, id);
CREATE INDEX payment_intents_state ON payments.payment_intents USING btree (tenant_id, state, id);
CREATE INDEX payment_intents_tenant_charge ON payments.payment_intents USING btree (tenant_id, charge_ref) WHERE (charge_ref IS NOT NULL);
CREATE INDEX payment_intents_tenant_handle ON payments.payment_intents USING btree (tenant_id, provider_handle) WHERE (provider_handle IS NOT NULL);

create table payments.payment_methods (
  tenant_id uuid not null,
  id uuid not null,
  customer_id uuid not null,
  account_id uuid,
  provider text not null,
  ref text not null,
  method text not null,
  brand text,
  last4 text,
  exp text,
  state text not null default 'active'::text,
  detached_at timestamp with time zone,
  due_at timestamp with time zone,
  attempts integer not null default 0,
  lease_token uuid,
  leased_until timestamp with time zone,
  last_error_code text,
  version bigint not null default 1,
  created_at timestamp with time zone not null default kernel.now(),
  constraint payment_methods_pkey PRIMARY KEY (tenant_id, id),
  constraint payment_methods_state_check CHECK ((state = ANY (ARRAY['active'::text, 'detached'::text])))
);
CREATE INDEX payment_methods_account ON payments.payment_methods USING btree (account_id, id) WHERE (account_id IS NOT NULL);
CREATE INDEX payment_methods_customer ON payments.payment_methods USING btree (tenant_id, customer_id, id);
CREATE INDEX payment_methods_detached ON payments.payment_methods USING btree (detached_at) WHERE (detached_at IS NOT NULL);
CREATE INDEX payment_methods_due ON payments.payment_methods USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX payment_methods_last4 ON payments.payment_methods USING btree (tenant_id, last4);
CREATE UNIQUE INDEX payment_methods_ref ON payments.payment_methods USING btree (provider, ref);

create table payments.payment_operations (
  tenant_id uuid not null,
  id uuid not null,
  intent_id uuid,
  type text not null,
  principal_id uuid,
  idempotency_key text,
  request_fingerprint bytea,
  state text not null,
  provider text not null,
  provider_operation_id text,
  amount_minor bigint not null,
  payment_method text,
  payment_method_id uuid,
  customer_id uuid,
  save boolean not null default false,
  off_session boolean not null default false,
  return_url text,
  reason text,
  release_wanted text,
  error_code text,
  attempt_count integer not null default 0,
  sent_at timestamp with time zone,
  doubt_since timestamp with time zone,
  due_at timestamp with time zone,
  attempts integer not null default 0,
  lease_token uuid,
  leased_until timestamp with time zone,
  last_error_code text,
  created_at timestamp with time zone not null default kernel.now(),
  resolved_at timestamp with time zone,
  declined boolean not null default false,
  constraint payment_operations_amount_minor_check CHECK ((amount_minor >= 0)),
  constraint payment_operations_check CHECK (((intent_id IS NOT NULL) OR (state = 'failed'::text))),
  constraint payment_operations_id_key UNIQUE (id),
  constraint payment_operations_pkey PRIMARY KEY (tenant_id, id),
  constraint payment_operations_state_check CHECK ((state = ANY (ARRAY['created'::text, 'pending_provider'::text, 'requires_action'::text, 'succeeded'::text, 'failed'::text]))),
  constraint payment_operations_tenant_id_intent_id_fkey FOREIGN KEY (tenant_id, intent_id) REFERENCES payments.payment_intents(tenant_id, id),
  constraint payment_operations_type_check CHECK ((type = ANY (ARRAY['create'::text, 'authorize'::text, 'capture'::text, 'cancel'::text, 'refund'::text])))
);
CREATE INDEX payment_operations_declines ON payments.payment_operations USING btree (tenant_id, principal_id, resolved_at) WHERE declined;
CREATE INDEX payment_operations_due ON payments.payment_operations USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX payment_operations_intent ON payments.payment_operations USING btree (tenant_id, intent_id, id);
CREATE UNIQUE INDEX payment_operations_key ON payments.payment_operations USING btree (tenant_id, principal_id, type, idempotency_key);
CREATE UNIQUE INDEX payment_operations_open ON payments.payment_operations USING btree (tenant_id, intent_id) WHERE ((type = ANY (ARRAY['authorize'::text, 'capture'::text, 'cancel'::text])) AND (state = ANY (ARRAY['created'::text, 'pending_provider'::text])));
CREATE UNIQUE INDEX payment_operations_provider ON payments.payment_operations USING btree (provider, provider_operation_id);
CREATE INDEX payment_operations_refunder ON payments.payment_operations USING btree (principal_id, id) WHERE (type = 'refund'::text);
CREATE INDEX payment_operations_saving ON payments.payment_operations USING btree (tenant_id, customer_id) WHERE (save AND (state = ANY (ARRAY['created'::text, 'pending_provider'::text, 'requires_action'::text])));

create table payments.payment_requests (
  tenant_id uuid not null,
  id uuid not null,
  link_id uuid,
  attempt_id uuid,
  amount_minor bigint,
  currency text not null,
  description text not null,
  order_ref text,
  return_url text,
  locale text,
  account text,
  lines jsonb,
  uses integer,
  used integer not null default 0,
  paid integer not null default 0,
  state text not null default 'open'::text,
  customer_id uuid,
  taken_id uuid,
  intent_id uuid,
  closing text,
  expires_at timestamp with time zone not null,
  due_at timestamp with time zone,
  attempts integer not null default 0,
  lease_token uuid,
  leased_until timestamp with time zone,
  last_error_code text,
  version bigint not null default 1,
  created_at timestamp with time zone not null default kernel.now(),
  constraint payment_requests_amount_minor_check CHECK ((amount_minor > 0)),
  constraint payment_requests_check CHECK (((used <= uses) AND (paid <= used))),
  constraint payment_requests_check1 CHECK (((state <> 'processing'::text) OR (intent_id IS NOT NULL) OR (lines IS NOT NULL))),
  constraint payment_requests_closing_check CHECK ((closing = ANY (ARRAY['expired'::text, 'cancelled'::text]))),
  constraint payment_requests_id_key UNIQUE (id),
  constraint payment_requests_pkey PRIMARY KEY (tenant_id, id),
  constraint payment_requests_state_check CHECK ((state = ANY (ARRAY['open'::text, 'processing'::text, 'paid'::text, 'expired'::text, 'cancelled'::text]))),
  constraint payment_requests_tenant_id_intent_id_fkey FOREIGN KEY (tenant_id, intent_id) REFERENCES payments.payment_intents(tenant_id, id),
  constraint payment_requests_uses_check CHECK ((uses > 0))
);
CREATE UNIQUE INDEX payment_requests_attempt ON payments.payment_requests USING btree (tenant_id, link_id, attempt_id) WHERE (link_id IS NOT NULL);
CREATE INDEX payment_requests_due ON payments.payment_requests USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX payment_requests_link ON payments.payment_requests USING btree (tenant_id, link_id, id) WHERE (link_id IS NOT NULL);
CREATE INDEX payment_requests_order ON payments.payment_requests USING btree (tenant_id, order_ref, id);
CREATE INDEX payment_requests_state ON payments.payment_requests USING btree (tenant_id, state, id);

create table payments.payouts (
  tenant_id uuid not null,
  id uuid not null,
  provider text not null,
  provider_payout_id text not null,
  amount_minor bigint not null,
  currency text not null,
  state text not null,
  arrival_at timestamp with time zone,
  version bigint not null default 1,
  created_at timestamp with time zone not null default kernel.now(),
  constraint payouts_pkey PRIMARY KEY (id),
  constraint payouts_provider_provider_payout_id_key UNIQUE (provider, provider_payout_id)
);

create table payments.provider_cursors (
  provider text not null,
  name text not null,
  read_until timestamp with time zone not null,
  pass_until timestamp with time zone,
  pass_newest timestamp with time zone,
  constraint provider_cursors_pkey PRIMARY KEY (provider, name)
);

create table payments.provider_customers (
  tenant_id uuid not null,
  id uuid not null,
  customer_id uuid not null,
  provider text not null,
  ref text,
  sent_at timestamp with time zone,
  calling_until timestamp with time zone,
  ended_at timestamp with time zone,
  due_at timestamp with time zone,
  attempts integer not null default 0,
  lease_token uuid,
  leased_until timestamp with time zone,
  last_error_code text,
  created_at timestamp with time zone not null default kernel.now(),
  constraint provider_customers_id_key UNIQUE (id),
  constraint provider_customers_pkey PRIMARY KEY (tenant_id, customer_id, provider)
);
CREATE INDEX provider_customers_due ON payments.provider_customers USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE UNIQUE INDEX provider_customers_ref ON payments.provider_customers USING btree (provider, ref);

create table payments.provider_events (
  provider text not null,
  event_id text not null,
  type text not null,
  object_ref text not null,
  received_at timestamp with time zone not null default now(),
  processed_at timestamp with time zone,
  due_at timestamp with time zone,
  attempts integer not null default 0,
  lease_token uuid,
  leased_until timestamp with time zone,
  last_error_code text,
  constraint provider_events_pkey PRIMARY KEY (provider, event_id)
);
CREATE INDEX provider_events_due ON payments.provider_events USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX provider_events_object ON payments.provider_events USING btree (provider, object_ref);
CREATE INDEX provider_events_received ON payments.provider_events USING btree (received_at);

create table payments.reconciliation_items (
  tenant_id uuid not null,
  id uuid not null,
  provider text not null,
  external_ref text,
  local_ref text,
  state text not null default 'open'::text,
  discrepancy text not null,
  details jsonb not null default '{}'::jsonb,
  note text,
  resolved_by text,
  version bigint not null default 1,
  created_at timestamp with time zone not null default kernel.now(),
  resolved_at timestamp with time zone,
  constraint reconciliation_items_discrepancy_check CHECK ((discrepancy = ANY (ARRAY['missing_local'::text, 'missing_external'::text, 'amount_mismatch'::text, 'currency_mismatch'::text, 'state_mismatch'::text, 'fee_mismatch'::text, 'duplicate_effect'::text, 'orphan_authorization'::text, 'balance_drift'::text, 'unresolved_operation'::text]))),
  constraint reconciliation_items_id_key UNIQUE (id),
  constraint reconciliation_items_pkey PRIMARY KEY (tenant_id, id),
  constraint reconciliation_items_state_check CHECK ((state = ANY (ARRAY['open'::text, 'auto_resolved'::text, 'resolved'::text, 'ignored'::text])))
);
CREATE UNIQUE INDEX reconciliation_items_open ON payments.reconciliation_items USING btree (provider, discrepancy, COALESCE(external_ref, ''::text), COALESCE(local_ref, ''::text)) WHERE (state = 'open'::text);

create table payments.reconciliation_runs (
  id uuid not null,
  provider text not null,
  state text not null default 'queued'::text,
  from_at timestamp with time zone not null,
  to_at timestamp with time zone not null,
  phase text not null default 'payments'::text,
  page_after text,
  compared bigint not null default 0,
  fixed bigint not null default 0,
  opened bigint not null default 0,
  proof jsonb,
  requested_by text not null,
  due_at timestamp with time zone default kernel.now(),
  attempts integer not null default 0,
  lease_token uuid,
  leased_until timestamp with time zone,
  last_error_code text,
  created_at timestamp with time zone not null default kernel.now(),
  finished_at timestamp with time zone,
  constraint reconciliation_runs_pkey PRIMARY KEY (id),
  constraint reconciliation_runs_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text, 'succeeded'::text, 'failed'::text])))
);
CREATE INDEX reconciliation_runs_due ON payments.reconciliation_runs USING btree (due_at) WHERE (due_at IS NOT NULL);

create table payments.refunds (
  tenant_id uuid not null,
  id uuid not null,
  intent_id uuid not null,
  operation_id uuid not null,
  amount_minor bigint not null,
  currency text not null,
  state text not null default 'pending'::text,
  reason text not null,
  note text,
  provider text not null,
  provider_refund_id text,
  accepted boolean not null default false,
  failure_code text,
  version bigint not null default 1,
  created_at timestamp with time zone not null default kernel.now(),
  constraint refunds_amount_minor_check CHECK ((amount_minor > 0)),
  constraint refunds_pkey PRIMARY KEY (tenant_id, id),
  constraint refunds_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'succeeded'::text, 'failed'::text]))),
  constraint refunds_tenant_id_intent_id_fkey FOREIGN KEY (tenant_id, intent_id) REFERENCES payments.payment_intents(tenant_id, id),
  constraint refunds_tenant_id_operation_id_key UNIQUE (tenant_id, operation_id)
);
CREATE INDEX refunds_intent ON payments.refunds USING btree (tenant_id, intent_id, id);
CREATE UNIQUE INDEX refunds_provider ON payments.refunds USING btree (provider, provider_refund_id);
CREATE INDEX refunds_state ON payments.refunds USING btree (tenant_id, state, id);
CREATE INDEX refunds_tenant_provider ON payments.refunds USING btree (tenant_id, provider_refund_id);

create table payments.request_payers (
  tenant_id uuid not null,
  request_id uuid not null,
  email text not null,
  created_at timestamp with time zone not null default kernel.now(),
  constraint request_payers_pkey PRIMARY KEY (tenant_id, request_id),
  constraint request_payers_tenant_id_request_id_fkey FOREIGN KEY (tenant_id, request_id) REFERENCES payments.payment_requests(tenant_id, id)
);
CREATE INDEX request_payers_created ON payments.request_payers USING btree (created_at);
CREATE INDEX request_payers_email ON payments.request_payers USING btree (tenant_id, lower(email));

create table payments.settlement_records (
  tenant_id uuid not null,
  id uuid not null,
  provider text not null,
  balance_transaction_id text not null,
  kind text not null,
  source_ref text,
  intent_id uuid,
  amount_minor bigint not null,
  fee_minor bigint not null,
  net_minor bigint not null,
  currency text not null,
  exchange_rate text,
  available_on timestamp with time zone not null,
  payout_id text,
  provider_created_at timestamp with time zone not null,
  created_at timestamp with time zone not null default kernel.now(),
  constraint settlement_records_pkey PRIMARY KEY (tenant_id, id),
  constraint settlement_records_provider_balance_transaction_id_key UNIQUE (provider, balance_transaction_id)
);
CREATE INDEX settlement_records_currency ON payments.settlement_records USING btree (provider, currency);
CREATE INDEX settlement_records_intent ON payments.settlement_records USING btree (tenant_id, intent_id, id);
CREATE INDEX settlement_records_payout ON payments.settlement_records USING btree (tenant_id, payout_id, id);
CREATE INDEX settlement_records_transaction ON payments.settlement_records USING btree (tenant_id, balance_transaction_id);

CREATE OR REPLACE FUNCTION payments.check_balanced()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  lines bigint;
  unbalanced bigint;
begin
  select coalesce(sum(one.lines), 0), count(*) filter (where one.balance <> 0)
    into lines, unbalanced
  from (
    select count(*) as lines,
      sum(case direction when 'debit' then amount_minor else -amount_minor end) as balance
    from payments.ledger_entries where transaction_id = new.id
    group by currency) one;
  if lines < 2 or unbalanced > 0 then
    raise exception 'ledger transaction % is not balanced', new.id
      using errcode = '23514', constraint = 'ledger_balanced';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION payments.check_entries_are_new()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (
    select 1 from added
    join payments.ledger_transactions t on t.id = added.transaction_id
    where t.made_in <> pg_current_xact_id()) then
    raise exception 'entries can only be added in the commit of their transaction'
      using errcode = '23514', constraint = 'ledger_entries_of_one_commit';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION payments.post_ledger(posting_id uuid, posting_tenant uuid, posting_operation uuid, posting_intent uuid, posting_purpose text, posting_ref text, posting_request uuid, posting_reverses uuid, posting_description text, posting_currency text, leg_owners uuid[], leg_types text[], leg_directions text[], leg_amounts bigint[], posting_account uuid DEFAULT '00000000-0000-0000-0000-000000000000'::uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'payments', 'pg_temp'
AS $function$
begin
  insert into payments.ledger_transactions (
    id, tenant_id, operation_id, intent_id, purpose, external_ref, payment_account_id,
    request_id, reverses_id, description)
  values (
    posting_id, posting_tenant, posting_operation, posting_intent, posting_purpose, posting_ref,
    posting_account, posting_request, posting_reverses, posting_description)
  on conflict do nothing;
  if not found then
    return false;
  end if;
  if exists (
    select 1 from unnest(leg_owners, leg_types) as leg (owner_id, type)
    where not exists (
      select 1 from payments.ledger_accounts a
      where a.owner_id = leg.owner_id and a.currency = posting_currency and a.type = leg.type
        and a.payment_account_id = posting_account)) then
    insert into payments.ledger_accounts (owner_type, owner_id, currency, type, payment_account_id)
    select distinct
      case when leg.owner_id = '00000000-0000-0000-0000-000000000000' then 'platform'
        else 'tenant' end,
      leg.owner_id, posting_currency, leg.type, posting_account
    from unnest(leg_owners, leg_types) as leg (owner_id, type)
    order by 2, 4
    on conflict do nothing;
  end if;
  insert into payments.ledger_entries
    (transaction_id, line, account_id, currency, direction, amount_minor)
  select posting_id, leg.line, a.id, posting_currency, leg.direction, leg.amount
  from unnest(leg_owners, leg_types, leg_directions, leg_amounts)
    with ordinality as leg (owner_id, type, direction, amount, line)
  join payments.ledger_accounts a
    on a.owner_id = leg.owner_id and a.currency = posting_currency and a.type = leg.type
      and a.payment_account_id = posting_account;
  perform pg_advisory_xact_lock(hashtextextended('payments.books ' || posting_tenant, 0));
  insert into payments.ledger_balances as b (account_id, shard, debits_minor, credits_minor)
  select a.id,
    case when a.owner_type = 'platform'
      then (pg_current_xact_id()::text::bigint % 16)::smallint else 0 end,
    coalesce(sum(leg.amount) filter (where leg.direction = 'debit'), 0),
    coalesce(sum(leg.amount) filter (where leg.direction = 'credit'), 0)
  from unnest(leg_owners, leg_types, leg_directions, leg_amounts)
    as leg (owner_id, type, direction, amount)
  join payments.ledger_accounts a
    on a.owner_id = leg.owner_id and a.currency = posting_currency and a.type = leg.type
      and a.payment_account_id = posting_account
  group by a.id
  order by a.owner_type = 'platform', a.type = 'provider_clearing' desc, a.id
  on conflict (account_id, shard) do update
  set debits_minor = b.debits_minor + excluded.debits_minor,
    credits_minor = b.credits_minor + excluded.credits_minor;
  return true;
end $function$;

CREATE OR REPLACE FUNCTION payments.rebuild_balance(rebuilt uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'payments', 'pg_temp'
AS $function$
begin
  -- Two rebuilds that find the same difference would both add it.
  perform pg_advisory_xact_lock(hashtextextended('payments.rebuild ' || rebuilt, 0));
  insert into payments.ledger_balances as b (account_id, shard, debits_minor, credits_minor)
  select rebuilt, 0, entered.debits - kept.debits, entered.credits - kept.credits
  from (
    select coalesce(sum(amount_minor) filter (where direction = 'debit'), 0) as debits,
      coalesce(sum(amount_minor) filter (where direction = 'credit'), 0) as credits
    from payments.ledger_entries where account_id = rebuilt) entered
  cross join (
    select coalesce(sum(debits_minor), 0) as debits, coalesce(sum(credits_minor), 0) as credits
    from payments.ledger_balances where account_id = rebuilt) kept
  where entered.debits <> kept.debits or entered.credits <> kept.credits
  on conflict (account_id, shard) do update
  set debits_minor = b.debits_minor + excluded.debits_minor,
    credits_minor = b.credits_minor + excluded.credits_minor;
  return found;
end $function$;

CREATE OR REPLACE FUNCTION payments.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'the ledger is append-only: correct it with a reversing transaction'
    using errcode = '42501', constraint = 'ledger_append_only';
end $function$;

create schema commerce;

create table commerce.cart_items (
  tenant_id uuid not null,
  owner_id uuid not null,
  cart_id uuid not null,
  sku text not null,
  quantity integer not null,
  added_at timestamp with time zone not null default kernel.now(),
  constraint cart_items_pkey PRIMARY KEY (tenant_id, owner_id, cart_id, sku),
  constraint cart_items_quantity_check CHECK (((quantity >= 1) AND (quantity <= 999))),
  constraint cart_items_tenant_id_owner_id_cart_id_fkey FOREIGN KEY (tenant_id, owner_id, cart_id) REFERENCES commerce.carts(tenant_id, owner_id, id) ON DELETE CASCADE
) with (fillfactor=80);

create table commerce.cart_requests (
  tenant_id uuid not null,
  owner_id uuid not null,
  cart_id uuid not null,
  request_id uuid not null,
  cart_version bigint not null,
  pricing_fingerprint text not null,
  owner_kind text not null,
  session_id uuid,
  guest boolean not null,
  email text,
  billing_address jsonb,
  created_at timestamp with time zone not null default kernel.now(),
  constraint cart_requests_owner_kind_check CHECK ((owner_kind = ANY (ARRAY['account'::text, 'service'::text]))),
  constraint cart_requests_pkey PRIMARY KEY (tenant_id, owner_id, cart_id),
  constraint cart_requests_request UNIQUE (tenant_id, request_id),
  constraint cart_requests_tenant_id_owner_id_cart_id_fkey FOREIGN KEY (tenant_id, owner_id, cart_id) REFERENCES commerce.carts(tenant_id, owner_id, id) ON DELETE CASCADE
);
CREATE INDEX cart_requests_owner ON commerce.cart_requests USING btree (owner_id, cart_id);

create table commerce.carts (
  tenant_id uuid not null,
  owner_id uuid not null,
  id uuid not null,
  state text not null default 'open'::text,
  currency text not null,
  shipping_address jsonb,
  shipping_method_id text,
  discount_codes text[] not null default '{}'::text[],
  locale text,
  order_id uuid,
  version bigint not null default 1,
  created_at timestamp with time zone not null default kernel.now(),
  updated_at timestamp with time zone not null default kernel.now(),
  deleted_at timestamp with time zone,
  touched_hour timestamp without time zone generated always as date_trunc('hour'::text, (updated_at AT TIME ZONE 'UTC'::text)) stored,
  constraint carts_check CHECK (((state = 'open'::text) = (order_id IS NULL))),
  constraint carts_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint carts_pkey PRIMARY KEY (tenant_id, owner_id, id),
  constraint carts_state_check CHECK ((state = ANY (ARRAY['open'::text, 'locked'::text, 'ordered'::text])))
) with (fillfactor=70);
CREATE INDEX carts_old ON commerce.carts USING btree (touched_hour) WHERE (state <> 'locked'::text);
CREATE INDEX carts_open ON commerce.carts USING btree (tenant_id, owner_id) WHERE ((state = 'open'::text) AND (deleted_at IS NULL));
CREATE INDEX carts_owner ON commerce.carts USING btree (owner_id, id);

create table commerce.catalog_products (
  tenant_id uuid not null,
  id uuid not null,
  handle text not null,
  title text not null,
  description text not null default ''::text,
  category text not null default ''::text,
  tax_class text not null default 'standard'::text,
  attributes jsonb not null default '{}'::jsonb,
  images uuid[] not null default '{}'::uuid[],
  tags text[] not null default '{}'::text[],
  translations jsonb not null default '{}'::jsonb,
  facets text[] not null default '{}'::text[],
  state text not null default 'draft'::text,
  version bigint not null default 1,
  published_at timestamp with time zone,
  created_at timestamp with time zone not null default kernel.now(),
  updated_at timestamp with time zone not null default kernel.now(),
  search tsvector generated always as (((setweight(to_tsvector('simple'::regconfig, title), 'A'::"char") || setweight(to_tsvector('simple'::regconfig, category), 'B'::"char")) || setweight(jsonb_to_tsvector('simple'::regconfig, translations, '["string"]'::jsonb), 'B'::"char")) || setweight(to_tsvector('simple'::regconfig, description), 'C'::"char")) stored,
  constraint catalog_products_check CHECK (((state = 'draft'::text) OR (published_at IS NOT NULL))),
  constraint catalog_products_handle UNIQUE (tenant_id, handle),
  constraint catalog_products_handle_check CHECK ((handle ~ '^[a-z0-9]+(-[a-z0-9]+)*$'::text)),
  constraint catalog_products_pkey PRIMARY KEY (tenant_id, id),
  constraint catalog_products_state_check CHECK ((state = ANY (ARRAY['draft'::text, 'active'::text, 'archived'::text])))
);
CREATE INDEX catalog_products_category ON commerce.catalog_products USING btree (tenant_id, category text_pattern_ops, published_at DESC, id DESC);
CREATE INDEX catalog_products_images ON commerce.catalog_products USING gin (images);
CREATE INDEX catalog_products_newest ON commerce.catalog_products USING btree (tenant_id, state, published_at DESC, id DESC);
CREATE INDEX catalog_products_words ON commerce.catalog_products USING gin (((search || array_to_tsvector(ARRAY[(tenant_id)::text]))), facets) WITH (fastupdate=off);

create table commerce.discount_redemptions (
  tenant_id uuid not null,
  order_id uuid not null,
  code text not null,
  amount_minor bigint not null,
  state text not null default 'held'::text,
  constraint discount_redemptions_amount_minor_check CHECK ((amount_minor >= 0)),
  constraint discount_redemptions_pkey PRIMARY KEY (tenant_id, order_id, code),
  constraint discount_redemptions_state_check CHECK ((state = ANY (ARRAY['held'::text, 'used'::text, 'released'::text])))
);
CREATE INDEX discount_redemptions_code ON commerce.discount_redemptions USING btree (tenant_id, code) WHERE (state <> 'released'::text);

create table commerce.discount_uses (
  tenant_id uuid not null,
  code text not null,
  used bigint not null default 0,
  constraint discount_uses_pkey PRIMARY KEY (tenant_id, code),
  constraint discount_uses_used_check CHECK ((used >= 0))
);

create table commerce.inventory_items (
  tenant_id uuid not null,
  sku text not null,
  on_hand bigint not null default 0,
  reserved bigint not null default 0,
  version bigint not null default 1,
  constraint inventory_items_pkey PRIMARY KEY (tenant_id, sku),
  constraint inventory_items_stock CHECK (((reserved >= 0) AND (on_hand >= reserved))),
  constraint inventory_items_tenant_id_sku_fkey FOREIGN KEY (tenant_id, sku) REFERENCES commerce.product_variants(tenant_id, sku)
) with (fillfactor=70);

create table commerce.inventory_movements (
  tenant_id uuid not null,
  id bigint not null generated always as identity,
  sku text not null,
  delta_on_hand bigint not null,
  delta_reserved bigint not null,
  reason text not null,
  ref uuid,
  note text,
  created_at timestamp with time zone not null default kernel.now(),
  constraint inventory_movements_pkey PRIMARY KEY (tenant_id, sku, id)
);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON commerce.inventory_movements FOR EACH ROW EXECUTE FUNCTION kernel.refuse_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON commerce.inventory_movements FOR EACH STATEMENT EXECUTE FUNCTION kernel.refuse_change();

create table commerce.inventory_reservations (
  tenant_id uuid not null,
  id uuid not null,
  order_id uuid not null,
  sku text not null,
  quantity bigint not null,
  fulfilled_quantity bigint not null default 0,
  expires_at timestamp with time zone not null,
  state text not null default 'active'::text,
  constraint inventory_reservations_check CHECK (((fulfilled_quantity >= 0) AND (fulfilled_quantity <= quantity))),
  constraint inventory_reservations_check1 CHECK (((state = 'fulfilled'::text) = (fulfilled_quantity = quantity))),
  constraint inventory_reservations_line UNIQUE (tenant_id, order_id, sku),
  constraint inventory_reservations_pkey PRIMARY KEY (tenant_id, id),
  constraint inventory_reservations_quantity_check CHECK ((quantity > 0)),
  constraint inventory_reservations_state_check CHECK ((state = ANY (ARRAY['active'::text, 'committed'::text, 'fulfilled'::text, 'expired'::text, 'released'::text])))
);
CREATE INDEX inventory_reservations_live ON commerce.inventory_reservations USING btree (tenant_id, sku) WHERE (state = ANY (ARRAY['active'::text, 'committed'::text]));

create table commerce.order_counters (
  tenant_id uuid not null,
  last bigint not null,
  constraint order_counters_pkey PRIMARY KEY (tenant_id)
);

create table commerce.order_lines (
  tenant_id uuid not null,
  order_id uuid not null,
  id uuid not null,
  line_no integer not null,
  sku text not null,
  product_id uuid not null,
  product_description text not null,
  quantity integer not null,
  accepted_unit_price_minor bigint not null,
  subtotal_minor bigint not null,
  discount_minor bigint not null,
  tax_minor bigint not null,
  total_minor bigint not null,
  currency text not null,
  price_version_id uuid not null,
  tax_breakdown jsonb not null,
  requires_shipping boolean not null,
  track_inventory boolean not null,
  shipped_quantity integer not null default 0,
  returned_quantity integer not null default 0,
  refunded_quantity integer not null default 0,
  constraint order_lines_accepted_unit_price_minor_check CHECK ((accepted_unit_price_minor >= 0)),
  constraint order_lines_check CHECK ((subtotal_minor = (accepted_unit_price_minor * quantity))),
  constraint order_lines_check1 CHECK (((discount_minor >= 0) AND (discount_minor <= subtotal_minor))),
  constraint order_lines_pkey PRIMARY KEY (tenant_id, order_id, id),
  constraint order_lines_quantities CHECK (((0 <= refunded_quantity) AND (refunded_quantity <= returned_quantity) AND (returned_quantity <= shipped_quantity) AND (shipped_quantity <= quantity))),
  constraint order_lines_quantity_check CHECK ((quantity > 0)),
  constraint order_lines_tax_minor_check CHECK ((tax_minor >= 0)),
  constraint order_lines_tenant_id_order_id_fkey FOREIGN KEY (tenant_id, order_id) REFERENCES commerce.orders(tenant_id, id),
  constraint order_lines_tenant_id_order_id_line_no_key UNIQUE (tenant_id, order_id, line_no),
  constraint order_lines_total_minor_check CHECK ((total_minor >= 0))
);
CREATE TRIGGER order_lines_agreed BEFORE UPDATE ON commerce.order_lines FOR EACH ROW EXECUTE FUNCTION commerce.keep_agreement();
CREATE TRIGGER order_lines_kept BEFORE DELETE ON commerce.order_lines FOR EACH ROW EXECUTE FUNCTION commerce.refuse_change();
CREATE CONSTRAINT TRIGGER order_lines_sums AFTER INSERT ON commerce.order_lines DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION commerce.check_sums();

create table commerce.order_state_history (
  tenant_id uuid not null,
  order_id uuid not null,
  id bigint not null generated always as identity,
  from_state text,
  to_state text not null,
  reason_code text,
  at timestamp with time zone not null default kernel.now(),
  constraint order_state_history_pkey PRIMARY KEY (tenant_id, order_id, id)
);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON commerce.order_state_history FOR EACH ROW EXECUTE FUNCTION kernel.refuse_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON commerce.order_state_history FOR EACH STATEMENT EXECUTE FUNCTION kernel.refuse_change();

create table commerce.orders (
  tenant_id uuid not null,
  id uuid not null,
  number bigint,
  buyer_id uuid not null,
  cart_id uuid not null,
  request_id uuid,
  payment_account text,
  state text not null default 'pending'::text,
  currency text not null,
  email text,
  bought_by text,
  locale text,
  guest boolean not null default false,
  guest_network bytea,
  subtotal_minor bigint not null,
  discount_minor bigint not null,
  shipping_minor bigint not null,
  shipping_discount_minor bigint not null,
  shipping_tax_minor bigint not null,
  tax_minor bigint not null,
  total_minor bigint not null,
  prices_include_tax boolean not null,
  shipping_method jsonb,
  needs_shipping boolean not null,
  discounts jsonb not null,
  shipping_address jsonb,
  billing_address jsonb,
  calculation jsonb not null,
  pricing_fingerprint text not null,
  capture_policy text not null,
  payment_state text not null,
  authorize_operation_id uuid,
  intent_id uuid,
  amount_authorized_minor bigint not null default 0,
  amount_captured_minor bigint not null default 0,
  amount_refunded_minor bigint not null default 0,
  authorization_expires_at timestamp with time zone,
  payment_error jsonb,
  shipping_refunded boolean not null default false,
  idempotency_key text,
  request_fingerprint bytea not null,
  version bigint not null default 1,
  created_at timestamp with time zone not null default kernel.now(),
  confirmed_at timestamp with time zone,
  shipped_at timestamp with time zone,
  reservation_expires_at timestamp with time zone not null,
  due_at timestamp with time zone,
  attempts integer not null default 0,
  lease_token uuid,
  leased_until timestamp with time zone,
  last_error_code text,
  buyer_erased boolean not null default false,
  constraint orders_capture_policy_check CHECK ((capture_policy = ANY (ARRAY['on_first_shipment'::text, 'on_confirm'::text]))),
  constraint orders_confirmed CHECK (
CASE
    WHEN (state = ANY (ARRAY['confirmed'::text, 'fulfilled'::text])) THEN (confirmed_at IS NOT NULL)
    WHEN (state = 'cancelled'::text) THEN true
    ELSE (confirmed_at IS NULL)
END),
  constraint orders_discount_minor_check CHECK ((discount_minor >= 0)),
  constraint orders_key UNIQUE (tenant_id, buyer_id, idempotency_key),
  constraint orders_money CHECK (((0 <= amount_refunded_minor) AND (amount_refunded_minor <= amount_captured_minor) AND (amount_captured_minor <= amount_authorized_minor) AND (amount_authorized_minor <= total_minor))),
  constraint orders_number UNIQUE (tenant_id, number),
  constraint orders_numbered CHECK (((number IS NULL) OR (confirmed_at IS NOT NULL))),
  constraint orders_payment_state_check CHECK ((payment_state = ANY (ARRAY['none'::text, 'authorizing'::text, 'requires_action'::text, 'pending_provider'::text, 'authorized'::text, 'captured'::text, 'releasing'::text, 'released'::text, 'declined'::text, 'partially_refunded'::text, 'refunded'::text]))),
  constraint orders_pkey PRIMARY KEY (tenant_id, id),
  constraint orders_shipping_discount_minor_check CHECK ((shipping_discount_minor >= 0)),
  constraint orders_shipping_minor_check CHECK ((shipping_minor >= 0)),
  constraint orders_shipping_tax_minor_check CHECK ((shipping_tax_minor >= 0)),
  constraint orders_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'confirmed'::text, 'fulfilled'::text, 'payment_failed'::text, 'expired'::text, 'cancelled'::text]))),
  constraint orders_subtotal_minor_check CHECK ((subtotal_minor >= 0)),
  constraint orders_tax_minor_check CHECK ((tax_minor >= 0)),
  constraint orders_total CHECK ((total_minor = ((((subtotal_minor - discount_minor) + shipping_minor) - shipping_discount_minor) +
CASE
    WHEN prices_include_tax THEN (0)::bigint
    ELSE tax_minor
END))),
  constraint orders_total_minor_check CHECK (((total_minor >= 0) AND (total_minor <= 99999999)))
);
CREATE INDEX orders_authorization ON commerce.orders USING btree (authorization_expires_at) WHERE ((state = 'confirmed'::text) AND (payment_state = 'authorized'::text));
CREATE INDEX orders_bought_by ON commerce.orders USING btree (tenant_id, kernel.plain(bought_by) COLLATE "C");
CREATE INDEX orders_buyer ON commerce.orders USING btree (tenant_id, buyer_id, id DESC);
CREATE INDEX orders_due ON commerce.orders USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX orders_email ON commerce.orders USING btree (tenant_id, kernel.plain(email) COLLATE "C");
CREATE INDEX orders_erased ON commerce.orders USING btree (tenant_id, id) WHERE buyer_erased;
CREATE INDEX orders_guest_network ON commerce.orders USING btree (tenant_id, guest_network) WHERE (guest_network IS NOT NULL);
CREATE INDEX orders_intent ON commerce.orders USING btree (tenant_id, intent_id);
CREATE INDEX orders_last_word ON commerce.orders USING btree (tenant_id, kernel.last_word((shipping_address ->> 'name'::text)) COLLATE "C");
CREATE INDEX orders_name ON commerce.orders USING btree (tenant_id, kernel.plain((shipping_address ->> 'name'::text)) COLLATE "C");
CREATE INDEX orders_pending ON commerce.orders USING btree (tenant_id, buyer_id) WHERE (state = 'pending'::text);
CREATE INDEX orders_person ON commerce.orders USING btree (buyer_id, id);
CREATE INDEX orders_request ON commerce.orders USING btree (tenant_id, request_id) WHERE (request_id IS NOT NULL);
CREATE INDEX orders_state ON commerce.orders USING btree (tenant_id, state, id DESC);
CREATE INDEX orders_total ON commerce.orders USING btree (tenant_id, currency, total_minor, id);
CREATE TRIGGER orders_agreed BEFORE UPDATE ON commerce.orders FOR EACH ROW EXECUTE FUNCTION commerce.keep_agreement();
CREATE CONSTRAINT TRIGGER orders_sums AFTER INSERT ON commerce.orders DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION commerce.check_sums();

create table commerce.payment_operations (
  tenant_id uuid not null,
  id uuid not null,
  order_id uuid not null,
  type text not null,
  amount_minor bigint not null,
  state text not null default 'requested'::text,
  payment_method text,
  save_method boolean not null default false,
  return_url text,
  reason text,
  result jsonb,
  due_at timestamp with time zone,
  attempts integer not null default 0,
  lease_token uuid,
  leased_until timestamp with time zone,
  last_error_code text,
  created_at timestamp with time zone not null default kernel.now(),
  constraint payment_operations_amount_minor_check CHECK ((amount_minor >= 0)),
  constraint payment_operations_id UNIQUE (id),
  constraint payment_operations_pkey PRIMARY KEY (tenant_id, id),
  constraint payment_operations_state_check CHECK ((state = ANY (ARRAY['requested'::text, 'pending'::text, 'succeeded'::text, 'failed'::text]))),
  constraint payment_operations_tenant_id_order_id_fkey FOREIGN KEY (tenant_id, order_id) REFERENCES commerce.orders(tenant_id, id),
  constraint payment_operations_type_check CHECK ((type = ANY (ARRAY['authorize'::text, 'capture'::text, 'void'::text, 'refund'::text])))
);
CREATE INDEX payment_operations_due ON commerce.payment_operations USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE UNIQUE INDEX payment_operations_once ON commerce.payment_operations USING btree (tenant_id, order_id, type) WHERE ((type = ANY (ARRAY['authorize'::text, 'capture'::text, 'void'::text])) AND (state <> 'failed'::text));
CREATE INDEX payment_operations_refused ON commerce.payment_operations USING btree (tenant_id, order_id, created_at) WHERE ((type = 'capture'::text) AND (state = 'failed'::text));
CREATE INDEX payment_operations_waiting ON commerce.payment_operations USING btree (tenant_id, order_id) WHERE (state = 'pending'::text);

create table commerce.price_versions (
  tenant_id uuid not null,
  id uuid not null,
  sku text not null,
  currency text not null,
  amount_minor bigint not null,
  compare_at_minor bigint,
  prices_include_tax boolean not null default false,
  effective_from timestamp with time zone not null,
  created_at timestamp with time zone not null default kernel.now(),
  constraint price_versions_amount_minor_check CHECK ((amount_minor >= 0)),
  constraint price_versions_compare_at_minor_check CHECK ((compare_at_minor >= 0)),
  constraint price_versions_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint price_versions_moment UNIQUE (tenant_id, sku, currency, effective_from),
  constraint price_versions_pkey PRIMARY KEY (tenant_id, id),
  constraint price_versions_tenant_id_sku_fkey FOREIGN KEY (tenant_id, sku) REFERENCES commerce.product_variants(tenant_id, sku)
);
CREATE INDEX price_versions_begins ON commerce.price_versions USING btree (tenant_id, effective_from, id);
CREATE INDEX price_versions_now ON commerce.price_versions USING btree (tenant_id, sku, currency, effective_from DESC) INCLUDE (amount_minor);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON commerce.price_versions FOR EACH ROW EXECUTE FUNCTION kernel.refuse_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON commerce.price_versions FOR EACH STATEMENT EXECUTE FUNCTION kernel.refuse_change();

create table commerce.product_prices (
  tenant_id uuid not null,
  product_id uuid not null,
  currency text not null,
  amount_minor bigint,
  due_at timestamp with time zone,
  attempts integer not null default 0,
  lease_token uuid,
  leased_until timestamp with time zone,
  last_error_code text,
  constraint product_prices_pkey PRIMARY KEY (tenant_id, product_id, currency),
  constraint product_prices_tenant_id_product_id_fkey FOREIGN KEY (tenant_id, product_id) REFERENCES commerce.catalog_products(tenant_id, id)
);
CREATE INDEX product_prices_amount ON commerce.product_prices USING btree (tenant_id, currency, amount_minor, product_id) WHERE (amount_minor IS NOT NULL);
CREATE INDEX product_prices_due ON commerce.product_prices USING btree (due_at) WHERE (due_at IS NOT NULL);

create table commerce.product_variants (
  tenant_id uuid not null,
  sku text not null,
  product_id uuid not null,
  place integer not null,
  title text not null,
  options jsonb not null default '{}'::jsonb,
  weight_grams integer not null default 0,
  requires_shipping boolean not null default true,
  track_inventory boolean not null default true,
  max_order_quantity integer not null default 999,
  file_ids uuid[] not null default '{}'::uuid[],
  state text not null default 'active'::text,
  constraint product_variants_max_order_quantity_check CHECK (((max_order_quantity >= 1) AND (max_order_quantity <= 999))),
  constraint product_variants_pkey PRIMARY KEY (tenant_id, sku),
  constraint product_variants_sku_check CHECK ((sku ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$'::text)),
  constraint product_variants_state_check CHECK ((state = ANY (ARRAY['active'::text, 'disabled'::text]))),
  constraint product_variants_tenant_id_product_id_fkey FOREIGN KEY (tenant_id, product_id) REFERENCES commerce.catalog_products(tenant_id, id),
  constraint product_variants_weight_grams_check CHECK ((weight_grams >= 0))
);
CREATE INDEX product_variants_files ON commerce.product_variants USING gin (file_ids) WHERE (file_ids <> '{}'::uuid[]);
CREATE INDEX product_variants_product ON commerce.product_variants USING btree (tenant_id, product_id, place);
CREATE INDEX product_variants_sku_words ON commerce.product_variants USING btree (tenant_id, kernel.plain(sku) COLLATE "C");

create table commerce.refunds (
  tenant_id uuid not null,
  id uuid not null,
  order_id uuid not null,
  return_id uuid,
  amount_minor bigint not null,
  state text not null default 'pending'::text,
  created_at timestamp with time zone not null default kernel.now(),
  constraint refunds_amount_minor_check CHECK ((amount_minor > 0)),
  constraint refunds_pkey PRIMARY KEY (tenant_id, id),
  constraint refunds_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'succeeded'::text, 'failed'::text]))),
  constraint refunds_tenant_id_order_id_fkey FOREIGN KEY (tenant_id, order_id) REFERENCES commerce.orders(tenant_id, id)
);
CREATE UNIQUE INDEX refunds_of_return ON commerce.refunds USING btree (tenant_id, return_id) WHERE ((return_id IS NOT NULL) AND (state <> 'failed'::text));
CREATE INDEX refunds_order ON commerce.refunds USING btree (tenant_id, order_id, id);

create table commerce.return_lines (
  tenant_id uuid not null,
  return_id uuid not null,
  order_id uuid not null,
  order_line_id uuid not null,
  quantity integer not null,
  received_quantity integer,
  restock boolean,
  reason_code text not null,
  refund_minor bigint,
  constraint return_lines_check CHECK (((received_quantity >= 0) AND (received_quantity <= quantity))),
  constraint return_lines_pkey PRIMARY KEY (tenant_id, return_id, order_line_id),
  constraint return_lines_quantity_check CHECK ((quantity > 0)),
  constraint return_lines_refund_minor_check CHECK ((refund_minor >= 0)),
  constraint return_lines_tenant_id_order_id_order_line_id_fkey FOREIGN KEY (tenant_id, order_id, order_line_id) REFERENCES commerce.order_lines(tenant_id, order_id, id),
  constraint return_lines_tenant_id_return_id_fkey FOREIGN KEY (tenant_id, return_id) REFERENCES commerce.returns(tenant_id, id)
);

create table commerce.returns (
  tenant_id uuid not null,
  id uuid not null,
  order_id uuid not null,
  buyer_id uuid not null,
  state text not null default 'requested'::text,
  refund_shipping text not null default 'none'::text,
  restocking_fee_minor bigint not null default 0,
  refund_minor bigint,
  note text,
  idempotency_key text,
  request_fingerprint bytea not null,
  version bigint not null default 1,
  created_at timestamp with time zone not null default kernel.now(),
  constraint returns_key UNIQUE (tenant_id, buyer_id, idempotency_key),
  constraint returns_pkey PRIMARY KEY (tenant_id, id),
  constraint returns_refund_minor_check CHECK ((refund_minor >= 0)),
  constraint returns_refund_shipping_check CHECK ((refund_shipping = ANY (ARRAY['none'::text, 'full'::text]))),
  constraint returns_restocking_fee_minor_check CHECK ((restocking_fee_minor >= 0)),
  constraint returns_state_check CHECK ((state = ANY (ARRAY['requested'::text, 'approved'::text, 'rejected'::text, 'cancelled'::text, 'received'::text, 'refund_pending'::text, 'refunded'::text, 'refund_failed'::text]))),
  constraint returns_tenant_id_order_id_fkey FOREIGN KEY (tenant_id, order_id) REFERENCES commerce.orders(tenant_id, id)
);
CREATE INDEX returns_buyer ON commerce.returns USING btree (tenant_id, buyer_id, id DESC);
CREATE INDEX returns_order ON commerce.returns USING btree (tenant_id, order_id, id);
CREATE INDEX returns_person ON commerce.returns USING btree (buyer_id, id);

create table commerce.shipments (
  tenant_id uuid not null,
  id uuid not null,
  order_id uuid not null,
  state text not null default 'preparing'::text,
  lines jsonb not null default '[]'::jsonb,
  carrier text,
  tracking_number text,
  principal_id uuid,
  idempotency_key text,
  request_fingerprint bytea,
  version bigint not null default 1,
  created_at timestamp with time zone not null default kernel.now(),
  shipped_at timestamp with time zone,
  delivered_at timestamp with time zone,
  constraint shipments_key UNIQUE (tenant_id, principal_id, idempotency_key),
  constraint shipments_pkey PRIMARY KEY (tenant_id, id),
  constraint shipments_state_check CHECK ((state = ANY (ARRAY['preparing'::text, 'awaiting_capture'::text, 'shipped'::text, 'delivered'::text, 'lost'::text, 'cancelled'::text]))),
  constraint shipments_tenant_id_order_id_fkey FOREIGN KEY (tenant_id, order_id) REFERENCES commerce.orders(tenant_id, id)
);
CREATE UNIQUE INDEX shipments_open ON commerce.shipments USING btree (tenant_id, order_id) WHERE (state = ANY (ARRAY['preparing'::text, 'awaiting_capture'::text]));
CREATE INDEX shipments_order ON commerce.shipments USING btree (tenant_id, order_id, id);
CREATE INDEX shipments_state ON commerce.shipments USING btree (tenant_id, state, id DESC);
CREATE INDEX shipments_tracking ON commerce.shipments USING btree (tenant_id, kernel.plain(tracking_number) COLLATE "C");

create table commerce.shop_records (
  tenant_id uuid not null,
  kind text not null,
  key text not null,
  record jsonb not null,
  version bigint not null default 1,
  updated_at timestamp with time zone not null default kernel.now(),
  constraint shop_records_kind_check CHECK ((kind = ANY (ARRAY['settings'::text, 'tax_rule'::text, 'shipping_method'::text, 'discount'::text, 'collection'::text]))),
  constraint shop_records_pkey PRIMARY KEY (tenant_id, kind, key)
);
CREATE INDEX shop_records_automatic ON commerce.shop_records USING btree (tenant_id) WHERE ((kind = 'discount'::text) AND (record @> '{"automatic": true}'::jsonb));

CREATE OR REPLACE FUNCTION commerce.check_sums()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  tenant uuid := new.tenant_id;
  one uuid := case tg_table_name when 'orders' then to_jsonb(new) ->> 'id'
    else to_jsonb(new) ->> 'order_id' end;
begin
  if exists (
    select from commerce.orders o
    left join lateral (
      select sum(l.subtotal_minor) as subtotal, sum(l.discount_minor) as discount,
        sum(l.tax_minor) as tax, sum(l.total_minor) as total
      from commerce.order_lines l where l.tenant_id = o.tenant_id and l.order_id = o.id) s on true
    where o.tenant_id = tenant and o.id = one
      and (s.subtotal is distinct from o.subtotal_minor
        or s.discount is distinct from o.discount_minor
        or s.tax + o.shipping_tax_minor is distinct from o.tax_minor
        or s.total + o.shipping_minor - o.shipping_discount_minor
          + case when o.prices_include_tax then 0 else o.shipping_tax_minor end
          is distinct from o.total_minor)) then
    raise exception 'the lines of order % do not add up to it', one
      using errcode = '23514', constraint = 'orders_sums';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION commerce.facets_of(tenant uuid, product uuid)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
AS $function$
begin
  return array(
    select f.facet from (
      select e'tag\x1f\x1f' || tag as facet
      from commerce.catalog_products p, unnest(p.tags) tag
      where p.tenant_id = tenant and p.id = product
      union
      select e'category\x1f\x1f' || string_agg(part, '/') over (order by n)
      from commerce.catalog_products p,
        unnest(string_to_array(p.category, '/')) with ordinality as c (part, n)
      where p.tenant_id = tenant and p.id = product
      union
      select e'attribute\x1f' || a.key || e'\x1f' || a.value
      from commerce.catalog_products p, jsonb_each_text(p.attributes) a
      where p.tenant_id = tenant and p.id = product
      union
      select e'option\x1f' || o.key || e'\x1f' || o.value
      from commerce.product_variants v, jsonb_each_text(v.options) o
      where v.tenant_id = tenant and v.product_id = product and v.state = 'active') f
    order by f.facet collate "C" limit 500);
end $function$;

CREATE OR REPLACE FUNCTION commerce.give_back(tenant uuid, for_order uuid, to_state text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  held record;
begin
  for held in
    select r.sku, r.quantity - r.fulfilled_quantity as rest
    from commerce.inventory_reservations r
    where r.tenant_id = tenant and r.order_id = for_order and r.state in ('active', 'committed')
    order by r.sku collate "C"
  loop
    perform from commerce.move_stock(tenant, held.sku, 0, -held.rest, to_state, for_order, null);
  end loop;
  update commerce.inventory_reservations r set state = to_state
  where r.tenant_id = tenant and r.order_id = for_order and r.state in ('active', 'committed');
end $function$;

CREATE OR REPLACE FUNCTION commerce.keep_agreement()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  moves text[] := case tg_table_name
    when 'order_lines' then array['shipped_quantity', 'returned_quantity', 'refunded_quantity']
    else array['number', 'state', 'buyer_id', 'email', 'bought_by', 'locale', 'guest',
      'guest_network', 'shipping_address', 'billing_address', 'payment_state',
      'authorize_operation_id', 'intent_id', 'amount_authorized_minor', 'amount_captured_minor',
      'amount_refunded_minor', 'authorization_expires_at', 'payment_error', 'shipping_refunded',
      'version', 'confirmed_at', 'shipped_at', 'due_at', 'attempts', 'lease_token', 'leased_until',
      'last_error_code', 'buyer_erased'] end;
begin
  if to_jsonb(new) ->> 'idempotency_key' is null then moves := moves || array['idempotency_key']; end if;
  if to_jsonb(new) - moves is distinct from to_jsonb(old) - moves then
    raise exception 'what a buyer agreed to in % is kept as it is', tg_table_name
      using errcode = '23514', constraint = tg_name;
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION commerce.moment(at timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$function$;

CREATE OR REPLACE FUNCTION commerce.move_stock(tenant uuid, item text, on_hand_by bigint, reserved_by bigint, why text, cause uuid, words text)
 RETURNS TABLE(on_hand bigint, reserved bigint, version bigint)
 LANGUAGE sql
AS $function$
  with moved as (
    update commerce.inventory_items i
    set on_hand = i.on_hand + on_hand_by, reserved = i.reserved + reserved_by,
      version = i.version + 1
    where i.tenant_id = tenant and i.sku = item
      and i.reserved + reserved_by >= 0
      and i.on_hand + on_hand_by >= i.reserved + reserved_by
    returning i.on_hand, i.reserved, i.version
  ), noted as (
    insert into commerce.inventory_movements (
      tenant_id, sku, delta_on_hand, delta_reserved, reason, ref, note)
    select tenant, item, on_hand_by, reserved_by, why, cause, words from moved
  )
  select m.on_hand, m.reserved, m.version from moved m
$function$;

CREATE OR REPLACE FUNCTION commerce.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception '% of %.% is refused: its rows are kept as they are',
    tg_op, tg_table_schema, tg_table_name using errcode = '23514', constraint = tg_name;
end $function$;

CREATE OR REPLACE FUNCTION commerce.reserve(tenant uuid, for_order uuid, ids uuid[], skus text[], quantities bigint[], until timestamp with time zone)
 RETURNS TABLE(sku text, requested bigint, available bigint)
 LANGUAGE plpgsql
AS $function$
declare
  want record;
begin
  for want in
    select w.sku, sum(w.quantity)::bigint as quantity, (array_agg(w.id))[1] as id
    from unnest(ids, skus, quantities) as w (id, sku, quantity)
    group by w.sku order by w.sku collate "C"
  loop
    perform from commerce.move_stock(
      tenant, want.sku, 0, want.quantity, 'reserved', for_order, null);
    if found then
      insert into commerce.inventory_reservations (
        tenant_id, id, order_id, sku, quantity, expires_at)
      values (tenant, want.id, for_order, want.sku, want.quantity, until);
    else
      sku := want.sku;
      requested := want.quantity;
      available := coalesce((
        select i.on_hand - i.reserved from commerce.inventory_items i
        where i.tenant_id = tenant and i.sku = want.sku), 0);
      return next;
    end if;
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION commerce.return_view(tenant uuid, one uuid)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
  select jsonb_build_object(
    'id', r.id, 'order_id', r.order_id, 'state', r.state,
    'currency', (
      select o.currency from commerce.orders o
      where o.tenant_id = r.tenant_id and o.id = r.order_id),
    'lines', (
      select jsonb_agg(jsonb_build_object(
        'order_line_id', l.order_line_id, 'quantity', l.quantity,
        'received_quantity', l.received_quantity, 'restock', l.restock,
        'reason_code', l.reason_code, 'refund_minor', l.refund_minor) order by l.order_line_id)
      from commerce.return_lines l where l.tenant_id = r.tenant_id and l.return_id = r.id),
    'refund_shipping', r.refund_shipping, 'restocking_fee_minor', r.restocking_fee_minor,
    'refund', (
      select jsonb_build_object(
        'operation_id', f.id, 'amount_minor', f.amount_minor, 'state', f.state)
      from commerce.refunds f where f.tenant_id = r.tenant_id and f.return_id = r.id
      order by f.created_at desc, f.id desc limit 1),
    'note', r.note, 'version', r.version, 'created_at', commerce.moment(r.created_at))
  from commerce.returns r where r.tenant_id = tenant and r.id = one
$function$;

CREATE OR REPLACE FUNCTION commerce.take_out(tenant uuid, for_order uuid, cause uuid, skus text[], quantities bigint[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  sent record;
begin
  for sent in
    select w.sku, sum(w.quantity)::bigint as quantity
    from unnest(skus, quantities) as w (sku, quantity)
    group by w.sku order by w.sku collate "C"
  loop
    update commerce.inventory_reservations r
    set fulfilled_quantity = r.fulfilled_quantity + sent.quantity,
      state = case when r.fulfilled_quantity + sent.quantity = r.quantity
        then 'fulfilled' else r.state end
    where r.tenant_id = tenant and r.order_id = for_order and r.sku = sent.sku
      and r.state = 'committed';
    if not found then
      raise exception 'order % holds no % to ship', for_order, sent.sku;
    end if;
    perform from commerce.move_stock(
      tenant, sent.sku, -sent.quantity, -sent.quantity, 'shipped', cause, null);
    if not found then
      raise exception 'there are not % of % to ship', sent.quantity, sent.sku;
    end if;
  end loop;
end $function$;

create schema links;

create table links.blocklist (
  id uuid not null,
  kind text not null,
  value text collate "C" not null,
  action text not null,
  reason text not null,
  created_by uuid not null,
  created_at timestamp with time zone not null default kernel.now(),
  removed_at timestamp with time zone,
  constraint blocklist_action_check CHECK ((action = ANY (ARRAY['block'::text, 'warn'::text]))),
  constraint blocklist_kind_check CHECK ((kind = ANY (ARRAY['host'::text, 'suffix'::text, 'url'::text, 'regex'::text]))),
  constraint blocklist_pkey PRIMARY KEY (id),
  constraint blocklist_value_check CHECK (((length(value) >= 1) AND (length(value) <= 500)))
);
CREATE UNIQUE INDEX blocklist_value ON links.blocklist USING btree (kind, value) WHERE (removed_at IS NULL);

create table links.click_batches (
  id uuid not null,
  counts json not null,
  created_at timestamp with time zone not null default now(),
  clicks_since timestamp with time zone not null,
  constraint click_batches_pkey PRIMARY KEY (id)
) with (autovacuum_vacuum_scale_factor=0.01);

create table links.click_events (
  event_id uuid not null,
  domain_id uuid not null,
  code text collate "C" not null,
  occurred_at timestamp with time zone not null,
  coarse_context jsonb not null,
  batch_id uuid not null,
  constraint click_events_pkey PRIMARY KEY (event_id, occurred_at)
) partition by RANGE (occurred_at);

create table links.click_losses (
  day date not null,
  clicks bigint not null,
  constraint click_losses_clicks_check CHECK ((clicks > 0)),
  constraint click_losses_pkey PRIMARY KEY (day)
);

create table links.daily_link_stats (
  domain_id uuid not null,
  code text collate "C" not null,
  day date not null,
  clicks bigint not null default 0,
  bots bigint not null default 0,
  bounded_dimensions jsonb not null default '{}'::jsonb,
  constraint daily_link_stats_bots_check CHECK ((bots >= 0)),
  constraint daily_link_stats_clicks_check CHECK ((clicks >= 0)),
  constraint daily_link_stats_pkey PRIMARY KEY (domain_id, code, day)
) with (fillfactor=70);

create table links.domains (
  tenant_id uuid not null,
  id uuid not null,
  owner_id uuid not null,
  hostname text collate "C" not null,
  verification_token_hash bytea not null,
  verification_expires_at timestamp with time zone not null,
  state text not null default 'pending_verification'::text,
  root_url text,
  missed_checks smallint not null default 0,
  checked_at timestamp with time zone,
  next_check_at timestamp with time zone,
  version bigint not null default 1,
  created_at timestamp with time zone not null default kernel.now(),
  updated_at timestamp with time zone not null default kernel.now(),
  missing_since timestamp with time zone,
  check_attempts integer not null default 0,
  check_lease_token uuid,
  check_leased_until timestamp with time zone,
  check_error_code text,
  constraint domains_hostname_check CHECK (((hostname = lower(hostname)) AND (length(hostname) <= 253))),
  constraint domains_pkey PRIMARY KEY (id),
  constraint domains_state_check CHECK ((state = ANY (ARRAY['pending_verification'::text, 'active'::text, 'suspended'::text, 'removed'::text]))),
  constraint domains_tenant_id_id_key UNIQUE (tenant_id, id),
  constraint domains_verification_token_hash_check CHECK ((octet_length(verification_token_hash) = 32))
);
CREATE INDEX domains_claims ON links.domains USING btree (verification_expires_at) WHERE (state = 'pending_verification'::text);
CREATE INDEX domains_hostname ON links.domains USING btree (hostname);
CREATE INDEX domains_next_check ON links.domains USING btree (next_check_at) WHERE (state = ANY (ARRAY['active'::text, 'suspended'::text]));
CREATE UNIQUE INDEX domains_own ON links.domains USING btree (owner_id, hostname) WHERE (state <> 'removed'::text);
CREATE INDEX domains_owner ON links.domains USING btree (tenant_id, owner_id, id);
CREATE UNIQUE INDEX domains_proven ON links.domains USING btree (hostname) WHERE (state = ANY (ARRAY['active'::text, 'suspended'::text]));
CREATE INDEX domains_words ON links.domains USING btree (tenant_id, kernel.plain(hostname));

create table links.edge_purges (
  id bigint not null generated always as identity,
  event_id uuid not null,
  link_id uuid,
  domain_id uuid not null,
  code text collate "C" not null,
  attempts integer not null default 0,
  due_at timestamp with time zone default kernel.now(),
  lease_token uuid,
  leased_until timestamp with time zone,
  last_error_code text,
  constraint edge_purges_check CHECK (((link_id IS NULL) = (code = ''::text))),
  constraint edge_purges_pkey PRIMARY KEY (id)
);
CREATE INDEX edge_purges_due_at ON links.edge_purges USING btree (due_at);

create table links.link_changes (
  seq bigint not null generated always as identity,
  domain_id uuid not null,
  code text collate "C" not null default ''::text,
  xid xid8 not null default pg_current_xact_id(),
  created_at timestamp with time zone not null default now(),
  constraint link_changes_pkey PRIMARY KEY (seq)
) with (autovacuum_vacuum_scale_factor=0.01);
CREATE INDEX link_changes_created_at ON links.link_changes USING btree (created_at);
CREATE INDEX link_changes_xid ON links.link_changes USING btree (xid);

create table links.link_reports (
  id uuid not null,
  url text not null,
  reason text not null,
  state text not null default 'received'::text,
  domain_id uuid,
  code text collate "C",
  destination_host text collate "C",
  created_at timestamp with time zone not null default kernel.now(),
  resolved_at timestamp with time zone,
  constraint link_reports_check CHECK (((domain_id IS NULL) = (code IS NULL))),
  constraint link_reports_check1 CHECK (((state = 'resolved'::text) = (resolved_at IS NOT NULL))),
  constraint link_reports_pkey PRIMARY KEY (id),
  constraint link_reports_state_check CHECK ((state = ANY (ARRAY['received'::text, 'resolved'::text])))
);
CREATE INDEX link_reports_host ON links.link_reports USING btree (destination_host, created_at) WHERE (state = 'received'::text);
CREATE INDEX link_reports_link ON links.link_reports USING btree (domain_id, code) WHERE (state = 'received'::text);
CREATE INDEX link_reports_state ON links.link_reports USING btree (state, id);

create table links.links (
  tenant_id uuid not null,
  domain_id uuid not null,
  code text collate "C" not null,
  id uuid not null,
  owner_id uuid not null,
  destination_url text not null,
  destination_host text collate "C" not null,
  destination_version integer not null default 1,
  state text not null,
  safety_state text not null,
  disabled_by text,
  redirect_status smallint not null default 302,
  scan text not null default 'warn'::text,
  query text not null default 'ignore'::text,
  cache_seconds integer not null default 0,
  edge_cache_seconds integer not null default 0,
  title text,
  max_clicks bigint,
  remaining_clicks bigint,
  expires_at timestamp with time zone,
  scan_due_at timestamp with time zone,
  scan_attempts smallint not null default 0,
  version bigint not null default 1,
  created_at timestamp with time zone not null default kernel.now(),
  updated_at timestamp with time zone not null default kernel.now(),
  owner_disabled boolean not null default false,
  scan_lease_token uuid,
  scan_leased_until timestamp with time zone,
  scan_error_code text,
  constraint links_cache_seconds_check CHECK (((cache_seconds >= 0) AND (cache_seconds <= 300))),
  constraint links_check CHECK (((state = 'disabled'::text) = (disabled_by IS NOT NULL))),
  constraint links_check1 CHECK (((max_clicks IS NULL) = (remaining_clicks IS NULL))),
  constraint links_check2 CHECK ((remaining_clicks <= max_clicks)),
  constraint links_check3 CHECK (((redirect_status = ANY (ARRAY[302, 307])) OR (max_clicks IS NULL))),
  constraint links_check4 CHECK (((disabled_by IS DISTINCT FROM 'owner'::text) OR owner_disabled)),
  constraint links_code_check CHECK (((length(code) >= 3) AND (length(code) <= 64))),
  constraint links_destination_url_check CHECK ((length(destination_url) <= 2048)),
  constraint links_disabled_by_check CHECK ((disabled_by = ANY (ARRAY['owner'::text, 'safety'::text, 'admin'::text]))),
  constraint links_edge_cache_seconds_check CHECK (((edge_cache_seconds >= 0) AND (edge_cache_seconds <= 86400))),
  constraint links_max_clicks_check CHECK ((max_clicks > 0)),
  constraint links_pkey PRIMARY KEY (domain_id, code),
  constraint links_query_check CHECK ((query = ANY (ARRAY['ignore'::text, 'append'::text]))),
  constraint links_redirect_status_check CHECK ((redirect_status = ANY (ARRAY[301, 302, 307, 308]))),
  constraint links_remaining_clicks_check CHECK ((remaining_clicks >= 0)),
  constraint links_safety_state_check CHECK ((safety_state = ANY (ARRAY['unscanned'::text, 'clean'::text, 'suspicious'::text, 'malicious'::text]))),
  constraint links_scan_check CHECK ((scan = ANY (ARRAY['allow'::text, 'warn'::text, 'block'::text]))),
  constraint links_state_check CHECK ((state = ANY (ARRAY['pending_scan'::text, 'active'::text, 'disabled'::text, 'expired'::text, 'deleted'::text]))),
  constraint links_title_check CHECK ((length(title) <= 200))
) with (fillfactor=90);
CREATE INDEX links_destination_host ON links.links USING btree (destination_host) WHERE (state <> 'deleted'::text);
CREATE INDEX links_expires_at ON links.links USING btree (expires_at) WHERE (state = ANY (ARRAY['active'::text, 'pending_scan'::text]));
CREATE INDEX links_owner ON links.links USING btree (tenant_id, owner_id, id DESC) WHERE (state <> 'deleted'::text);
CREATE INDEX links_scan_due_at ON links.links USING btree (scan_due_at) WHERE (scan_due_at IS NOT NULL);

create table links.redirect_nodes (
  node_id uuid not null,
  leased_until timestamp with time zone not null,
  seen pg_snapshot,
  clicks_since timestamp with time zone,
  has_spool boolean not null default true,
  constraint redirect_nodes_pkey PRIMARY KEY (node_id)
) with (fillfactor=50);

create view links.idempotency_records as
 SELECT principal_id AS owner_id,
    key,
    fingerprint AS request_fingerprint,
    "substring"(resource_ref, '/v1/links/([^/?]+)'::text) AS link_code
   FROM kernel.idempotency_records
  WHERE (operation = 'POST /v1/links'::text);

CREATE OR REPLACE FUNCTION links.drop_click_days(days integer)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  part record;
  dropped int := 0;
begin
  for part in
    select c.relname as name, to_date(right(c.relname, 8), 'YYYYMMDD') as day
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'links.click_events'::regclass and c.relname ~ '^click_events_d\d{8}$'
  loop
    continue when part.day + 1 + days > (kernel.now() at time zone 'UTC')::date;
    execute format('drop table links.%I', part.name);
    dropped := dropped + 1;
  end loop;
  return dropped;
end $function$;

CREATE OR REPLACE FUNCTION links.prepare_click_days(first_day date, last_day date)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  day date;
  name text;
begin
  perform pg_advisory_xact_lock(5330210);
  for day in select generate_series(first_day, last_day, interval '1 day')::date loop
    name := 'click_events_d' || to_char(day, 'YYYYMMDD');
    continue when to_regclass('links.' || name) is not null;
    execute format('create table links.%I (like links.click_events including all)', name);
    execute format('alter table links.click_events attach partition links.%I for values from (%L) to (%L)',
      name, to_char(day, 'YYYY-MM-DD') || ' 00:00:00+00', to_char(day + 1, 'YYYY-MM-DD') || ' 00:00:00+00');
  end loop;
end $function$;

create schema social;

create table social.blocks (
  tenant_id uuid not null,
  blocker_id uuid not null,
  blocked_id uuid not null,
  created_at timestamp with time zone not null default kernel.now(),
  constraint blocks_check CHECK ((blocker_id <> blocked_id)),
  constraint blocks_pkey PRIMARY KEY (tenant_id, blocker_id, blocked_id)
);
CREATE INDEX blocks_blocked ON social.blocks USING btree (tenant_id, blocked_id, blocker_id);

create table social.comments (
  tenant_id uuid not null,
  id uuid not null,
  post_id uuid not null,
  author_id uuid not null,
  body text,
  created_at timestamp with time zone not null default kernel.now(),
  deleted_at timestamp with time zone,
  deleted_by uuid,
  moderation_state text not null default 'none'::text,
  constraint comments_check CHECK (((deleted_at IS NULL) = (body IS NOT NULL))),
  constraint comments_moderation_state_check CHECK ((moderation_state = ANY (ARRAY['none'::text, 'removed'::text]))),
  constraint comments_pkey PRIMARY KEY (tenant_id, id)
);
CREATE INDEX comments_author ON social.comments USING btree (tenant_id, author_id, id);
CREATE INDEX comments_post ON social.comments USING btree (tenant_id, post_id, created_at, id) WHERE (deleted_at IS NULL);

create table social.counter_deltas (
  tenant_id uuid not null,
  subject_type text collate "C" not null,
  subject_id uuid not null,
  kind text collate "C" not null,
  delta bigint not null
) with (autovacuum_vacuum_cost_delay=0, autovacuum_vacuum_scale_factor=0.01);

create table social.counter_projections (
  tenant_id uuid not null,
  subject_type text collate "C" not null,
  subject_id uuid not null,
  kind text collate "C" not null,
  value bigint not null,
  updated_at timestamp with time zone not null default kernel.now(),
  constraint counter_projections_kind_check CHECK ((kind = ANY (ARRAY['likes'::text, 'comments'::text, 'followers'::text, 'following'::text, 'posts'::text]))),
  constraint counter_projections_pkey PRIMARY KEY (tenant_id, subject_type, subject_id, kind),
  constraint counter_projections_subject_type_check CHECK ((subject_type = ANY (ARRAY['post'::text, 'user'::text])))
) with (fillfactor=80);

create table social.feed_entries (
  tenant_id uuid not null,
  user_id uuid not null,
  rank_or_time bigint not null,
  post_id uuid not null,
  source_author_id uuid not null,
  constraint feed_entries_pkey PRIMARY KEY (tenant_id, user_id, rank_or_time, post_id) INCLUDE (source_author_id)
) partition by HASH (user_id);

create table social.feed_pending_sources (
  tenant_id uuid not null,
  user_id uuid not null,
  author_id uuid not null,
  due_at timestamp with time zone,
  attempts integer not null default 0,
  lease_token uuid,
  leased_until timestamp with time zone,
  last_error_code text,
  constraint feed_pending_sources_pkey PRIMARY KEY (tenant_id, user_id, author_id)
);
CREATE INDEX feed_pending_sources_due_at ON social.feed_pending_sources USING btree (due_at) WHERE (due_at IS NOT NULL);

create table social.feed_pull_authors (
  tenant_id uuid not null,
  author_id uuid not null,
  constraint feed_pull_authors_pkey PRIMARY KEY (tenant_id, author_id)
);

create table social.feed_state (
  tenant_id uuid not null,
  user_id uuid not null,
  state text not null,
  floor_rank bigint not null default 0,
  built_at timestamp with time zone,
  last_read_at timestamp with time zone not null default kernel.now(),
  swept_at timestamp with time zone not null default kernel.now(),
  due_at timestamp with time zone,
  attempts integer not null default 0,
  lease_token uuid,
  leased_until timestamp with time zone,
  last_error_code text,
  constraint feed_state_pkey PRIMARY KEY (tenant_id, user_id),
  constraint feed_state_state_check CHECK ((state = ANY (ARRAY['cold'::text, 'building'::text, 'warm'::text])))
);
CREATE INDEX feed_state_due_at ON social.feed_state USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX feed_state_swept ON social.feed_state USING btree (swept_at) WHERE (state = 'warm'::text);

create table social.follows (
  tenant_id uuid not null,
  follower_id uuid not null,
  followed_id uuid not null,
  state text not null,
  created_at timestamp with time zone not null default kernel.now(),
  constraint follows_check CHECK ((follower_id <> followed_id)),
  constraint follows_pkey PRIMARY KEY (tenant_id, follower_id, followed_id),
  constraint follows_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'active'::text])))
);
CREATE INDEX follows_followers ON social.follows USING btree (tenant_id, followed_id, follower_id) WHERE (state = 'active'::text);
CREATE INDEX follows_newest_followers ON social.follows USING btree (tenant_id, followed_id, created_at DESC, follower_id DESC) WHERE (state = 'active'::text);
CREATE INDEX follows_newest_following ON social.follows USING btree (tenant_id, follower_id, created_at DESC, followed_id DESC) WHERE (state = 'active'::text);
CREATE INDEX follows_requested ON social.follows USING btree (tenant_id, follower_id) WHERE (state = 'pending'::text);
CREATE INDEX follows_requests ON social.follows USING btree (tenant_id, followed_id, created_at, follower_id) WHERE (state = 'pending'::text);

create table social.likes (
  tenant_id uuid not null,
  post_id uuid not null,
  user_id uuid not null,
  created_at timestamp with time zone not null default kernel.now(),
  constraint likes_pkey PRIMARY KEY (tenant_id, post_id, user_id)
);
CREATE INDEX likes_user ON social.likes USING btree (tenant_id, user_id, created_at);

create table social.moderation_actions (
  tenant_id uuid not null,
  id uuid not null,
  case_id uuid not null,
  action text not null,
  outcome text,
  reason_code text not null,
  statement text not null,
  actor_id uuid not null,
  created_at timestamp with time zone not null default kernel.now(),
  constraint moderation_actions_action_check CHECK ((action = ANY (ARRAY['assign'::text, 'dismiss'::text, 'remove'::text, 'restore'::text, 'suspend_user'::text, 'reinstate_user'::text, 'resolve_appeal'::text]))),
  constraint moderation_actions_outcome_check CHECK ((outcome = ANY (ARRAY['upheld'::text, 'reversed'::text]))),
  constraint moderation_actions_pkey PRIMARY KEY (tenant_id, id)
);
CREATE INDEX moderation_actions_case ON social.moderation_actions USING btree (tenant_id, case_id, id);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON social.moderation_actions FOR EACH ROW EXECUTE FUNCTION kernel.refuse_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON social.moderation_actions FOR EACH STATEMENT EXECUTE FUNCTION kernel.refuse_change();

create table social.moderation_cases (
  tenant_id uuid not null,
  id uuid not null,
  subject_type text not null,
  subject_id uuid not null,
  subject_author_id uuid not null,
  state text not null default 'open'::text,
  category text not null,
  priority smallint not null,
  report_count integer not null default 0,
  assigned_to uuid,
  appeal_statement text,
  appealed_at timestamp with time zone,
  version bigint not null default 1,
  created_at timestamp with time zone not null default kernel.now(),
  resolved_at timestamp with time zone,
  constraint moderation_cases_pkey PRIMARY KEY (tenant_id, id),
  constraint moderation_cases_priority_check CHECK (((priority >= 1) AND (priority <= 3))),
  constraint moderation_cases_state_check CHECK ((state = ANY (ARRAY['open'::text, 'in_review'::text, 'actioned'::text, 'dismissed'::text, 'appealed'::text, 'upheld'::text, 'reversed'::text]))),
  constraint moderation_cases_subject_type_check CHECK ((subject_type = ANY (ARRAY['post'::text, 'comment'::text, 'user'::text])))
);
CREATE INDEX moderation_cases_author ON social.moderation_cases USING btree (tenant_id, subject_author_id, id);
CREATE INDEX moderation_cases_listed ON social.moderation_cases USING btree (tenant_id, priority DESC, id);
CREATE INDEX moderation_cases_state ON social.moderation_cases USING btree (tenant_id, state, priority DESC, id);
CREATE UNIQUE INDEX moderation_cases_unresolved ON social.moderation_cases USING btree (tenant_id, subject_type, subject_id) WHERE (state = ANY (ARRAY['open'::text, 'in_review'::text]));

create table social.moderation_reports (
  tenant_id uuid not null,
  id uuid not null,
  case_id uuid not null,
  reporter_id uuid not null,
  category text not null,
  note text,
  created_at timestamp with time zone not null default kernel.now(),
  constraint moderation_reports_once UNIQUE (tenant_id, case_id, reporter_id),
  constraint moderation_reports_pkey PRIMARY KEY (tenant_id, id)
);
CREATE INDEX moderation_reports_reporter ON social.moderation_reports USING btree (tenant_id, reporter_id, id);

create table social.mutes (
  tenant_id uuid not null,
  muter_id uuid not null,
  muted_id uuid not null,
  expires_at timestamp with time zone,
  created_at timestamp with time zone not null default kernel.now(),
  constraint mutes_check CHECK ((muter_id <> muted_id)),
  constraint mutes_pkey PRIMARY KEY (tenant_id, muter_id, muted_id)
);
CREATE INDEX mutes_muted ON social.mutes USING btree (tenant_id, muted_id);

create table social.post_bodies (
  tenant_id uuid not null,
  id uuid not null,
  post_id uuid not null,
  body text not null,
  constraint post_bodies_pkey PRIMARY KEY (tenant_id, id)
);
CREATE INDEX post_bodies_post ON social.post_bodies USING btree (tenant_id, post_id);

create table social.post_media (
  tenant_id uuid not null,
  post_id uuid not null,
  object_id uuid not null,
  "position" integer not null,
  constraint post_media_pkey PRIMARY KEY (tenant_id, post_id, "position")
);
CREATE INDEX post_media_object ON social.post_media USING btree (tenant_id, object_id);

create table social.post_versions (
  tenant_id uuid not null,
  post_id uuid not null,
  version bigint not null,
  body_ref uuid not null,
  edited_at timestamp with time zone not null,
  visibility text collate "C" not null,
  constraint post_versions_pkey PRIMARY KEY (tenant_id, post_id, version)
);

create table social.posts (
  tenant_id uuid not null,
  id uuid not null,
  author_id uuid not null,
  body_ref uuid,
  visibility text not null,
  created_at timestamp with time zone not null,
  deleted_at timestamp with time zone,
  version bigint not null default 1,
  edited_at timestamp with time zone,
  rank_or_time bigint not null,
  moderation_state text not null default 'none'::text,
  fanout_state text not null,
  fanout_after uuid,
  due_at timestamp with time zone,
  attempts integer not null default 0,
  lease_token uuid,
  leased_until timestamp with time zone,
  last_error_code text,
  constraint posts_check CHECK (((deleted_at IS NULL) OR (body_ref IS NULL))),
  constraint posts_fanout_state_check CHECK ((fanout_state = ANY (ARRAY['pending'::text, 'done'::text, 'pull'::text]))),
  constraint posts_moderation_state_check CHECK ((moderation_state = ANY (ARRAY['none'::text, 'removed'::text]))),
  constraint posts_pkey PRIMARY KEY (tenant_id, id),
  constraint posts_visibility_check CHECK ((visibility = ANY (ARRAY['public'::text, 'followers'::text, 'private'::text])))
) with (fillfactor=90);
CREATE INDEX posts_author ON social.posts USING btree (tenant_id, author_id, rank_or_time DESC, id DESC) WHERE (deleted_at IS NULL);
CREATE INDEX posts_due_at ON social.posts USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX posts_pending ON social.posts USING btree (tenant_id, rank_or_time DESC, id DESC) WHERE (fanout_state = 'pending'::text);
CREATE INDEX posts_unpushed ON social.posts USING btree (tenant_id, author_id, rank_or_time DESC, id DESC) WHERE (fanout_state <> 'done'::text);

create table social.users (
  tenant_id uuid not null,
  id uuid not null,
  privacy_state text not null default 'public'::text,
  profile_version bigint not null default 1,
  handle text collate "C" not null,
  display_name text not null default ''::text,
  bio text not null default ''::text,
  avatar_file_id uuid,
  moderation_state text not null default 'active'::text,
  created_at timestamp with time zone not null default kernel.now(),
  deleted_at timestamp with time zone,
  due_at timestamp with time zone,
  attempts integer not null default 0,
  lease_token uuid,
  leased_until timestamp with time zone,
  last_error_code text,
  constraint users_handle UNIQUE (tenant_id, handle),
  constraint users_handle_check CHECK ((handle ~ '^[a-z0-9_.]{3,30}$'::text)),
  constraint users_moderation_state_check CHECK ((moderation_state = ANY (ARRAY['active'::text, 'suspended'::text]))),
  constraint users_pkey PRIMARY KEY (tenant_id, id),
  constraint users_privacy_state_check CHECK ((privacy_state = ANY (ARRAY['public'::text, 'private'::text])))
);
CREATE INDEX users_avatar ON social.users USING btree (tenant_id, avatar_file_id) WHERE (avatar_file_id IS NOT NULL);
CREATE INDEX users_due_at ON social.users USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX users_id ON social.users USING btree (id);

CREATE OR REPLACE FUNCTION social.first_handle(account uuid)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ('user_'::text || "right"(replace((account)::text, '-'::text, ''::text), 12));

CREATE OR REPLACE FUNCTION social.reserved_handle(handle text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ('x'::text || "left"(encode(sha256(convert_to(handle, 'UTF8'::name)), 'hex'::text), 29));

create schema chat;

create table chat.attachments (
  tenant_id uuid not null,
  id uuid not null,
  conversation_id uuid not null,
  uploader_id uuid not null,
  upload_id uuid not null,
  file_id uuid,
  message_id uuid,
  "position" integer,
  state text not null default 'pending'::text,
  filename text,
  media_type text,
  size bigint not null,
  created_at timestamp with time zone not null default kernel.now(),
  expires_at timestamp with time zone not null,
  constraint attachments_pkey PRIMARY KEY (tenant_id, id),
  constraint attachments_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'processing'::text, 'available'::text, 'rejected'::text, 'deleted'::text]))),
  constraint attachments_tenant_id_conversation_id_fkey FOREIGN KEY (tenant_id, conversation_id) REFERENCES chat.conversations(tenant_id, id),
  constraint attachments_upload UNIQUE (tenant_id, upload_id)
);
CREATE INDEX attachments_file ON chat.attachments USING btree (tenant_id, file_id) WHERE (file_id IS NOT NULL);
CREATE INDEX attachments_message ON chat.attachments USING btree (tenant_id, conversation_id, message_id) WHERE (message_id IS NOT NULL);
CREATE INDEX attachments_unsent ON chat.attachments USING btree (expires_at) WHERE (message_id IS NULL);
CREATE INDEX attachments_uploader ON chat.attachments USING btree (uploader_id);

create table chat.conversation_members (
  tenant_id uuid not null,
  conversation_id uuid not null,
  user_id uuid not null,
  role text not null,
  joined_sequence bigint not null,
  left_sequence bigint,
  left_reason text,
  left_title text,
  left_count integer,
  last_read_sequence bigint not null default 0,
  revision bigint not null,
  muted_until timestamp with time zone,
  joined_at timestamp with time zone not null default kernel.now(),
  changed_at timestamp with time zone not null default clock_timestamp(),
  pushed_sequence bigint not null default 0,
  hidden_sequence bigint,
  constraint conversation_members_check CHECK (((left_sequence IS NULL) = (left_reason IS NULL))),
  constraint conversation_members_last_read_sequence_check CHECK ((last_read_sequence <= '9007199254740991'::bigint)),
  constraint conversation_members_left_reason_check CHECK ((left_reason = ANY (ARRAY['left'::text, 'removed'::text, 'erased'::text]))),
  constraint conversation_members_pkey PRIMARY KEY (tenant_id, conversation_id, user_id),
  constraint conversation_members_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'member'::text]))),
  constraint conversation_members_tenant_id_conversation_id_fkey FOREIGN KEY (tenant_id, conversation_id) REFERENCES chat.conversations(tenant_id, id)
) with (fillfactor=80);
CREATE INDEX conversation_members_active ON chat.conversation_members USING btree (tenant_id, user_id) WHERE (left_sequence IS NULL);
CREATE INDEX conversation_members_changed ON chat.conversation_members USING btree (changed_at);
CREATE INDEX conversation_members_user ON chat.conversation_members USING btree (user_id);

create table chat.conversations (
  tenant_id uuid not null,
  id uuid not null,
  type text not null,
  title text,
  state text not null default 'active'::text,
  direct_key text,
  order_print bytea,
  created_by uuid not null,
  created_at timestamp with time zone not null default kernel.now(),
  latest_sequence bigint not null default 0,
  revision bigint not null default 1,
  member_count integer not null,
  last_message_at timestamp with time zone,
  data_key bytea not null,
  constraint conversations_check CHECK (((type = 'direct'::text) = (direct_key IS NOT NULL))),
  constraint conversations_direct UNIQUE (tenant_id, direct_key),
  constraint conversations_member_count_check CHECK ((member_count >= 0)),
  constraint conversations_pkey PRIMARY KEY (tenant_id, id),
  constraint conversations_state_check CHECK ((state = ANY (ARRAY['active'::text, 'closed'::text]))),
  constraint conversations_type_check CHECK ((type = ANY (ARRAY['direct'::text, 'group'::text])))
) with (fillfactor=60);

create table chat.devices (
  tenant_id uuid not null,
  user_id uuid not null,
  id uuid not null,
  platform text not null,
  push_token_ref uuid,
  push_token_hash bytea,
  session_id uuid,
  created_at timestamp with time zone not null default kernel.now(),
  last_seen_at timestamp with time zone not null default kernel.now(),
  constraint devices_pkey PRIMARY KEY (tenant_id, user_id, id),
  constraint devices_platform_check CHECK ((platform = ANY (ARRAY['web'::text, 'ios'::text, 'android'::text, 'other'::text]))),
  constraint devices_push_token UNIQUE (tenant_id, push_token_hash)
);
CREATE INDEX devices_session ON chat.devices USING btree (session_id) WHERE (session_id IS NOT NULL);
CREATE INDEX devices_user ON chat.devices USING btree (user_id);

create table chat.message_versions (
  tenant_id uuid not null,
  conversation_id uuid not null,
  message_id uuid not null,
  version integer not null,
  body_ref bytea,
  edited_at timestamp with time zone not null default kernel.now(),
  replaced_at_revision bigint not null,
  constraint message_versions_pkey PRIMARY KEY (tenant_id, conversation_id, message_id, version),
  constraint message_versions_tenant_id_conversation_id_message_id_fkey FOREIGN KEY (tenant_id, conversation_id, message_id) REFERENCES chat.messages(tenant_id, conversation_id, id)
);

create table chat.messages (
  tenant_id uuid not null,
  conversation_id uuid not null,
  id uuid not null,
  sequence bigint not null,
  sender_id uuid not null,
  client_request_id text not null,
  request_fingerprint bytea,
  body_cipher_or_ref bytea,
  reply_to_sequence bigint,
  attachment_count integer not null default 0,
  version integer not null default 1,
  revision bigint not null,
  created_at timestamp with time zone not null default kernel.now(),
  edited_at timestamp with time zone,
  deleted_at timestamp with time zone,
  deleted_by uuid,
  created_event_id uuid not null,
  changed_event_id uuid,
  constraint messages_check CHECK (((deleted_at IS NULL) OR (body_cipher_or_ref IS NULL))),
  constraint messages_pkey PRIMARY KEY (tenant_id, conversation_id, id),
  constraint messages_request UNIQUE (tenant_id, conversation_id, sender_id, client_request_id),
  constraint messages_sequence UNIQUE (tenant_id, conversation_id, sequence),
  constraint messages_sequence_check CHECK ((sequence > 0)),
  constraint messages_tenant_id_conversation_id_fkey FOREIGN KEY (tenant_id, conversation_id) REFERENCES chat.conversations(tenant_id, id)
);
CREATE INDEX messages_revision ON chat.messages USING btree (tenant_id, conversation_id, revision);

create table chat.pushes (
  tenant_id uuid not null,
  conversation_id uuid not null,
  pushed_sequence bigint not null default 0,
  pushed_at timestamp with time zone,
  due_at timestamp with time zone,
  attempts integer not null default 0,
  lease_token uuid,
  leased_until timestamp with time zone,
  last_error_code text,
  constraint pushes_pkey PRIMARY KEY (tenant_id, conversation_id),
  constraint pushes_tenant_id_conversation_id_fkey FOREIGN KEY (tenant_id, conversation_id) REFERENCES chat.conversations(tenant_id, id)
);
CREATE INDEX pushes_due ON chat.pushes USING btree (due_at) WHERE (due_at IS NOT NULL);

CREATE OR REPLACE FUNCTION chat.append(p_tenant_ids uuid[], p_conversation_ids uuid[], p_sender_ids uuid[], p_message_ids uuid[], p_request_ids text[], p_fingerprints bytea[], p_bodies bytea[], p_replies bigint[], p_attachments text[], p_event_ids uuid[], p_blocked boolean[], p_wait boolean, p_push_delay interval, p_push_group interval, p_traceparent text, p_written_by text)
 RETURNS TABLE(item integer, outcome text, message_id uuid, message_sequence bigint, message_revision bigint, event_id uuid, created_at timestamp with time zone)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
declare
  v_held uuid[];
  v_now timestamptz := kernel.now();
begin
  if p_wait then
    select array_agg(l.id) into v_held from (
      select c.id from chat.conversations c
      where (c.tenant_id, c.id) in (
        select t.tenant_id, t.id from unnest(p_tenant_ids, p_conversation_ids) t (tenant_id, id))
      order by c.id for no key update) l;
  else
    select array_agg(l.id) into v_held from (
      select c.id from chat.conversations c
      where (c.tenant_id, c.id) in (
        select t.tenant_id, t.id from unnest(p_tenant_ids, p_conversation_ids) t (tenant_id, id))
      order by c.id for no key update skip locked) l;
  end if;
  return query
  with items as materialized (
    select i.ord::int as ord, i.tenant_id, i.conversation_id, i.sender_id, i.id, i.request_id,
      i.fingerprint, i.body, i.reply_to, i.files::uuid[] as files, i.event_id, i.blocked,
      c.latest_sequence, c.revision, c.state, c.type
    from unnest(p_tenant_ids, p_conversation_ids, p_sender_ids, p_message_ids, p_request_ids,
      p_fingerprints, p_bodies, p_replies, p_attachments, p_event_ids, p_blocked) with ordinality
      i (tenant_id, conversation_id, sender_id, id, request_id, fingerprint, body, reply_to, files,
        event_id, blocked, ord)
    left join chat.conversations c on c.tenant_id = i.tenant_id and c.id = i.conversation_id
      and c.id = any(v_held)
  ), known as materialized (
    select i.*, d.id as known_id, d.sequence as known_sequence, d.revision as known_revision,
      d.created_event_id as known_event_id, d.created_at as known_at,
      case
        when d.request_fingerprint = i.fingerprint then 'duplicate'
        when d.id is not null then 'conflict'
        when i.blocked then 'blocked'
        when i.state is null then case when p_wait then 'unknown' else 'busy' end
        when b.user_id is null then 'unknown'
        when b.left_sequence is not null then 'left'
        when i.state <> 'active' then 'closed'
        when i.reply_to > i.latest_sequence or i.reply_to <= b.joined_sequence then 'reply'
        when cardinality(i.files) > 0 and cardinality(i.files) <> (
          select count(*) from chat.attachments a
          where a.tenant_id = i.tenant_id and a.id = any(i.files)
            and a.conversation_id = i.conversation_id and a.uploader_id = i.sender_id
            and a.message_id is null and a.state in ('processing', 'available')) then 'attachment'
        else 'accepted' end as verdict
    from items i
    left join chat.messages d on d.tenant_id = i.tenant_id
      and d.conversation_id = i.conversation_id and d.sender_id = i.sender_id
      and d.client_request_id = i.request_id
    left join chat.conversation_members b on b.tenant_id = i.tenant_id
      and b.conversation_id = i.conversation_id and b.user_id = i.sender_id
  ), checked as materialized (
    select k.*, row_number() over (
      partition by k.tenant_id, k.conversation_id, k.verdict = 'accepted' order by k.ord) as n
    from known k
  ), grown as materialized (
    select j.tenant_id, j.conversation_id, j.type, count(*) as n from checked j
    where j.verdict = 'accepted' group by j.tenant_id, j.conversation_id, j.type
  ), inserted as (
    insert into chat.messages (tenant_id, conversation_id, id, sequence, sender_id,
      client_request_id, request_fingerprint, body_cipher_or_ref, reply_to_sequence,
      attachment_count, revision, created_event_id, created_at)
    select j.tenant_id, j.conversation_id, j.id, j.latest_sequence + j.n, j.sender_id,
      j.request_id, j.fingerprint, j.body, j.reply_to, cardinality(j.files), j.revision + j.n,
      j.event_id, v_now
    from checked j where j.verdict = 'accepted' order by j.ord
  ), heads as (
    update chat.conversations c
    set latest_sequence = c.latest_sequence + g.n, revision = c.revision + g.n,
      last_message_at = v_now
    from grown g where c.tenant_id = g.tenant_id and c.id = g.conversation_id
  ), readers as (
    update chat.conversation_members b
    set last_read_sequence = greatest(b.last_read_sequence, s.top)
    from (
      select j.tenant_id, j.conversation_id, j.sender_id, max(j.latest_sequence + j.n) as top
      from checked j where j.verdict = 'accepted'
      group by j.tenant_id, j.conversation_id, j.sender_id) s
    where b.tenant_id = s.tenant_id and b.conversation_id = s.conversation_id
      and b.user_id = s.sender_id
  ), files as (
    update chat.attachments a set message_id = j.id, position = f.place::int
    from checked j cross join lateral unnest(j.files) with ordinality f (id, place)
    where j.verdict = 'accepted' and a.tenant_id = j.tenant_id and a.id = f.id
  ), pushes as (
    insert into chat.pushes (tenant_id, conversation_id, due_at)
    select g.tenant_id, g.conversation_id, w.due_at
    from grown g
    left join chat.pushes p on p.tenant_id = g.tenant_id and p.conversation_id = g.conversation_id
    cross join lateral (select greatest(v_now + p_push_delay,
      case g.type when 'group' then p.pushed_at + p_push_group end) as due_at) w
    where p.due_at is null or (p.due_at > w.due_at and p.last_error_code is null)
    on conflict on constraint pushes_pkey do update
    set due_at = excluded.due_at, attempts = 0, last_error_code = null
  ), emitted as materialized (
    select kernel.emit('message.created', 1, 'conversation', array_agg(e.event_id),
      array_agg(e.tenant_id), array_agg(e.conversation_id), array_agg(e.revision + e.n),
      array_agg(jsonb_build_object('conversation_id', e.conversation_id, 'message_id', e.id,
        'sequence', e.latest_sequence + e.n, 'sender_id', e.sender_id, 'version', 1)),
      p_traceparent, p_written_by)
    from (select * from checked j where j.verdict = 'accepted' order by j.ord) e
  )
  select j.ord, j.verdict,
    case j.verdict when 'accepted' then j.id else j.known_id end,
    case j.verdict when 'accepted' then j.latest_sequence + j.n else j.known_sequence end,
    case j.verdict when 'accepted' then j.revision + j.n else j.known_revision end,
    case j.verdict when 'accepted' then j.event_id else j.known_event_id end,
    case j.verdict when 'accepted' then v_now else j.known_at end
  from checked j cross join emitted;
end $function$;

create schema inference;

create table inference.contents (
  tenant_id uuid not null,
  id uuid not null,
  operation_id uuid not null,
  sealed bytea not null,
  erase_at timestamp with time zone not null,
  constraint contents_pkey PRIMARY KEY (tenant_id, id),
  constraint contents_tenant_id_operation_id_fkey FOREIGN KEY (tenant_id, operation_id) REFERENCES inference.inference_operations(tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX contents_erase ON inference.contents USING btree (erase_at);
CREATE INDEX contents_operation ON inference.contents USING btree (tenant_id, operation_id);

create table inference.generation_usage (
  tenant_id uuid not null,
  id uuid not null default gen_random_uuid(),
  operation_id uuid not null,
  run integer not null,
  principal_id uuid not null,
  workload text not null,
  provider text not null,
  model_deployment_id uuid not null,
  model_snapshot text,
  prompt_version text not null,
  provider_request_id text,
  input_tokens integer not null,
  cached_input_tokens integer not null,
  output_tokens integer not null,
  estimated_cost_minor_units numeric(20,8) not null,
  currency text not null,
  price_version integer not null,
  source text not null,
  status text not null,
  counted_on date not null,
  tags text[] not null default '{}'::text[],
  corrects_id uuid,
  started_at timestamp with time zone not null,
  completed_at timestamp with time zone not null default kernel.now(),
  constraint generation_usage_pkey PRIMARY KEY (tenant_id, id),
  constraint generation_usage_source_check CHECK ((source = ANY (ARRAY['provider'::text, 'estimated'::text, 'reserved'::text]))),
  constraint generation_usage_status_check CHECK ((status = ANY (ARRAY['succeeded'::text, 'failed'::text, 'cancelled'::text, 'blocked'::text, 'ambiguous'::text]))),
  constraint generation_usage_tenant_id_operation_id_run_corrects_id_key UNIQUE NULLS NOT DISTINCT (tenant_id, operation_id, run, corrects_id)
);
CREATE INDEX generation_usage_completed ON inference.generation_usage USING btree (completed_at);
CREATE INDEX generation_usage_day ON inference.generation_usage USING btree (tenant_id, counted_on, principal_id);
CREATE INDEX generation_usage_tagged ON inference.generation_usage USING btree (tenant_id, counted_on) WHERE (tags <> '{}'::text[]);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON inference.generation_usage FOR EACH ROW EXECUTE FUNCTION kernel.refuse_change('retention');
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON inference.generation_usage FOR EACH STATEMENT EXECUTE FUNCTION kernel.refuse_change();

create table inference.inference_attempts (
  tenant_id uuid not null,
  operation_id uuid not null,
  attempt integer not null,
  id uuid not null,
  run integer not null,
  deployment_id uuid not null,
  state text not null default 'started'::text,
  provider_request_id text,
  error_code text,
  latency_ms integer,
  created_at timestamp with time zone not null default kernel.now(),
  constraint inference_attempts_pkey PRIMARY KEY (tenant_id, operation_id, attempt),
  constraint inference_attempts_state_check CHECK ((state = ANY (ARRAY['started'::text, 'succeeded'::text, 'failed'::text, 'aborted'::text, 'ambiguous'::text]))),
  constraint inference_attempts_tenant_id_operation_id_fkey FOREIGN KEY (tenant_id, operation_id) REFERENCES inference.inference_operations(tenant_id, id) ON DELETE CASCADE
);

create table inference.inference_operations (
  tenant_id uuid not null,
  id uuid not null,
  actor_id uuid not null,
  idempotency_key text,
  request_fingerprint bytea,
  model text not null,
  first_deployment_id uuid not null,
  model_deployment_id uuid not null,
  deployment_tenant_id uuid not null,
  workload text not null,
  streamed boolean not null default false,
  state text not null,
  error_code text,
  retryable boolean not null default false,
  input_ref uuid,
  output_ref uuid,
  steps integer not null default 0,
  prompt_version text not null,
  parameters jsonb not null default '{}'::jsonb,
  metadata jsonb,
  store boolean not null default true,
  job_id uuid,
  parent_id uuid,
  previous_id uuid,
  tags text[] not null default '{}'::text[],
  run integer not null default 1,
  estimated_input integer not null,
  max_output integer not null,
  model_snapshot text,
  provider_response_id text,
  finish_reason text,
  output_length integer,
  output_sha256 bytea,
  cancel_requested_at timestamp with time zone,
  created_at timestamp with time zone not null default kernel.now(),
  started_at timestamp with time zone,
  completed_at timestamp with time zone,
  deadline_at timestamp with time zone not null,
  version bigint not null default 1,
  reasoning_units integer not null default 0,
  constraint inference_operations_check CHECK (((completed_at IS NULL) = (state = ANY (ARRAY['pending'::text, 'running'::text, 'reconciling'::text])))),
  constraint inference_operations_id_key UNIQUE (id),
  constraint inference_operations_pkey PRIMARY KEY (tenant_id, id),
  constraint inference_operations_reasoning_units_check CHECK ((reasoning_units >= 0)),
  constraint inference_operations_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'running'::text, 'reconciling'::text, 'succeeded'::text, 'failed'::text, 'blocked'::text, 'cancelled'::text, 'expired'::text]))),
  constraint inference_operations_workload_check CHECK ((workload = ANY (ARRAY['generation'::text, 'generation_stream'::text, 'inference'::text, 'inference_job'::text, 'report'::text, 'retrieval_answer'::text, 'retrieval_embedding'::text, 'embedding'::text])))
) with (fillfactor=70);
CREATE INDEX inference_operations_actor ON inference.inference_operations USING btree (actor_id, id);
CREATE INDEX inference_operations_created ON inference.inference_operations USING btree (created_at);
CREATE UNIQUE INDEX inference_operations_job ON inference.inference_operations USING btree (tenant_id, job_id) WHERE (job_id IS NOT NULL);
CREATE INDEX inference_operations_open ON inference.inference_operations USING btree (id) WHERE (state = ANY (ARRAY['pending'::text, 'running'::text, 'reconciling'::text]));
CREATE INDEX inference_operations_response ON inference.inference_operations USING btree (provider_response_id) WHERE (provider_response_id IS NOT NULL);

create table inference.key_owners (
  tenant_id uuid not null,
  key_id uuid not null,
  account_id uuid not null,
  constraint key_owners_pkey PRIMARY KEY (tenant_id, key_id)
);
CREATE INDEX key_owners_account ON inference.key_owners USING btree (tenant_id, account_id);

create table inference.model_aliases (
  tenant_id uuid not null,
  alias text not null,
  deployment_id uuid not null,
  priority integer not null default 0,
  weight integer not null default 100,
  constraint model_aliases_pkey PRIMARY KEY (tenant_id, alias, deployment_id),
  constraint model_aliases_tenant_id_deployment_id_fkey FOREIGN KEY (tenant_id, deployment_id) REFERENCES inference.model_deployments(tenant_id, id)
);
CREATE INDEX model_aliases_deployment ON inference.model_aliases USING btree (tenant_id, deployment_id);

create table inference.model_deployments (
  tenant_id uuid not null,
  id uuid not null,
  provider text not null,
  model_name text not null,
  version text not null,
  capability text[] not null,
  state text not null default 'draft'::text,
  region text not null default 'global'::text,
  max_context integer not null,
  max_output integer not null,
  policy_version text not null,
  own_provider boolean not null default false,
  configured boolean not null default false,
  row_version bigint not null default 1,
  created_at timestamp with time zone not null default kernel.now(),
  constraint model_deployments_id_key UNIQUE (id),
  constraint model_deployments_max_context_check CHECK ((max_context > 0)),
  constraint model_deployments_max_output_check CHECK ((max_output >= 0)),
  constraint model_deployments_pkey PRIMARY KEY (tenant_id, id),
  constraint model_deployments_state_check CHECK ((state = ANY (ARRAY['draft'::text, 'active'::text, 'draining'::text, 'disabled'::text])))
);
CREATE UNIQUE INDEX model_deployments_name ON inference.model_deployments USING btree (tenant_id, provider, model_name, version);

create table inference.model_prices (
  tenant_id uuid not null,
  deployment_id uuid not null,
  price_version integer not null,
  currency text not null,
  input numeric(20,8) not null,
  cached_input numeric(20,8) not null,
  output numeric(20,8) not null,
  effective_from timestamp with time zone not null,
  created_by uuid,
  created_at timestamp with time zone not null default kernel.now(),
  constraint model_prices_cached_input_check CHECK ((cached_input >= (0)::numeric)),
  constraint model_prices_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint model_prices_input_check CHECK ((input >= (0)::numeric)),
  constraint model_prices_output_check CHECK ((output >= (0)::numeric)),
  constraint model_prices_pkey PRIMARY KEY (tenant_id, deployment_id, price_version),
  constraint model_prices_tenant_id_deployment_id_fkey FOREIGN KEY (tenant_id, deployment_id) REFERENCES inference.model_deployments(tenant_id, id)
);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON inference.model_prices FOR EACH ROW EXECUTE FUNCTION kernel.refuse_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON inference.model_prices FOR EACH STATEMENT EXECUTE FUNCTION kernel.refuse_change();

create table inference.provider_events (
  provider text not null,
  event_id text not null,
  type text not null,
  payload jsonb not null,
  received_at timestamp with time zone not null default kernel.now(),
  processed_at timestamp with time zone,
  due_at timestamp with time zone,
  attempts integer not null default 0,
  lease_token uuid,
  leased_until timestamp with time zone,
  last_error_code text,
  constraint provider_events_pkey PRIMARY KEY (provider, event_id)
);
CREATE INDEX provider_events_due ON inference.provider_events USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX provider_events_received ON inference.provider_events USING btree (received_at);

create table inference.providers (
  tenant_id uuid not null,
  name text not null,
  id uuid not null,
  kind text not null,
  base_url text not null,
  auth jsonb not null,
  sealed bytea not null,
  state text not null,
  tools boolean not null default false,
  version bigint not null default 1,
  created_at timestamp with time zone not null default kernel.now(),
  updated_at timestamp with time zone not null default kernel.now(),
  constraint providers_id_key UNIQUE (id),
  constraint providers_kind_check CHECK ((kind = ANY (ARRAY['openai'::text, 'openai_compatible'::text, 'anthropic'::text, 'gemini'::text]))),
  constraint providers_pkey PRIMARY KEY (tenant_id, name),
  constraint providers_state_check CHECK ((state = ANY (ARRAY['active'::text, 'disabled'::text])))
);

create table inference.quota_counters (
  tenant_id uuid not null,
  scope_type text not null,
  scope_id text not null,
  operations integer not null default 0,
  streams integer not null default 0,
  minute_start timestamp with time zone not null default '-infinity'::timestamp with time zone,
  requests integer not null default 0,
  minute_used numeric not null default 0,
  minute_reserved numeric not null default 0,
  day_start timestamp with time zone not null default '-infinity'::timestamp with time zone,
  day_used numeric not null default 0,
  day_reserved numeric not null default 0,
  cost_used numeric not null default 0,
  cost_reserved numeric not null default 0,
  constraint quota_counters_pkey PRIMARY KEY (tenant_id, scope_type, scope_id)
) with (fillfactor=50);
CREATE INDEX quota_counters_day ON inference.quota_counters USING btree (day_start);

create table inference.quota_limits (
  tenant_id uuid not null,
  scope_type text not null,
  scope_id text not null,
  limits jsonb not null,
  tags text[] not null default '{}'::text[],
  version bigint not null default 1,
  changed_at timestamp with time zone not null default kernel.now(),
  constraint quota_limits_pkey PRIMARY KEY (tenant_id, scope_type, scope_id),
  constraint quota_limits_scope_type_check CHECK ((scope_type = ANY (ARRAY['tenant'::text, 'principal'::text, 'tag'::text])))
);

create table inference.quota_reservations (
  tenant_id uuid not null,
  operation_id uuid not null,
  run integer not null,
  principal_id uuid not null,
  deployment_tenant_id uuid not null,
  deployment_id uuid not null,
  price_version integer not null,
  input_units integer not null,
  output_units integer not null,
  cost numeric(20,8) not null,
  class text not null,
  tags text[] not null default '{}'::text[],
  minute_start timestamp with time zone not null,
  day_start timestamp with time zone not null,
  state text not null default 'held'::text,
  owner_id uuid not null,
  lease_until timestamp with time zone not null,
  dispatched_at timestamp with time zone,
  created_at timestamp with time zone not null default kernel.now(),
  ended_at timestamp with time zone,
  constraint quota_reservations_class_check CHECK ((class = ANY (ARRAY['call'::text, 'stream'::text, 'job'::text]))),
  constraint quota_reservations_pkey PRIMARY KEY (tenant_id, operation_id, run),
  constraint quota_reservations_state_check CHECK ((state = ANY (ARRAY['held'::text, 'settled'::text, 'released'::text]))),
  constraint quota_reservations_tenant_id_operation_id_fkey FOREIGN KEY (tenant_id, operation_id) REFERENCES inference.inference_operations(tenant_id, id) ON DELETE CASCADE
) with (fillfactor=70);
CREATE INDEX quota_reservations_held ON inference.quota_reservations USING btree (tenant_id, lease_until) WHERE (state = 'held'::text);
CREATE INDEX quota_reservations_lease ON inference.quota_reservations USING btree (lease_until) WHERE (state = 'held'::text);

create table inference.safety_decisions (
  tenant_id uuid not null,
  operation_id uuid not null,
  stage text not null,
  category text not null,
  policy_version text not null,
  decision text not null,
  created_at timestamp with time zone not null default kernel.now(),
  constraint safety_decisions_decision_check CHECK ((decision = ANY (ARRAY['allow'::text, 'flag'::text, 'redact'::text, 'block'::text]))),
  constraint safety_decisions_pkey PRIMARY KEY (tenant_id, operation_id, stage, category),
  constraint safety_decisions_stage_check CHECK ((stage = ANY (ARRAY['input'::text, 'output'::text]))),
  constraint safety_decisions_tenant_id_operation_id_fkey FOREIGN KEY (tenant_id, operation_id) REFERENCES inference.inference_operations(tenant_id, id) ON DELETE CASCADE
);

create table inference.tags (
  tenant_id uuid not null,
  tag text not null,
  used_at timestamp with time zone not null default kernel.now(),
  constraint tags_pkey PRIMARY KEY (tenant_id, tag)
);
CREATE INDEX tags_used ON inference.tags USING btree (used_at);

create table inference.tool_calls (
  tenant_id uuid not null,
  id uuid not null,
  operation_id uuid not null,
  step integer not null,
  place integer not null,
  call_id text not null,
  name text not null,
  state text not null,
  said_ref uuid not null,
  result_ref uuid,
  asked_until timestamp with time zone,
  answered_by uuid,
  created_at timestamp with time zone not null default kernel.now(),
  completed_at timestamp with time zone,
  constraint tool_calls_pkey PRIMARY KEY (tenant_id, id),
  constraint tool_calls_state_check CHECK ((state = ANY (ARRAY['running'::text, 'asked'::text, 'done'::text, 'failed'::text, 'refused'::text]))),
  constraint tool_calls_tenant_id_operation_id_call_id_key UNIQUE (tenant_id, operation_id, call_id),
  constraint tool_calls_tenant_id_operation_id_fkey FOREIGN KEY (tenant_id, operation_id) REFERENCES inference.inference_operations(tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX tool_calls_answered ON inference.tool_calls USING btree (tenant_id, answered_by) WHERE (answered_by IS NOT NULL);
CREATE INDEX tool_calls_asked ON inference.tool_calls USING btree (tenant_id, asked_until) WHERE (state = 'asked'::text);

create table inference.usage_records (
  tenant_id uuid not null,
  id uuid not null default gen_random_uuid(),
  operation_id uuid not null,
  run integer not null,
  input_units integer not null,
  output_units integer not null,
  compute_ms integer not null,
  cost_amount numeric(20,8) not null,
  currency text not null,
  price_version integer not null,
  source text not null,
  corrects_id uuid,
  measured_at timestamp with time zone not null default kernel.now(),
  constraint usage_records_pkey PRIMARY KEY (tenant_id, id),
  constraint usage_records_source_check CHECK ((source = ANY (ARRAY['provider'::text, 'estimated'::text, 'reserved'::text]))),
  constraint usage_records_tenant_id_operation_id_run_corrects_id_key UNIQUE NULLS NOT DISTINCT (tenant_id, operation_id, run, corrects_id)
);
CREATE INDEX usage_records_measured ON inference.usage_records USING btree (measured_at);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON inference.usage_records FOR EACH ROW EXECUTE FUNCTION kernel.refuse_change('retention');
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON inference.usage_records FOR EACH STATEMENT EXECUTE FUNCTION kernel.refuse_change();

CREATE OR REPLACE FUNCTION inference.counted_on(_tenant uuid, _principal uuid)
 RETURNS uuid[]
 LANGUAGE sql
 STABLE
AS $function$
  select array(select _principal union all select k.key_id from inference.key_owners k
    where k.tenant_id = _tenant and k.account_id = _principal)
$function$;

CREATE OR REPLACE FUNCTION inference.lock_counters(_tenant uuid, _type text, _id text, _minute timestamp with time zone, _day timestamp with time zone)
 RETURNS inference.quota_counters
 LANGUAGE plpgsql
AS $function$
declare
  c inference.quota_counters;
begin
  loop
    select * into c from inference.quota_counters q
      where q.tenant_id = _tenant and q.scope_type = _type and q.scope_id = _id for update;
    exit when found;
    insert into inference.quota_counters (tenant_id, scope_type, scope_id) values (_tenant, _type, _id)
      on conflict do nothing;
  end loop;
  if c.minute_start not in (_minute, _minute + interval '1 minute') then
    c.minute_start := _minute; c.requests := 0; c.minute_used := 0; c.minute_reserved := 0;
  end if;
  if c.day_start not in (_day, _day + interval '1 day') then
    c.day_start := _day; c.day_used := 0; c.day_reserved := 0; c.cost_used := 0; c.cost_reserved := 0;
  end if;
  return c;
end $function$;

CREATE OR REPLACE FUNCTION inference.recount_tag(_tenant uuid, _tag text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  at_time timestamptz := kernel.now();
  c inference.quota_counters;
begin
  c := inference.lock_counters(_tenant, 'tenant', _tenant::text, date_trunc('minute', at_time),
    date_trunc('day', at_time at time zone 'UTC') at time zone 'UTC');
  delete from inference.quota_counters
    where tenant_id = _tenant and scope_type = 'tag' and scope_id = _tag;
  insert into inference.quota_counters (tenant_id, scope_type, scope_id, operations, streams,
    minute_start, requests, minute_used, minute_reserved, day_start, day_used, day_reserved, cost_used,
    cost_reserved)
  select _tenant, 'tag', _tag, held.operations, held.streams, c.minute_start, asked.calls,
    used.of_minute, held.of_minute, c.day_start, used.tokens, held.tokens, used.cost, held.cost
  from (
    select count(*) filter (where r.class <> 'job') as operations,
      count(*) filter (where r.class = 'stream') as streams,
      coalesce(sum(r.input_units + r.output_units) filter (where r.day_start = c.day_start), 0) as tokens,
      coalesce(sum(r.cost) filter (where r.day_start = c.day_start), 0) as cost,
      coalesce(sum(r.input_units + r.output_units)
        filter (where r.minute_start = c.minute_start and r.class <> 'job'), 0) as of_minute
    from inference.quota_reservations r
    where r.tenant_id = _tenant and r.state = 'held' and _tag = any(r.tags)) held,
  (
    select coalesce(sum(u.input_tokens + u.output_tokens), 0) as tokens,
      coalesce(round(sum(u.estimated_cost_minor_units) / 100, 8), 0) as cost,
      coalesce(sum(u.input_tokens + u.output_tokens)
        filter (where r.minute_start = c.minute_start and r.class <> 'job'), 0) as of_minute
    from inference.generation_usage u
    left join inference.quota_reservations r on r.tenant_id = u.tenant_id
      and r.operation_id = u.operation_id and r.run = u.run and u.completed_at >= c.minute_start
    where u.tenant_id = _tenant and u.counted_on = (c.day_start at time zone 'UTC')::date
      and u.tags <> '{}' and _tag = any(u.tags) and u.corrects_id is null) used,
  (
    select count(*) as calls from inference.inference_operations o
    where o.tenant_id = _tenant and o.created_at >= c.minute_start and o.job_id is null
      and _tag = any(o.tags)) asked
  where exists (select from inference.quota_limits l
    where l.tenant_id = _tenant and l.scope_type = 'tag' and l.scope_id = _tag);
end $function$;

CREATE OR REPLACE FUNCTION inference.refuse_quota(_missed record)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'a limit has too little left'
    using constraint = 'quota_room', detail = jsonb_build_object('missed', _missed.missed,
      'scope', _missed.scope, 'limit_value', _missed.limit_value::text, 'resets_at',
      to_char(_missed.resets_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'));
end $function$;

CREATE OR REPLACE FUNCTION inference.reserve(_tenant uuid, _principal uuid, _operation uuid, _this_run integer, _class text, _limits jsonb, _deployment_tenant uuid, _deployment uuid, _input integer, _output integer, _requests integer, _hold boolean, _owner uuid, _lease_seconds double precision, _attempt integer, _attempt_id uuid)
 RETURNS TABLE(missed text, scope text, limit_value numeric, resets_at timestamp with time zone)
 LANGUAGE plpgsql
 ROWS 1
AS $function$
#variable_conflict use_column
declare
  at_time timestamptz := kernel.now();
  minute timestamptz := date_trunc('minute', at_time);
  day timestamptz := date_trunc('day', at_time at time zone 'UTC') at time zone 'UTC';
  live boolean := _class <> 'job';
  price int;
  most numeric;
  call_tags text[];
  c inference.quota_counters;
  s record;
  too_little text;
begin
  select p.price_version, round((_input * p.input + _output * p.output) / 1000000, 8) into price, most
    from inference.model_prices p
    where p.tenant_id = _deployment_tenant and p.deployment_id = _deployment
      and p.effective_from <= at_time
    order by p.effective_from desc, p.price_version desc limit 1;
  most := coalesce(most, 0);
  call_tags := coalesce((select o.tags from inference.inference_operations o
    where o.tenant_id = _tenant and o.id = _operation), '{}');
  for pass in 1 .. case when call_tags = '{}' then 1 else 2 end loop
    for s in
      select f.place, f.scope_type, f.scope_id, coalesce(_limits -> f.scope_type, '{}') || f.limits as limits
      from inference.scopes_of(_tenant, _principal) f where pass = 1
      union all
      select 4, l.scope_type, l.scope_id, l.limits from inference.quota_limits l
      where pass = 2 and l.tenant_id = _tenant and l.scope_type = 'tag' and l.scope_id = any(call_tags)
      order by 1, 3
    loop
      c := inference.lock_counters(_tenant, s.scope_type, s.scope_id, minute, day);
      minute := c.minute_start;
      day := c.day_start;
      if _hold then
        c.day_reserved := c.day_reserved + _input + _output;
        c.cost_reserved := c.cost_reserved + most;
      end if;
      if _hold and live then
        c.minute_reserved := c.minute_reserved + _input + _output;
        c.operations := c.operations + 1;
        c.streams := c.streams + (_class = 'stream')::int;
      end if;
      if live then
        c.requests := c.requests + _requests;
      end if;
      too_little := case
        when c.cost_used + c.cost_reserved > (s.limits ->> 'cost_per_day')::numeric then 'cost_per_day'
        when c.day_used + c.day_reserved > (s.limits ->> 'tokens_per_day')::numeric then 'tokens_per_day'
        when not live then null
        when c.minute_used + c.minute_reserved > (s.limits ->> 'tokens_per_minute')::numeric
          then 'tokens_per_minute'
        when c.requests > (s.limits ->> 'requests_per_minute')::numeric then 'requests_per_minute'
        when _hold and c.operations > (s.limits ->> 'operations')::numeric then 'operations'
        when _hold and _class = 'stream' and c.streams > (s.limits ->> 'streams')::numeric then 'streams'
      end;
      -- Of several the one that is missing longest is named.
      if too_little is null then
        update inference.quota_counters q
          set operations = c.operations, streams = c.streams, minute_start = minute,
            requests = c.requests, minute_used = c.minute_used, minute_reserved = c.minute_reserved,
            day_start = day, day_used = c.day_used, day_reserved = c.day_reserved,
            cost_used = c.cost_used, cost_reserved = c.cost_reserved
          where q.tenant_id = _tenant and q.scope_type = s.scope_type and q.scope_id = s.scope_id;
      elsif missed is null or too_little like '%day'
        or not missed like '%day' and (too_little like '%minute' or not missed like '%minute')
      then
        missed := too_little;
        scope := s.scope_type;
        limit_value := (s.limits ->> too_little)::numeric;
        resets_at := case when missed like '%day' then day + interval '1 day'
          when missed like '%minute' then minute + interval '1 minute' end;
      end if;
    end loop;
    if missed is not null then
      return next;
      return;
    end if;
  end loop;
  if _hold then
    insert into inference.quota_reservations (tenant_id, operation_id, run, principal_id,
      deployment_tenant_id, deployment_id, price_version, input_units, output_units, cost, class,
      tags, minute_start, day_start, owner_id, lease_until, dispatched_at, created_at)
    values (_tenant, _operation, _this_run, _principal, _deployment_tenant, _deployment,
      coalesce(price, 0), _input, _output, most, _class, call_tags, minute, day, _owner,
      clock_timestamp() + make_interval(secs => _lease_seconds),
      case when _attempt is not null then now() end, at_time);
    if _attempt is not null then
      insert into inference.inference_attempts (tenant_id, operation_id, attempt, id, run, deployment_id,
        created_at)
      values (_tenant, _operation, _attempt, _attempt_id, _this_run, _deployment, at_time);
    end if;
  end if;
end $function$;

CREATE OR REPLACE FUNCTION inference.scopes_of(_tenant uuid, _principal uuid)
 RETURNS TABLE(place integer, scope_type text, scope_id text, limits jsonb)
 LANGUAGE sql
 STABLE ROWS 3
AS $function$
  select s.place, s.scope_type, s.scope_id::text,
    coalesce(shared.limits, '{}') || coalesce(own.limits, '{}')
  from (select coalesce((select k.account_id from inference.key_owners k
    where k.tenant_id = _tenant and k.key_id = _principal), _principal) as id) account
  cross join lateral (values (1, 'tenant', _tenant), (2, 'principal', account.id),
    (3, 'principal', nullif(_principal, account.id))) s (place, scope_type, scope_id)
  left join inference.quota_limits own on own.tenant_id = _tenant
    and own.scope_type = s.scope_type and own.scope_id = s.scope_id::text
  left join inference.quota_limits shared on s.place = 3 and shared.tenant_id = _tenant
    and shared.scope_type = 'principal' and shared.scope_id = account.id::text
  where s.scope_id is not null
$function$;

CREATE OR REPLACE FUNCTION inference.settle(_tenant uuid, _operation uuid, _this_run integer, _ended_as text, _input integer, _cached integer, _output integer, _measured text, _snapshot text, _request text, _took_ms integer)
 RETURNS TABLE(input_units integer, cached_input_units integer, output_units integer, cost numeric, currency text, price_version integer, source text)
 LANGUAGE plpgsql
 ROWS 1
AS $function$
#variable_conflict use_column
declare
  at_time timestamptz := kernel.now();
  held inference.quota_reservations;
  price inference.model_prices;
  amount numeric;
  tokens int;
  held_tokens int;
  counted_minute timestamptz;
begin
  update inference.quota_reservations r
    set state = case when _ended_as = 'released' then 'released' else 'settled' end, ended_at = now()
    where r.tenant_id = _tenant and r.operation_id = _operation and r.run = _this_run
      and r.state = 'held'
    returning * into held;
  if not found then
    return;
  end if;
  if _ended_as = 'released' then
    _input := 0; _cached := 0; _output := 0;
  elsif _ended_as = 'ambiguous' then
    _input := held.input_units; _cached := 0; _output := held.output_units; _measured := 'reserved';
  end if;
  _cached := least(_cached, _input);
  select * into price from inference.model_prices p
    where p.tenant_id = held.deployment_tenant_id and p.deployment_id = held.deployment_id
      and p.price_version = held.price_version;
  amount := coalesce(round(((_input - _cached) * price.input + _cached * price.cached_input
    + _output * price.output) / 1000000, 8), 0);
  tokens := _input + _output;
  held_tokens := held.input_units + held.output_units;
  counted_minute := case when held.class <> 'job' then held.minute_start end;
  -- Those of the tenant are locked first, as in `reserve`.
  perform from inference.quota_counters c
    where c.tenant_id = _tenant and c.scope_type = 'tenant' and c.scope_id = _tenant::text for update;
  update inference.quota_counters c
    set operations = c.operations - (held.class <> 'job')::int,
      streams = c.streams - (held.class = 'stream')::int,
      minute_used = c.minute_used + case when c.minute_start = counted_minute then tokens else 0 end,
      minute_reserved = c.minute_reserved
        - case when c.minute_start = counted_minute then held_tokens else 0 end,
      day_used = c.day_used + case when c.day_start = held.day_start then tokens else 0 end,
      day_reserved = c.day_reserved
        - case when c.day_start = held.day_start then held_tokens else 0 end,
      cost_used = c.cost_used + case when c.day_start = held.day_start then amount else 0 end,
      cost_reserved = c.cost_reserved
        - case when c.day_start = held.day_start then held.cost else 0 end
    where c.tenant_id = _tenant and (
      c.scope_type = any('{tenant,principal}') and c.scope_id in (_tenant::text, held.principal_id::text,
        (select k.account_id::text from inference.key_owners k
          where k.tenant_id = _tenant and k.key_id = held.principal_id))
      or c.scope_type = 'tag' and c.scope_id = any(held.tags));
  if _ended_as <> 'released' then
    insert into inference.usage_records (tenant_id, operation_id, run, input_units, output_units,
      compute_ms, cost_amount, currency, price_version, source, measured_at)
    values (_tenant, _operation, _this_run, _input, _output, _took_ms, amount,
      coalesce(price.currency, 'USD'), held.price_version, _measured, at_time);
    insert into inference.generation_usage (tenant_id, operation_id, run, principal_id, workload,
      provider, model_deployment_id, model_snapshot, prompt_version, provider_request_id,
      input_tokens, cached_input_tokens, output_tokens, estimated_cost_minor_units, currency,
      price_version, source, status, counted_on, tags, started_at, completed_at)
    select _tenant, _operation, _this_run, held.principal_id, o.workload, d.provider,
      held.deployment_id, _snapshot, o.prompt_version, _request, _input, _cached, _output, amount * 100,
      coalesce(price.currency, 'USD'), held.price_version, _measured, _ended_as,
      (held.day_start at time zone 'UTC')::date, held.tags, held.created_at, at_time
    from inference.inference_operations o, inference.model_deployments d
    where o.tenant_id = _tenant and o.id = _operation
      and d.tenant_id = held.deployment_tenant_id and d.id = held.deployment_id;
  end if;
  return query select _input, _cached, _output, amount, coalesce(price.currency, 'USD')::text,
    held.price_version, _measured;
end $function$;

create schema retrieval;

create table retrieval.acl_sets (
  tenant_id uuid not null,
  id bigint not null generated always as identity,
  collection_id uuid not null,
  digest bytea not null,
  entries text[] collate "C" not null,
  constraint acl_sets_digest UNIQUE (tenant_id, collection_id, digest),
  constraint acl_sets_pkey PRIMARY KEY (tenant_id, id)
);
CREATE INDEX acl_sets_entries ON retrieval.acl_sets USING gin (entries);

create table retrieval.answer_texts (
  tenant_id uuid not null,
  id uuid not null,
  query text not null,
  text text,
  constraint answer_texts_pkey PRIMARY KEY (tenant_id, id)
);

create table retrieval.answers (
  tenant_id uuid not null,
  id uuid not null,
  actor_id uuid not null,
  query_hash bytea not null,
  state text not null,
  outcome text,
  collection_ids uuid[] not null,
  order_ jsonb,
  retrieval_version text,
  prompt_version text,
  model_version text,
  response_ref uuid,
  usage jsonb,
  degraded text[] not null default '{}'::text[],
  error_code text,
  request_id text not null,
  leased_until timestamp with time zone,
  created_at timestamp with time zone not null default kernel.now(),
  completed_at timestamp with time zone,
  constraint answers_outcome_check CHECK ((outcome = ANY (ARRAY['answered'::text, 'insufficient_evidence'::text]))),
  constraint answers_pkey PRIMARY KEY (tenant_id, id),
  constraint answers_state_check CHECK ((state = ANY (ARRAY['running'::text, 'completed'::text, 'failed'::text, 'cancelled'::text, 'redacted'::text])))
);
CREATE INDEX answers_actor ON retrieval.answers USING btree (tenant_id, actor_id, id);
CREATE INDEX answers_created_at ON retrieval.answers USING btree (created_at);
CREATE INDEX answers_running ON retrieval.answers USING btree (leased_until) WHERE (state = 'running'::text);

create table retrieval.chunk_texts (
  tenant_id uuid not null,
  id uuid not null,
  text text not null,
  constraint chunk_texts_pkey PRIMARY KEY (tenant_id, id)
);

create table retrieval.chunks (
  tenant_id uuid not null,
  id uuid not null,
  collection_id uuid not null,
  document_id uuid not null,
  document_version integer not null,
  ordinal integer not null,
  text_ref uuid not null,
  char_start integer not null,
  char_end integer not null,
  page integer,
  context text not null,
  token_count integer not null,
  metadata jsonb not null default '{}'::jsonb,
  content_hash bytea not null,
  pipeline_version text not null,
  page_starts integer[] not null default '{}'::integer[],
  constraint chunks_check CHECK ((char_start < char_end)),
  constraint chunks_pkey PRIMARY KEY (tenant_id, id),
  constraint chunks_place UNIQUE (tenant_id, document_id, document_version, pipeline_version, ordinal)
);
CREATE INDEX chunks_content_hash ON retrieval.chunks USING btree (tenant_id, content_hash);

create table retrieval.citations (
  tenant_id uuid not null,
  answer_id uuid not null,
  rank integer not null,
  chunk_id uuid not null,
  document_id uuid not null,
  document_version integer not null,
  quoted_range int4range not null,
  answer_range int4range not null,
  constraint citations_answer_range_check CHECK ((NOT isempty(answer_range))),
  constraint citations_pkey PRIMARY KEY (tenant_id, answer_id, rank),
  constraint citations_quoted_range_check CHECK ((NOT isempty(quoted_range)))
);
CREATE INDEX citations_chunk ON retrieval.citations USING btree (tenant_id, chunk_id);
CREATE INDEX citations_document ON retrieval.citations USING btree (tenant_id, document_id);

create table retrieval.collection_acl (
  tenant_id uuid not null,
  collection_id uuid not null,
  principal_or_group text collate "C" not null,
  permission text not null,
  constraint collection_acl_permission_check CHECK ((permission = ANY (ARRAY['read'::text, 'write'::text, 'manage'::text]))),
  constraint collection_acl_pkey PRIMARY KEY (tenant_id, collection_id, principal_or_group)
);
CREATE INDEX collection_acl_principal ON retrieval.collection_acl USING btree (tenant_id, principal_or_group, collection_id);

create table retrieval.collections (
  tenant_id uuid not null,
  id uuid not null,
  name text not null,
  embedding_profile text not null,
  language text not null,
  access_policy_version bigint not null default 1,
  active_index_version integer not null default 1,
  state text not null default 'active'::text,
  version bigint not null default 1,
  created_by uuid not null,
  created_at timestamp with time zone not null default kernel.now(),
  deleted_at timestamp with time zone,
  constraint collections_pkey PRIMARY KEY (tenant_id, id),
  constraint collections_state_check CHECK ((state = ANY (ARRAY['active'::text, 'deleted'::text])))
);
CREATE UNIQUE INDEX collections_name ON retrieval.collections USING btree (tenant_id, name) WHERE (state = 'active'::text);
CREATE INDEX collections_name_words ON retrieval.collections USING btree (tenant_id, kernel.plain(name) COLLATE "C");

create table retrieval.connectors (
  tenant_id uuid not null,
  id uuid not null,
  collection_id uuid not null,
  kind text not null,
  config jsonb not null,
  state text not null default 'active'::text,
  schedule_seconds integer,
  acl jsonb,
  delete_policy text not null,
  max_documents integer not null,
  error_code text,
  job_id uuid,
  version bigint not null default 1,
  created_by uuid not null,
  created_at timestamp with time zone not null default kernel.now(),
  due_at timestamp with time zone,
  attempts integer not null default 0,
  lease_token uuid,
  leased_until timestamp with time zone,
  last_error_code text,
  session_id uuid,
  constraint connectors_delete_policy_check CHECK ((delete_policy = ANY (ARRAY['tombstone'::text, 'keep'::text]))),
  constraint connectors_kind_check CHECK ((kind = ANY (ARRAY['web'::text, 'uploads'::text]))),
  constraint connectors_pkey PRIMARY KEY (tenant_id, id),
  constraint connectors_state_check CHECK ((state = ANY (ARRAY['active'::text, 'paused'::text, 'error'::text, 'deleted'::text])))
);
CREATE INDEX connectors_collection ON retrieval.connectors USING btree (tenant_id, collection_id, id) WHERE (state <> 'deleted'::text);
CREATE INDEX connectors_due_at ON retrieval.connectors USING btree (due_at) WHERE (due_at IS NOT NULL);

create table retrieval.document_acl (
  tenant_id uuid not null,
  document_id uuid not null,
  principal_or_group text collate "C" not null,
  permission text not null,
  version bigint not null,
  constraint document_acl_permission_check CHECK ((permission = ANY (ARRAY['read'::text, 'write'::text, 'manage'::text]))),
  constraint document_acl_pkey PRIMARY KEY (tenant_id, document_id, principal_or_group)
);

create table retrieval.document_versions (
  tenant_id uuid not null,
  document_id uuid not null,
  version integer not null,
  input_text text,
  file_id uuid,
  fetch_uri text,
  blob_key text,
  content_type text,
  title text,
  metadata jsonb not null default '{}'::jsonb,
  source_version text,
  checksum bytea,
  pipeline_version text,
  canonical text,
  outline jsonb,
  created_by uuid not null,
  created_at timestamp with time zone not null default kernel.now(),
  source_lost boolean not null default false,
  constraint document_versions_pkey PRIMARY KEY (tenant_id, document_id, version)
);
CREATE INDEX document_versions_file ON retrieval.document_versions USING btree (tenant_id, file_id) WHERE (file_id IS NOT NULL);

create table retrieval.documents (
  tenant_id uuid not null,
  id uuid not null,
  no bigint not null generated always as identity,
  collection_id uuid not null,
  source_kind text not null,
  source_uri text,
  source_version text,
  file_id uuid,
  connector_id uuid,
  checksum bytea,
  state text not null default 'pending'::text,
  metadata jsonb not null default '{}'::jsonb,
  title text,
  current_version integer,
  latest_version integer not null default 1,
  chunk_count integer not null default 0,
  acl_set_id bigint not null default 0,
  acl_version bigint not null default 1,
  version bigint not null default 0,
  error_code text,
  created_by uuid not null,
  created_at timestamp with time zone not null default kernel.now(),
  deleted_at timestamp with time zone,
  purge_job_id uuid,
  due_at timestamp with time zone,
  attempts integer not null default 0,
  lease_token uuid,
  leased_until timestamp with time zone,
  last_error_code text,
  constraint documents_pkey PRIMARY KEY (tenant_id, id),
  constraint documents_source_kind_check CHECK ((source_kind = ANY (ARRAY['text'::text, 'file'::text, 'uri'::text, 'connector'::text]))),
  constraint documents_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'processing'::text, 'ready'::text, 'failed'::text, 'deleted'::text])))
);
CREATE INDEX documents_acl_set ON retrieval.documents USING btree (tenant_id, collection_id, acl_set_id) WHERE (deleted_at IS NULL);
CREATE INDEX documents_collection ON retrieval.documents USING btree (tenant_id, collection_id, id) WHERE (deleted_at IS NULL);
CREATE INDEX documents_connector ON retrieval.documents USING btree (tenant_id, connector_id, id) WHERE ((connector_id IS NOT NULL) AND (deleted_at IS NULL));
CREATE INDEX documents_due_at ON retrieval.documents USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX documents_file ON retrieval.documents USING btree (tenant_id, file_id) WHERE (file_id IS NOT NULL);
CREATE INDEX documents_no ON retrieval.documents USING btree (tenant_id, collection_id, no) WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX documents_source_uri ON retrieval.documents USING btree (tenant_id, collection_id, source_uri) WHERE ((deleted_at IS NULL) AND (source_uri IS NOT NULL));

create table retrieval.embedding_records (
  tenant_id uuid not null,
  chunk_id uuid not null,
  embedding_model_version text not null,
  vector_ref bytea not null,
  state text not null,
  constraint embedding_records_pkey PRIMARY KEY (tenant_id, chunk_id, embedding_model_version),
  constraint embedding_records_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'embedded'::text, 'indexed'::text, 'superseded'::text, 'purged'::text])))
);

create table retrieval.embeddings (
  tenant_id uuid not null,
  embedding_model_version text not null,
  content_hash bytea not null,
  vector bytea not null,
  constraint embeddings_pkey PRIMARY KEY (tenant_id, embedding_model_version, content_hash)
);

create table retrieval.evaluations (
  tenant_id uuid not null,
  id uuid not null,
  collection_id uuid not null,
  index_version integer,
  k integer not null,
  queries jsonb,
  stored boolean not null,
  metrics jsonb,
  created_by uuid not null,
  created_at timestamp with time zone not null default kernel.now(),
  constraint evaluations_pkey PRIMARY KEY (tenant_id, id)
);
CREATE INDEX evaluations_stored ON retrieval.evaluations USING btree (tenant_id, collection_id, id) WHERE stored;

create table retrieval.index_versions (
  tenant_id uuid not null,
  collection_id uuid not null,
  version integer not null,
  embedding_profile text not null,
  table_id uuid not null,
  state text not null,
  metrics jsonb,
  plan jsonb,
  created_at timestamp with time zone not null default kernel.now(),
  activated_at timestamp with time zone,
  retired_at timestamp with time zone,
  purged_at timestamp with time zone,
  writer_token uuid,
  writer_until timestamp with time zone,
  next_writer uuid,
  next_writer_until timestamp with time zone,
  leftover_table_id uuid,
  constraint index_versions_pkey PRIMARY KEY (tenant_id, collection_id, version),
  constraint index_versions_state_check CHECK ((state = ANY (ARRAY['building'::text, 'ready'::text, 'active'::text, 'retired'::text, 'dropped'::text, 'failed'::text])))
);
CREATE UNIQUE INDEX index_versions_active ON retrieval.index_versions USING btree (tenant_id, collection_id) WHERE (state = 'active'::text);
CREATE UNIQUE INDEX index_versions_building ON retrieval.index_versions USING btree (tenant_id, collection_id) WHERE (state = 'building'::text);
CREATE INDEX index_versions_retired ON retrieval.index_versions USING btree (retired_at) WHERE (state = 'retired'::text);

create table retrieval.ingestion_jobs (
  tenant_id uuid not null,
  id uuid not null,
  kind text not null,
  collection_id uuid not null,
  document_id uuid,
  document_version integer,
  connector_id uuid,
  index_version integer,
  pipeline_version text,
  state text not null default 'pending'::text,
  input jsonb,
  stage text,
  stages jsonb not null default '{}'::jsonb,
  checkpoint jsonb,
  unchanged boolean,
  result jsonb,
  error_code text,
  submitter_id uuid not null,
  created_at timestamp with time zone not null default kernel.now(),
  completed_at timestamp with time zone,
  constraint ingestion_jobs_kind_check CHECK ((kind = ANY (ARRAY['ingest'::text, 'purge'::text, 'reindex'::text, 'sync'::text, 'evaluate'::text]))),
  constraint ingestion_jobs_pkey PRIMARY KEY (tenant_id, id)
);
CREATE INDEX ingestion_jobs_document ON retrieval.ingestion_jobs USING btree (tenant_id, document_id, id) WHERE (document_id IS NOT NULL);
CREATE INDEX ingestion_jobs_ended ON retrieval.ingestion_jobs USING btree (completed_at) WHERE (completed_at IS NOT NULL);

create table retrieval.purge_ledger (
  tenant_id uuid not null,
  document_id uuid not null,
  projection text not null,
  index_version integer not null default 0,
  hidden_at timestamp with time zone not null default kernel.now(),
  erased_at timestamp with time zone,
  done_at timestamp with time zone,
  constraint purge_ledger_pkey PRIMARY KEY (tenant_id, document_id, projection, index_version),
  constraint purge_ledger_projection_check CHECK ((projection = ANY (ARRAY['index'::text, 'canonical_text'::text, 'chunk_text'::text, 'embedding_cache'::text, 'answers'::text])))
);
CREATE INDEX purge_ledger_open ON retrieval.purge_ledger USING btree (tenant_id, document_id) WHERE (done_at IS NULL);

create schema webhooks;

create table webhooks.deliveries (
  tenant_id uuid not null,
  event_id uuid not null,
  subscription_id uuid not null,
  id uuid not null,
  event_type text not null,
  aggregate_id uuid not null,
  aggregate_version bigint not null,
  api_version text not null,
  ordered boolean not null,
  behind boolean not null default false,
  state text not null default 'pending'::text,
  attempt_count integer not null default 0,
  tries smallint not null default 0,
  next_attempt_at timestamp with time zone not null default kernel.now(),
  lease_token uuid,
  leased_until timestamp with time zone,
  replay_no integer not null default 0,
  replay_id uuid,
  replayed_at timestamp with time zone,
  held_seconds bigint not null,
  last_http_status smallint,
  last_error_code text,
  occurred_at timestamp with time zone not null,
  created_at timestamp with time zone not null default kernel.now(),
  completed_at timestamp with time zone,
  constraint deliveries_check CHECK (((state = 'pending'::text) = (completed_at IS NULL))),
  constraint deliveries_check1 CHECK (((lease_token IS NULL) OR (state = 'pending'::text))),
  constraint deliveries_check2 CHECK (((lease_token IS NULL) = (leased_until IS NULL))),
  constraint deliveries_pkey PRIMARY KEY (event_id, subscription_id),
  constraint deliveries_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'permanent_failure'::text, 'exhausted'::text, 'cancelled'::text])))
) partition by RANGE (event_id);
CREATE INDEX deliveries_due ON ONLY webhooks.deliveries USING btree (subscription_id, behind, next_attempt_at, event_id) WHERE (state = 'pending'::text);
CREATE INDEX deliveries_order ON ONLY webhooks.deliveries USING btree (subscription_id, aggregate_id, aggregate_version) WHERE ((state = 'pending'::text) AND ordered);
CREATE INDEX deliveries_subscription ON ONLY webhooks.deliveries USING btree (subscription_id, id DESC);
CREATE INDEX deliveries_tenant ON ONLY webhooks.deliveries USING btree (tenant_id, id DESC);

create table webhooks.delivery_attempts (
  tenant_id uuid not null,
  delivery_id uuid not null,
  attempt_no integer not null,
  id uuid not null,
  started_at timestamp with time zone not null,
  duration_ms integer,
  http_status smallint,
  error_code text,
  response_excerpt text,
  timings jsonb,
  remote_ip text,
  secret_version integer,
  replay_id uuid,
  constraint delivery_attempts_pkey PRIMARY KEY (delivery_id, attempt_no, id),
  constraint delivery_attempts_response_excerpt_check CHECK ((length(response_excerpt) <= 1024))
) partition by RANGE (id);

create table webhooks.delivery_lanes (
  tenant_id uuid not null,
  subscription_id uuid not null,
  breaker text not null default 'closed'::text,
  open_ms integer not null default 0,
  open_until timestamp with time zone,
  not_before timestamp with time zone,
  in_flight smallint not null default 0,
  consecutive_failures integer not null default 0,
  ewma_ms integer,
  p50_ms integer,
  p95_ms integer,
  last_success_at timestamp with time zone,
  failing_since timestamp with time zone,
  failures integer not null default 0,
  last_failure_at timestamp with time zone,
  degraded_at timestamp with time zone,
  updated_at timestamp with time zone not null default now(),
  constraint delivery_lanes_breaker_check CHECK ((breaker = ANY (ARRAY['closed'::text, 'open'::text, 'half_open'::text]))),
  constraint delivery_lanes_pkey PRIMARY KEY (subscription_id),
  constraint delivery_lanes_tenant_id_subscription_id_fkey FOREIGN KEY (tenant_id, subscription_id) REFERENCES webhooks.subscriptions(tenant_id, id)
) with (fillfactor=50);

create table webhooks.event_bodies (
  tenant_id uuid not null,
  event_id uuid not null,
  api_version text not null,
  bytes bytea storage external not null,
  sha256 bytea not null,
  traceparent text,
  constraint event_bodies_pkey PRIMARY KEY (event_id, api_version),
  constraint event_bodies_sha256_check CHECK ((octet_length(sha256) = 32))
) partition by RANGE (event_id);

create table webhooks.fanouts (
  tenant_id uuid not null,
  "position" bigint not null,
  event_id uuid not null,
  cursor uuid,
  constraint fanouts_pkey PRIMARY KEY (tenant_id, "position")
);

create table webhooks.inbound_receipts (
  tenant_id uuid not null,
  id uuid not null,
  provider text collate "C" not null,
  provider_account text collate "C" not null,
  provider_event_id text collate "C" not null,
  event_type text,
  payload_ref text not null,
  signature_key_version integer not null,
  received_at timestamp with time zone not null default kernel.now(),
  processing_state text not null default 'received'::text,
  processed_at timestamp with time zone,
  attempts smallint not null default 0,
  next_attempt_at timestamp with time zone,
  lease_token uuid,
  leased_until timestamp with time zone,
  last_error_code text,
  constraint inbound_receipts_check CHECK (((processing_state = 'processing'::text) = (lease_token IS NOT NULL))),
  constraint inbound_receipts_check1 CHECK (((lease_token IS NULL) = (leased_until IS NULL))),
  constraint inbound_receipts_check2 CHECK (((processing_state = ANY (ARRAY['received'::text, 'processing'::text, 'failed'::text])) = (processed_at IS NULL))),
  constraint inbound_receipts_check3 CHECK (((processed_at IS NULL) = (next_attempt_at IS NOT NULL))),
  constraint inbound_receipts_pkey PRIMARY KEY (id),
  constraint inbound_receipts_processing_state_check CHECK ((processing_state = ANY (ARRAY['received'::text, 'processing'::text, 'processed'::text, 'ignored'::text, 'failed'::text, 'dead'::text]))),
  constraint inbound_receipts_provider_event_id_check CHECK (((length(provider_event_id) >= 1) AND (length(provider_event_id) <= 400))),
  constraint inbound_receipts_tenant_id_provider_provider_account_provid_key UNIQUE (tenant_id, provider, provider_account, provider_event_id)
);
CREATE INDEX inbound_receipts_due ON webhooks.inbound_receipts USING btree (next_attempt_at) WHERE (processing_state = ANY (ARRAY['received'::text, 'processing'::text, 'failed'::text]));
CREATE INDEX inbound_receipts_tenant ON webhooks.inbound_receipts USING btree (tenant_id, id DESC);

create table webhooks.inbound_secrets (
  tenant_id uuid not null,
  source_id uuid not null,
  version integer not null,
  secret_ciphertext bytea not null,
  constraint inbound_secrets_pkey PRIMARY KEY (source_id, version),
  constraint inbound_secrets_source_id_fkey FOREIGN KEY (source_id) REFERENCES webhooks.inbound_sources(id) ON DELETE CASCADE
);

create table webhooks.inbound_sources (
  tenant_id uuid not null,
  provider text collate "C" not null,
  account_ref text collate "C" not null,
  id uuid not null,
  scheme text not null,
  tolerance_seconds integer not null,
  options jsonb not null default '{}'::jsonb,
  version bigint not null default 1,
  created_at timestamp with time zone not null default kernel.now(),
  updated_at timestamp with time zone not null default kernel.now(),
  constraint inbound_sources_account_ref_check CHECK (((length(account_ref) >= 1) AND (length(account_ref) <= 200))),
  constraint inbound_sources_id_key UNIQUE (id),
  constraint inbound_sources_pkey PRIMARY KEY (provider, account_ref),
  constraint inbound_sources_provider_check CHECK ((provider ~ '^[a-z0-9][a-z0-9_-]{0,63}$'::text)),
  constraint inbound_sources_scheme_check CHECK ((scheme = ANY (ARRAY['stripe'::text, 'github'::text, 'slack'::text, 'twilio'::text, 'standard'::text, 'generic_hmac'::text]))),
  constraint inbound_sources_tolerance_seconds_check CHECK (((tolerance_seconds >= 0) AND (tolerance_seconds <= 86400)))
);
CREATE INDEX inbound_sources_tenant ON webhooks.inbound_sources USING btree (tenant_id, provider, account_ref);

create table webhooks.previous_secrets (
  tenant_id uuid not null,
  subscription_id uuid not null,
  secret_version integer not null,
  secret_ciphertext bytea not null,
  valid_until timestamp with time zone not null,
  constraint previous_secrets_pkey PRIMARY KEY (subscription_id, secret_version),
  constraint previous_secrets_tenant_id_subscription_id_fkey FOREIGN KEY (tenant_id, subscription_id) REFERENCES webhooks.subscriptions(tenant_id, id)
);

create table webhooks.receipt_payloads (
  tenant_id uuid not null,
  receipt_id uuid not null,
  content_type text,
  headers jsonb not null,
  bytes bytea storage external not null,
  created_at timestamp with time zone not null default kernel.now(),
  constraint receipt_payloads_pkey PRIMARY KEY (receipt_id)
);
CREATE INDEX receipt_payloads_created ON webhooks.receipt_payloads USING btree (created_at);

create table webhooks.replay_audit (
  tenant_id uuid not null,
  id uuid not null,
  subscription_id uuid not null,
  delivery_id uuid,
  filter jsonb,
  job_id uuid,
  actor text not null,
  reason text not null,
  created_at timestamp with time zone not null default kernel.now(),
  session_id uuid,
  constraint replay_audit_check CHECK (((delivery_id IS NULL) <> (filter IS NULL))),
  constraint replay_audit_pkey PRIMARY KEY (id),
  constraint replay_audit_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 500)))
);
CREATE INDEX replay_audit_delivery ON webhooks.replay_audit USING btree (delivery_id, id) WHERE (delivery_id IS NOT NULL);
CREATE INDEX replay_audit_tenant ON webhooks.replay_audit USING btree (tenant_id, id DESC);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON webhooks.replay_audit FOR EACH ROW EXECUTE FUNCTION kernel.refuse_change('erasure');
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON webhooks.replay_audit FOR EACH STATEMENT EXECUTE FUNCTION kernel.refuse_change();

create table webhooks.sender_shards (
  shard smallint not null,
  owner uuid,
  leased_until timestamp with time zone,
  constraint sender_shards_check CHECK (((owner IS NULL) = (leased_until IS NULL))),
  constraint sender_shards_pkey PRIMARY KEY (shard),
  constraint sender_shards_shard_check CHECK (((shard >= 0) AND (shard <= 63)))
) with (fillfactor=50);

create table webhooks.senders (
  id uuid not null,
  leased_until timestamp with time zone not null,
  constraint senders_pkey PRIMARY KEY (id)
) with (fillfactor=50);

create table webhooks.subscriptions (
  tenant_id uuid not null,
  id uuid not null,
  endpoint text not null,
  event_filter text[] not null,
  aggregate_ids uuid[],
  readable text[] not null,
  owner_id uuid not null,
  state text not null,
  disabled_reason text,
  disabled_at timestamp with time zone,
  cooldown_until timestamp with time zone,
  paused_at timestamp with time zone,
  held_seconds bigint not null default 0,
  api_version text not null,
  description text,
  ordering text not null default 'none'::text,
  max_in_flight smallint not null,
  rate_per_second integer,
  secret_version integer not null,
  secret_ciphertext bytea not null,
  verification_mode text not null,
  challenge_hash bytea,
  challenge_expires_at timestamp with time zone,
  challenge_due_at timestamp with time zone,
  challenges_sent smallint not null default 0,
  unverified_since timestamp with time zone,
  version bigint not null default 1,
  created_at timestamp with time zone not null default kernel.now(),
  updated_at timestamp with time zone not null default kernel.now(),
  shard smallint not null generated always as ((uuid_hash_extended(id, (0)::bigint) & (63)::bigint))::smallint stored,
  verified_at timestamp with time zone,
  paused_reason text,
  challenge_attempts smallint not null default 0,
  challenge_lease_token uuid,
  challenge_leased_until timestamp with time zone,
  challenge_error_code text,
  session_id uuid,
  constraint subscriptions_aggregate_ids_check CHECK (((cardinality(aggregate_ids) >= 1) AND (cardinality(aggregate_ids) <= 100))),
  constraint subscriptions_challenge_hash_check CHECK ((octet_length(challenge_hash) = 32)),
  constraint subscriptions_check CHECK (((state = 'disabled'::text) = (disabled_at IS NOT NULL))),
  constraint subscriptions_check1 CHECK (((state = 'disabled'::text) = (disabled_reason IS NOT NULL))),
  constraint subscriptions_check2 CHECK (((state = 'paused'::text) = (paused_at IS NOT NULL))),
  constraint subscriptions_check3 CHECK (((state = 'created'::text) = (unverified_since IS NOT NULL))),
  constraint subscriptions_check4 CHECK (((paused_reason IS NULL) OR (state = 'paused'::text))),
  constraint subscriptions_disabled_reason_check CHECK ((disabled_reason = ANY (ARRAY['failing'::text, 'gone'::text, 'admin'::text, 'owner_revoked'::text]))),
  constraint subscriptions_endpoint_check CHECK (((length(endpoint) >= 1) AND (length(endpoint) <= 2048))),
  constraint subscriptions_event_filter_check CHECK (((cardinality(event_filter) >= 1) AND (cardinality(event_filter) <= 100))),
  constraint subscriptions_max_in_flight_check CHECK (((max_in_flight >= 1) AND (max_in_flight <= 64))),
  constraint subscriptions_ordering_check CHECK ((ordering = ANY (ARRAY['none'::text, 'aggregate'::text]))),
  constraint subscriptions_paused_reason_check CHECK ((paused_reason = 'owner_revoked'::text)),
  constraint subscriptions_pkey PRIMARY KEY (id),
  constraint subscriptions_rate_per_second_check CHECK (((rate_per_second >= 1) AND (rate_per_second <= 5000))),
  constraint subscriptions_state_check CHECK ((state = ANY (ARRAY['created'::text, 'active'::text, 'paused'::text, 'disabled'::text, 'deleted'::text]))),
  constraint subscriptions_tenant_id_id_key UNIQUE (tenant_id, id),
  constraint subscriptions_verification_mode_check CHECK ((verification_mode = ANY (ARRAY['auto'::text, 'manual'::text])))
);
CREATE INDEX subscriptions_challenge ON webhooks.subscriptions USING btree (challenge_due_at) WHERE (challenge_due_at IS NOT NULL);
CREATE INDEX subscriptions_hearing ON webhooks.subscriptions USING btree (tenant_id, id) WHERE (state = ANY (ARRAY['active'::text, 'paused'::text]));
CREATE INDEX subscriptions_owner ON webhooks.subscriptions USING btree (tenant_id, owner_id) WHERE (state = ANY (ARRAY['created'::text, 'active'::text, 'paused'::text]));
CREATE INDEX subscriptions_unverified ON webhooks.subscriptions USING btree (unverified_since) WHERE (state = 'created'::text);

CREATE OR REPLACE FUNCTION webhooks.delivery_id(event_id uuid, subscription_id uuid)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (SELECT (((((substr(encode(uuid_send(delivery_id.event_id), 'hex'::text), 1, 12) || '7'::text) || substr(one.h, 1, 3)) || substr('89ab'::text, (1 + (get_byte(one.d, 31) & 3)), 1)) || substr(one.h, 4, 15)))::uuid AS uuid FROM (SELECT digest.d, encode(digest.d, 'hex'::text) AS h FROM (SELECT sha256((uuid_send(delivery_id.event_id) || uuid_send(delivery_id.subscription_id))) AS d) digest) one);

CREATE OR REPLACE FUNCTION webhooks.drop_weeks(parent text, older_than interval)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  part record;
  waits boolean;
  dropped int := 0;
begin
  perform pg_advisory_xact_lock(hashtextextended('webhooks.weeks', 0));
  for part in
    select c.relname as name,
      to_timestamp(substring(c.relname from '_w(\d+)$') || '+00', 'YYYYMMDDTZH') as low
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = ('webhooks.' || parent)::regclass and c.relname ~ '_w\d+$'
    order by c.relname
  loop
    exit when part.low + interval '168 hours' > kernel.now() - older_than;
    exit when part.low + interval '168 hours' > now();
    select exists (select from webhooks.deliveries d
      where d.state = 'pending' and parent <> 'delivery_attempts'
        and d.event_id >= kernel.first_id_of(part.low)
        and d.event_id < kernel.first_id_of(part.low + interval '168 hours')) into waits;
    continue when waits;
    execute format('drop table webhooks.%I', part.name);
    dropped := dropped + 1;
  end loop;
  return dropped;
end $function$;

CREATE OR REPLACE FUNCTION webhooks.first_id_beside(id uuid, later_ms integer DEFAULT 0)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ((lpad(to_hex((((('x'::text || lpad(substr(encode(uuid_send(id), 'hex'::text), 1, 12), 16, '0'::text)))::bit(64))::bigint + later_ms)), 12, '0'::text) || repeat('0'::text, 20)))::uuid;

CREATE OR REPLACE FUNCTION webhooks.prepare_weeks(parent text, until timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  low timestamptz;
  part text;
begin
  perform pg_advisory_xact_lock(hashtextextended('webhooks.weeks', 0));
  select max(to_timestamp(substring(c.relname from '_w(\d+)$') || '+00', 'YYYYMMDDTZH'))
    + interval '168 hours' into low
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = ('webhooks.' || parent)::regclass and c.relname ~ '_w\d+$';
  if low is null then
    low := date_trunc('week', now() at time zone 'UTC') at time zone 'UTC';
    execute format('create table webhooks.%I (like webhooks.%I including all)', parent || '_before', parent);
    execute format('alter table webhooks.%I attach partition webhooks.%I for values from (minvalue) to (%L)',
      parent, parent || '_before', kernel.first_id_of(low));
  end if;
  while low <= until loop
    part := parent || '_w' || to_char(low at time zone 'UTC', 'YYYYMMDD');
    execute format('create table webhooks.%I (like webhooks.%I including all)', part, parent);
    if parent = 'deliveries' then
      execute format('alter table webhooks.%I set (fillfactor = 80)', part);
    end if;
    execute format('alter table webhooks.%I attach partition webhooks.%I for values from (%L) to (%L)',
      parent, part, kernel.first_id_of(low), kernel.first_id_of(low + interval '168 hours'));
    low := low + interval '168 hours';
  end loop;
end $function$;
