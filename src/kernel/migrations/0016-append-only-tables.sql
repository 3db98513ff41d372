-- Rows of an append-only table are only added. A transaction that calls kernel.allow_change may
-- change or delete them for a reason that the table allows, such as retention; deleting a tenant
-- switches the triggers off. Partitions of a table get the trigger on rows too.
create function kernel.allow_change(reason text) returns void language sql as $$
  select set_config('dodeca.allowed_change', reason, true)
$$;
create or replace function kernel.refuse_change() returns trigger language plpgsql as $$
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
select kernel.make_append_only('kernel.events');
