-- The kernel's own tables. Tenants lead every key that a tenant's rows are read by.

create schema if not exists kernel;

-- Time.

-- The platform's time: one row, moved by /dev/clock in development, always zero in production. PostgreSQL
-- inlines a function that reads no table, so kernel.now() costs as little as now(): if it read the offset
-- from this table, each use would plan and run a query (60 us). So the offset stands in the function
-- itself, and moving the clock replaces the function. The lock of the row lets only one move happen at a
-- time.
create table kernel.clock (
  only_row boolean primary key default true check (only_row),
  offset_seconds double precision not null default 0
);
insert into kernel.clock default values;

create function kernel.now() returns timestamptz
  language sql stable parallel safe
  return now() + make_interval(secs => 0);

create function kernel.replace_now() returns trigger language plpgsql as $$
begin
  execute format(
    'create or replace function kernel.now() returns timestamptz language sql stable parallel safe '
    'return now() + make_interval(secs => %s)', new.offset_seconds);
  return null;
end $$;
create trigger replace_now after update on kernel.clock
  for each row execute function kernel.replace_now();

-- Text as searches compare it: lower case, without accents and other marks.
create function kernel.plain(value text) returns text
language sql immutable parallel safe as $$
  select lower(regexp_replace(normalize(value, nfkd), '[\u0300-\u036f]', '', 'g'))
$$;

create function kernel.last_word(value text) returns text
language sql immutable parallel safe as $$
  select kernel.plain(regexp_replace(rtrim(value), '^.*[[:space:]]', ''))
$$;

-- Tables that are only added to, and tables in parts.

-- Rows of an append-only table are only added. A transaction that calls kernel.allow_change may
-- change or delete them for a reason that the table allows, such as retention; deleting a tenant
-- switches the triggers off. Partitions of a table get the trigger on rows too.
create function kernel.allow_change(reason text) returns void language sql as $$
  select set_config('dodeca.allowed_change', reason, true)
$$;
create function kernel.refuse_change() returns trigger language plpgsql as $$
begin
  if tg_op in ('UPDATE', 'DELETE') and current_setting('dodeca.allowed_change', true) = any(tg_argv)
  then
    return coalesce(new, old);
  end if;
  raise exception '%.% is append-only', tg_table_schema, tg_table_name
    using errcode = '42501', constraint = 'append_only';
