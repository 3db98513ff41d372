-- The two functions that every call runs, with fewer evaluations: the counters are named a second time only
-- where one of them has too little, and the time is read once (kernel.now() cannot be inlined).

-- Takes the most that a run may use from all of its limits, or names one that has too little. Rows are
-- locked in one order; calls at one time are counted once those of the tenant are locked. Without
-- `hold` only the request counts.
create or replace function inference.reserve(
  _tenant uuid, _principal uuid, _operation uuid, _this_run int, _class text, _limits jsonb,
  _deployment_tenant uuid, _deployment uuid, _input int, _output int, _requests int, _hold boolean,
  _owner uuid, _lease_seconds float8, _attempt int, _attempt_id uuid
) returns table (missed text, scope text, limit_value numeric, resets_at timestamptz)
language plpgsql as $$
#variable_conflict use_column
declare
  at_time timestamptz := kernel.now();
  minute timestamptz := date_trunc('minute', at_time);
  day timestamptz := date_trunc('day', at_time at time zone 'UTC') at time zone 'UTC';
  price int := 0;
  most numeric := 0;
  taken int[];
  wanted_rows int;
  running record;
begin
  select p.price_version, round((_input * p.input + _output * p.output) / 1000000, 8) into price, most
    from inference.model_prices p
    where p.tenant_id = _deployment_tenant and p.deployment_id = _deployment
      and p.effective_from <= at_time
    order by p.effective_from desc, p.price_version desc limit 1;
  with wanted as (
    select * from inference.counters_of(_tenant, _principal, _class, _limits, minute, day, _requests,
      case when _hold then _input + _output else 0 end, case when _hold then coalesce(most, 0) else 0 end)
  ), took as (
    insert into inference.quota_counters as c
      (tenant_id, scope_type, scope_id, metric, window_start, limit_value, used, reserved)
    select _tenant, w.scope_type, w.scope_id, w.metric, w.window_start, w.limit_value, w.used, w.reserved
    from wanted w
    where w.used + w.reserved <= w.limit_value
    order by w.place
    on conflict (tenant_id, scope_type, scope_id, metric, window_start) do update
      set used = c.used + excluded.used, reserved = c.reserved + excluded.reserved,
        limit_value = excluded.limit_value
      where c.used + c.reserved + excluded.used + excluded.reserved <= excluded.limit_value
    returning c.scope_type, c.metric
  )
  select array_agg(w.place) filter (where t.metric is not null), count(*) into taken, wanted_rows
    from wanted w left join took t on t.scope_type = w.scope_type and t.metric = w.metric;
  if coalesce(cardinality(taken), 0) < wanted_rows then
    return query
    select w.metric, w.scope_type, w.limit_value,
      case when w.window_start = day then day + interval '1 day' else minute + interval '1 minute' end
    from inference.counters_of(_tenant, _principal, _class, _limits, minute, day, _requests, 0, 0) w
    where not w.place = any(coalesce(taken, '{}'))
    order by w.window_start, w.place desc limit 1;
    return;
  end if;
  if _class <> 'job' and _hold then
    select count(*) as tenant_operations, count(*) filter (where r.class = 'stream') as tenant_streams,
      count(*) filter (where r.principal_id = _principal) as principal_operations,
      count(*) filter (where r.principal_id = _principal and r.class = 'stream') as principal_streams
      into running
      from inference.quota_reservations r
      where r.tenant_id = _tenant and r.state = 'held' and r.lease_until > clock_timestamp()
        and r.class <> 'job';
    return query
      select 'concurrency', one.scope, one.most, null::timestamptz
      from (
        select s.scope, s.running, coalesce((own.limits ->> s.metric)::numeric,
          (_limits -> s.scope ->> s.metric)::numeric) as most
        from (values
          ('principal', _principal, 'operations', running.principal_operations),
          ('tenant', _tenant, 'operations', running.tenant_operations),
          ('principal', _principal, 'streams', running.principal_streams),
          ('tenant', _tenant, 'streams', running.tenant_streams)) s (scope, scope_id, metric, running)
        left join inference.quota_limits own on own.tenant_id = _tenant
          and own.scope_type = s.scope and own.scope_id = s.scope_id
        where _class = 'stream' or s.metric = 'operations') one
      where one.running >= one.most limit 1;
    if found then
      return;
    end if;
  end if;
  if _hold then
    insert into inference.quota_reservations (tenant_id, operation_id, run, principal_id,
      deployment_tenant_id, deployment_id, price_version, input_units, output_units, cost, class,
      minute_start, day_start, owner_id, lease_until, dispatched_at, created_at)
    values (_tenant, _operation, _this_run, _principal, _deployment_tenant, _deployment,
      coalesce(price, 0), _input, _output, coalesce(most, 0), _class, minute, day, _owner,
      clock_timestamp() + make_interval(secs => _lease_seconds),
      case when _attempt is not null then now() end, at_time);
    if _attempt is not null then
      insert into inference.inference_attempts (tenant_id, operation_id, attempt, id, run, deployment_id,
        created_at)
      values (_tenant, _operation, _attempt, _attempt_id, _this_run, _deployment, at_time);
    end if;
  end if;
