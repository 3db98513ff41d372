-- Compatible since 0007: older releases call the function as before.
-- An event may be handled long after its week of the inbox was dropped: by a consumer that is new in the code,
-- or when an operator ends its park. So ids from before the first week that is left always have a part.
create or replace function kernel.drop_inbox_partitions(older_than interval) returns int
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
-- Drops nothing, and closes the gap of weeks that were dropped before.
select kernel.drop_inbox_partitions(interval '3650 days');
