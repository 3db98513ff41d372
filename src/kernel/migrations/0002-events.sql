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
  primary key (position)
) partition by range (position);
create index events_lane on kernel.events (lane, position);
create index events_tenant on kernel.events (tenant_id, position);
create index events_id on kernel.events (id);

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
-- whoever holds the lane, so an operator's decision can never open the way for a later event too early.
create table kernel.event_parks (
  id uuid primary key,
  consumer text collate "C" not null,
  lane smallint not null,
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
create unique index event_parks_blocking on kernel.event_parks (consumer, aggregate_id) where blocking;
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

-- Drops weeks of the inbox that ended long enough ago; what is older than all weeks goes row by row.
create function kernel.drop_inbox_partitions(older_than interval) returns int
  language plpgsql as $$
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
end $$;