end $$;

-- Ends a reservation once: gives back what is left of it, counts what was used in the window of the
-- reservation, and writes the usage rows. An `ambiguous` run is charged as reserved; a `released` one
-- was never sent. Returns no row if the reservation has ended already.
create or replace function inference.settle(
  _tenant uuid, _operation uuid, _this_run int, _ended_as text, _input int, _cached int, _output int,
  _measured text, _snapshot text, _request text, _took_ms int
) returns table (
  input_units int, cached_input_units int, output_units int, cost numeric, currency text,
  price_version int, source text
) language plpgsql as $$
#variable_conflict use_column
declare
  at_time timestamptz := kernel.now();
  held inference.quota_reservations;
  price inference.model_prices;
  amount numeric;
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
  insert into inference.quota_counters as c
    (tenant_id, scope_type, scope_id, metric, window_start, limit_value, used, reserved)
  select _tenant, w.scope_type, w.scope_id, w.metric, w.window_start, 0,
    case w.metric when 'cost_per_day' then amount else _input + _output end, w.reserved
  from inference.counters_of(_tenant, held.principal_id, held.class, '{}', held.minute_start,
    held.day_start, 0, held.input_units + held.output_units, held.cost) w
  where w.metric in ('tokens_per_minute', 'tokens_per_day', 'cost_per_day')
  order by w.place
  on conflict (tenant_id, scope_type, scope_id, metric, window_start) do update
    set used = c.used + excluded.used, reserved = c.reserved - excluded.reserved;
  if _ended_as <> 'released' then
    insert into inference.usage_records (tenant_id, operation_id, run, input_units, output_units,
      compute_ms, cost_amount, currency, price_version, source, measured_at)
    values (_tenant, _operation, _this_run, _input, _output, _took_ms, amount,
      coalesce(price.currency, 'USD'), held.price_version, _measured, at_time);
    insert into inference.generation_usage (tenant_id, operation_id, run, principal_id, workload,
      provider, model_deployment_id, model_snapshot, prompt_version, provider_request_id,
      input_tokens, cached_input_tokens, output_tokens, estimated_cost_minor_units, currency,
      price_version, source, status, counted_on, started_at, completed_at)
    select _tenant, _operation, _this_run, held.principal_id, o.workload, d.provider,
      held.deployment_id, _snapshot, o.prompt_version, _request, _input, _cached, _output, amount * 100,
      coalesce(price.currency, 'USD'), held.price_version, _measured, _ended_as,
      (held.day_start at time zone 'UTC')::date, held.created_at, at_time
    from inference.inference_operations o, inference.model_deployments d
    where o.tenant_id = _tenant and o.id = _operation
      and d.tenant_id = held.deployment_tenant_id and d.id = held.deployment_id;
  end if;
  return query select _input, _cached, _output, amount, coalesce(price.currency, 'USD')::text,
    held.price_version, _measured;
end $$;