end $$;
create function kernel.make_append_only(target regclass, variadic allowed text[] default '{}')
returns void language plpgsql as $$
begin
  execute format('create trigger append_only before update or delete on %s
    for each row execute function kernel.refuse_change(%s)',
    target, (select string_agg(quote_literal(reason), ', ') from unnest(allowed) as reason));
  execute format('create trigger append_only_truncate before truncate on %s
    for each statement execute function kernel.refuse_change()', target);
end $$;

-- Partitions of a table by time, for a `retention` of the contract: makes those up to `ahead`, and drops
-- those that ended longer ago than `keep`. The partition key is a timestamptz, or a uuid whose first bits
-- are a time. By ATTACH, which does not stop readers.
create function kernel.keep_parts(
  parent regclass, unit text, keep interval, ahead interval default interval '35 days'
) returns int
  language plpgsql as $$
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
end $$;

-- The database and its keys.

-- The id of this database, by which other cells with the same bucket of objects know it. One row, written at
-- its first use.
create table kernel.cell (
  one boolean primary key default true check (one),
  id uuid not null
);

-- What a key makes of its own name: a process with another key, or another pepper, finds the difference at
-- its start and not at the first value that it cannot open.
create table kernel.keyring_marks (
  name text primary key,
  mark bytea not null,
  first_seen_at timestamptz not null default now()
);

-- Requests.

-- Domains, because PostgreSQL checks one only when its column is written. A check of the table is prepared
-- at each statement that writes a row: 5 us each, and every keyed request writes one here.
create domain kernel.digest as bytea check (octet_length(value) = 32);
create domain kernel.record_state as text check (value in ('in_progress', 'completed'));

-- Outcomes of keyed operations. The primary key alone makes a second effect impossible.
create table kernel.idempotency_records (
  principal_id uuid not null,
  operation text not null,
  key text collate "C" not null,
  tenant_id uuid not null,
  fingerprint kernel.digest not null,
  state kernel.record_state not null,
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
  request_id uuid,
  transaction_id bigint,
  -- The reply of an operation that shows a secret once, sealed with the keyring. `body` is null then.
  sealed_body bytea,
  primary key (principal_id, operation, key),
  check (state = 'in_progress' or status is not null)
);
create index idempotency_records_expires_at on kernel.idempotency_records (expires_at);
-- A write with a key can be found by the id of its request. The ids begin with their time, so the index
-- grows at its end.
create index idempotency_records_request_id on kernel.idempotency_records (request_id);
alter table kernel.idempotency_records
  alter column body set storage external,
  alter column sealed_body set storage external;

-- Failed and slow requests of the last days: facts and ids, never contents. A request without a caller has
-- no tenant. `about` has the ids of the path. The partitions are made below, by `first_id_of`.
create table kernel.requests (
  id uuid primary key,
  tenant_id uuid,
  principal_id uuid,
  route text,
  status smallint not null,
  code text,
  permission text,
  -- Where the first wrong member is, in declared names.
  pointer text,
  ms int not null,
  about uuid[] not null,
  -- This request and the alike ones after it that have no row of their own.
  times int not null,
  created_at timestamptz not null
) partition by range (id);
create index requests_tenant on kernel.requests (tenant_id, id desc);
create index requests_principal on kernel.requests (principal_id, id desc);

-- Strict limits hold over all processes: one conditional statement a request (GCRA).
create unlogged table kernel.throttles (
  bucket text collate "C" primary key,
  tat timestamptz not null
);

-- Who called what will be removed. `member` is empty for a whole operation.
create table kernel.deprecated_calls (
  tenant_id uuid not null,
  principal_id uuid not null,
  operation text collate "C" not null,
  member text collate "C" not null,
  calls bigint not null,
  first_called_at timestamptz not null,
  last_called_at timestamptz not null,
  primary key (tenant_id, principal_id, operation, member)
);
create index deprecated_calls_principal on kernel.deprecated_calls (principal_id);
create index deprecated_calls_last on kernel.deprecated_calls (last_called_at);

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
create trigger audit_events_append_only before update or delete or truncate on kernel.audit_events
  for each statement execute function kernel.refuse_change();

-- Tenants and accounts.

-- Tenants that are not served as usual. `frozen`: reads only. `moved`: another cell serves it. `deleted`: gone.
-- The receipt says what was deleted here.
create table kernel.tenant_states (
  tenant_id uuid primary key,
  state text not null check (state in ('frozen', 'moved', 'deleted')),
  reason text not null,
  -- The address of the cell that serves the tenant.
  cell_url text,
  receipt jsonb,
  changed_at timestamptz not null default now(),
  check ((state = 'moved') = (cell_url is not null)),
  check (state <> 'deleted' or receipt is not null)
);
-- The tenants that are held now, among all that were moved away or deleted: each claim of background work
-- passes over their rows.
create index tenant_states_held on kernel.tenant_states (tenant_id)
  where receipt is null or not receipt ? 'sha256';

-- The trigger of a hold, on every table with rows of a tenant, while the tenant is copied or deleted. A table
-- whose rows are leased is claimed in batches over all tenants: such a batch must go on for the others, so the
-- row is left as it is. Every other write fails, as if it had waited too long for a lock (503, try again).
create function kernel.hold_tenant() returns trigger language plpgsql as $$
begin
  if current_setting('kernel.tenant_work', true) = 'on' then
    return case when tg_op = 'DELETE' then old else new end;
  end if;
  if tg_op <> 'INSERT' and tg_argv[0] = 'skip' then
    return null;
  end if;
  raise exception 'the tenant is frozen' using errcode = '55P03';
end $$;

-- What is still to be erased of an account, by surface: written in the commit that erases the account,
-- and worked off as a due queue. The row stays as proof. What belongs to an account may have been made with
-- one of its API keys. What another person put into an account before its owner proved the mailbox is erased,
-- too: then only what was made until that moment.
create table kernel.erasures (
  account_id uuid not null,
  surface text collate "C" not null,
  tenant_id uuid not null,
  requested_at timestamptz not null default kernel.now(),
  erased_at timestamptz,
  due_at timestamptz default kernel.now(),
  attempts int not null default 0,
  lease_token uuid,
  leased_until timestamptz,
  last_error_code text,
  id uuid primary key default gen_random_uuid(),
  principal_ids uuid[] not null default '{}',
  made_before timestamptz
);
create unique index erasures_account on kernel.erasures (account_id, surface) where made_before is null;
create index erasures_due_at on kernel.erasures (due_at) where due_at is not null;

-- Events.

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
  created_at timestamptz not null default now(),
  -- Who wrote the event: the route (`POST /v1/jobs`) or the work (`run report.build`), and the transaction.
  -- A transaction's number is unique in one database cluster; after a restore into another cluster, old
  -- and new numbers may be the same.
  written_by text,
  transaction_id bigint
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0);

