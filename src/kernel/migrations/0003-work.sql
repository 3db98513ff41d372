-- What is still to be erased of an account, by surface: written in the commit that erases the account,
-- and worked off as a due queue. The row stays as proof.
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
  primary key (account_id, surface)
);
create index erasures_due_at on kernel.erasures (due_at) where due_at is not null;

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
