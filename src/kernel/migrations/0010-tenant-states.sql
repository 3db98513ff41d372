-- Compatible since 0007: older releases do not know the table; a hold works in the database, for all of them.
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