-- Writes events of one type for a function of a surface that numbers its rows itself. Like the insert of
-- `tx.emit()`, it takes the transaction's id before its first number: by that the sequencer tells whether a
-- missing number may still be committed. `tx.emitting()` returns the origin and wakes the sequencer.
create function kernel.emit(
  p_type text, p_schema_version int, p_aggregate_type text, p_ids uuid[], p_tenant_ids uuid[],
  p_aggregate_ids uuid[], p_aggregate_versions bigint[], p_payloads jsonb[], p_traceparent text,
  p_written_by text
) returns void language plpgsql as $$
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
end $$;

-- The event log and what consumers remember. Positions are given by one sequencer, so every reader may
-- trust `position > cursor`. Partitions are made ahead by functions, outside the hot statements, by
-- ATTACH (which does not stop readers); there is no default partition that could hide a missing one.
create table kernel.events (
  position bigint not null,
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
  occurred_at timestamptz not null,
  created_at timestamptz not null,
  lane smallint not null,
  written_by text,
  transaction_id bigint,
  primary key (position)
) partition by range (position);
create index events_lane on kernel.events (lane, position);
create index events_tenant on kernel.events (tenant_id, position);
create index events_id on kernel.events (id);
select kernel.make_append_only('kernel.events');

-- The last position that was given. Only the sequencer writes it.
create table kernel.event_counter (
  only_row boolean primary key default true check (only_row),
  position bigint not null default 0
) with (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
insert into kernel.event_counter default values;

-- What a new leader, or a partition, has to do before positions of the next `ahead` can be given.
create function kernel.prepare_event_partitions(ahead bigint) returns bigint
  language plpgsql as $$
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
end $$;
select kernel.prepare_event_partitions(5000000);

-- The lane of an aggregate: the hash that PostgreSQL keeps stable for hash partitions.
create function kernel.lane_of(aggregate uuid) returns smallint
  language sql immutable parallel safe
  return (uuid_hash_extended(aggregate, 0) & 15)::smallint;

-- How far a consumer has come in each lane, and which process works there. The token is the fence:
-- a cursor moves only under it; `leased_until` says from when another process may take the lane.
create table kernel.event_consumers (
  consumer text collate "C" not null,
  lane smallint not null check (lane between 0 and 15),
  position bigint not null default 0,
  lease_token uuid,
  leased_until timestamptz,
  wanted_by uuid,
  created_at timestamptz not null default now(),
  -- When a process last ran whose code has the consumer. A release that is taken back for ten minutes
  -- must not lose the cursors of its own consumers: they would handle all events of the log again.
  known_at timestamptz not null default now(),
  primary key (consumer, lane)
) with (fillfactor = 50);

-- What was handled: together with the effect, in one commit. Weekly by the time inside the id.
create table kernel.inbox_events (
  consumer text collate "C" not null,
  event_id uuid not null,
  processed_at timestamptz not null default now(),
  primary key (consumer, event_id)
) partition by range (event_id);

create function kernel.first_id_of(moment timestamptz) returns uuid
  language sql immutable parallel safe
  return (lpad(to_hex((extract(epoch from moment) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid;

select kernel.keep_parts('kernel.requests', 'day', '7 days', '7 days');

-- Weeks from the last known one to `until`; ids from before the first week have a part of their own.
create function kernel.prepare_inbox_partitions(until timestamptz) returns timestamptz
  language plpgsql as $$
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
end $$;
select kernel.prepare_inbox_partitions(now() + interval '35 days');

-- An event that failed, and with it its aggregate for that consumer. `blocking` is changed only by
-- the holder of the lane, so an operator's decision can never open the way for a later event too early.
create table kernel.event_parks (
  id uuid primary key,
  consumer text collate "C" not null,
  lane smallint not null,
  -- Publishers choose the ids of aggregates, so a park stops only the aggregate of its own tenant.
  tenant_id uuid not null,
  aggregate_id uuid not null,
  event_id uuid not null,
  first_position bigint not null,
  attempts int not null,
  next_attempt_at timestamptz,
  last_error_code text not null,
  state text not null check (state in ('waiting', 'dead', 'skipped', 'resolved')),
  blocking boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check (blocking or state in ('skipped', 'resolved'))
);
create unique index event_parks_blocking on kernel.event_parks (consumer, tenant_id, aggregate_id)
  where blocking;
create index event_parks_due on kernel.event_parks (next_attempt_at)
  where blocking and state <> 'dead';
create index event_parks_first_position on kernel.event_parks (first_position) where blocking;
create index event_parks_consumer on kernel.event_parks (consumer, id);

-- The later events of a parked aggregate, in their order.
create table kernel.event_park_waits (
  park_id uuid not null references kernel.event_parks on delete cascade,
  position bigint not null,
  primary key (park_id, position)
);

-- Drops partitions of the log that every cursor and park has passed and whose events are all older.
create function kernel.drop_event_partitions(older_than interval) returns int
  language plpgsql as $$
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
end $$;

-- Drops weeks of the inbox that ended long enough ago; what is older than all weeks goes row by row. An event
-- may be handled long after its week was dropped: by a consumer that is new in the code, or when an
-- operator ends its park. So ids from before the first week that is left always have a part.
create function kernel.drop_inbox_partitions(older_than interval) returns int
  language plpgsql as $$
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
end $$;

-- Event types that were declared over HTTP. They belong to the platform, as those of the code do. A row is never
-- deleted and its version only rises, so the sum of all versions tells whether any type has changed.
create table kernel.event_types (
  type text collate "C" primary key,
  description text not null,
  schema jsonb not null,
  schema_version int not null default 1,
  version int not null default 1,
  archived_at timestamptz,
  created_at timestamptz not null default kernel.now(),
  updated_at timestamptz not null default kernel.now()
);

-- The last version of each aggregate whose id a publisher chose. A row goes after the last event of the
-- aggregate; versions that the platform gives go on to rise, because they are not below the time.
create table kernel.published_aggregates (
  tenant_id uuid not null,
  type text collate "C" not null,
  id uuid not null,
  version bigint not null default 0,
  published_at timestamptz not null default kernel.now(),
  primary key (tenant_id, type, id)
);
create index published_aggregates_old on kernel.published_aggregates (published_at);
