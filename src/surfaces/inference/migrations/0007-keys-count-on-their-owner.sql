-- API keys count on the quota of the account that owns them. Otherwise a new key has a new budget.

-- Written with the first call of a key. The owner of a key never changes.
create table inference.key_owners (
  tenant_id uuid not null,
  key_id uuid not null,
  account_id uuid not null,
  primary key (tenant_id, key_id)
);
create index key_owners_account on inference.key_owners (tenant_id, account_id);

-- The scopes that a principal counts on, in the order in which their counters are locked. A key without
-- a limit of its own has that of its account.
create function inference.scopes_of(_tenant uuid, _principal uuid)
returns table (place int, scope_type text, scope_id uuid, limits jsonb)
language sql stable rows 3 as $$
  select s.place, s.scope_type, s.scope_id, coalesce(shared.limits, '{}') || coalesce(own.limits, '{}')
  from (select coalesce((select k.account_id from inference.key_owners k
    where k.tenant_id = _tenant and k.key_id = _principal), _principal) as id) account
  cross join lateral (values (1, 'tenant', _tenant), (2, 'principal', account.id),
    (3, 'principal', nullif(_principal, account.id))) s (place, scope_type, scope_id)
  left join inference.quota_limits own on own.tenant_id = _tenant
    and own.scope_type = s.scope_type and own.scope_id = s.scope_id
  left join inference.quota_limits shared on s.place = 3 and shared.tenant_id = _tenant
    and shared.scope_type = 'principal' and shared.scope_id = account.id
  where s.scope_id is not null
$$;

-- A principal, and the keys that count on it.
create function inference.counted_on(_tenant uuid, _principal uuid) returns uuid[]
language sql stable as $$
  select array(select _principal union all select k.key_id from inference.key_owners k
    where k.tenant_id = _tenant and k.account_id = _principal)
$$;

-- The counters that a call takes from, in the one order in which they are locked.
create or replace function inference.counters_of(
  _tenant uuid, _principal uuid, _class text, _limits jsonb, _minute timestamptz, _day timestamptz,
  _requests numeric, _tokens numeric, _cost numeric
) returns table (
  place int, scope_type text, scope_id uuid, metric text, window_start timestamptz,
  limit_value numeric, used numeric, reserved numeric
) language sql stable as $$
  select row_number() over (order by s.place, m.place)::int, s.scope_type, s.scope_id, m.metric,
    m.window_start,
    coalesce((s.limits ->> m.metric)::numeric, (_limits -> s.scope_type ->> m.metric)::numeric),
    m.used, m.reserved
  from inference.scopes_of(_tenant, _principal) s
  cross join (values
    (1, 'operations', timestamptz '-infinity', 0, 0),
    (2, 'requests_per_minute', _minute, _requests, 0),
    (3, 'tokens_per_minute', _minute, 0, _tokens),
    (4, 'tokens_per_day', _day, 0, _tokens),
    (5, 'cost_per_day', _day, 0, _cost)) m (place, metric, window_start, used, reserved)
  where _class <> 'job' or m.metric in ('tokens_per_day', 'cost_per_day')
$$;

-- Takes the most that a run may use from all of its limits, or names one that has too little. Rows are
-- locked in one order; calls at one time are counted once those of the tenant are locked. Without
-- `hold` only the request counts.
create or replace function inference.reserve(
  _tenant uuid, _principal uuid, _operation uuid, _this_run int, _class text, _limits jsonb,
  _deployment_tenant uuid, _deployment uuid, _input int, _output int, _requests int, _hold boolean,
  _owner uuid, _lease_seconds float8, _attempt int, _attempt_id uuid
) returns table (missed text, scope text, limit_value numeric, resets_at timestamptz)
language plpgsql rows 1 as $$
#variable_conflict use_column
declare
  at_time timestamptz := kernel.now();
  minute timestamptz := date_trunc('minute', at_time);
  day timestamptz := date_trunc('day', at_time at time zone 'UTC') at time zone 'UTC';
  price int := 0;
  most numeric := 0;
  taken int[];
  wanted_rows int;
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
    returning c.scope_id, c.scope_type, c.metric
  )
  select array_agg(w.place) filter (where t.metric is not null), count(*) into taken, wanted_rows
    from wanted w left join took t on t.scope_id = w.scope_id
      and t.scope_type = w.scope_type and t.metric = w.metric;
  if coalesce(cardinality(taken), 0) < wanted_rows then
    return query
    select w.metric, w.scope_type, w.limit_value,
      case when w.metric like '%day' then day + interval '1 day' else minute + interval '1 minute' end
    from inference.counters_of(_tenant, _principal, _class, _limits, minute, day, _requests, 0, 0) w
    where not w.place = any(coalesce(taken, '{}'))
    order by w.metric like '%day' desc, w.place desc limit 1;
    return;
  end if;
  if _class <> 'job' and _hold then
    return query
      with held as (
        select r.principal_id, count(*) as operations,
          count(*) filter (where r.class = 'stream') as streams
        from inference.quota_reservations r
        where r.tenant_id = _tenant and r.state = 'held' and r.lease_until > clock_timestamp()
          and r.class <> 'job'
        group by r.principal_id
      ), running as (
        select s.place, s.scope_type, s.limits, coalesce(sum(h.operations), 0) as operations,
          coalesce(sum(h.streams), 0) as streams
        from inference.scopes_of(_tenant, _principal) s
        cross join inference.counted_on(_tenant, s.scope_id) ids
        left join held h on s.scope_type = 'tenant' or h.principal_id = any(ids)
        group by s.place, s.scope_type, s.limits
      )
      select 'concurrency', r.scope_type, most.most, null::timestamptz
      from running r
      cross join lateral (values ('operations', r.operations), ('streams', r.streams))
        m (metric, running)
      cross join lateral (select coalesce((r.limits ->> m.metric)::numeric,
        (_limits -> r.scope_type ->> m.metric)::numeric)) most (most)
      where (_class = 'stream' or m.metric = 'operations') and m.running >= most.most
      order by m.metric, r.place desc limit 1;
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
