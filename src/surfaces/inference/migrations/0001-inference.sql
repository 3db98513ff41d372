create schema inference;

-- What answers calls. Those of the nil tenant are the platform's, which every tenant may call.
create table inference.model_deployments (
  tenant_id uuid not null,
  id uuid not null unique,
  provider text not null,
  model_name text not null,
  version text not null,
  capability text[] not null,
  state text not null default 'draft' check (state in ('draft', 'active', 'draining', 'disabled')),
  region text not null default 'global',
  max_context int not null check (max_context > 0),
  max_output int not null check (max_output >= 0),
  policy_version text not null,
  -- whether the provider is one of inference.providers, and not of the platform
  own_provider boolean not null default false,
  -- made from the settings of the platform
  configured boolean not null default false,
  row_version bigint not null default 1,
  created_at timestamptz not null default kernel.now(),
  primary key (tenant_id, id)
);
create unique index model_deployments_name
  on inference.model_deployments (tenant_id, provider, model_name, version);

-- Providers with a key of the tenant. What is sealed is the key with the address it was given for.
create table inference.providers (
  tenant_id uuid not null,
  name text not null,
  id uuid not null unique,
  kind text not null check (kind in ('openai', 'openai_compatible', 'anthropic', 'gemini')),
  base_url text not null,
  -- how the key is sent, and its last characters
  auth jsonb not null,
  sealed bytea not null,
  state text not null check (state in ('active', 'disabled')),
  -- whether models there may call operations of the platform
  tools boolean not null default false,
  version bigint not null default 1,
  created_at timestamptz not null default kernel.now(),
  updated_at timestamptz not null default kernel.now(),
  primary key (tenant_id, name)
);

create table inference.model_aliases (
  tenant_id uuid not null,
  alias text not null,
  deployment_id uuid not null,
  priority int not null default 0,
  weight int not null default 100,
  primary key (tenant_id, alias, deployment_id),
  foreign key (tenant_id, deployment_id) references inference.model_deployments (tenant_id, id)
);
create index model_aliases_deployment on inference.model_aliases (tenant_id, deployment_id);

-- Immutable: a price that was wrong is followed by another, and usage rows name the one they were made by.
create table inference.model_prices (
  tenant_id uuid not null,
  deployment_id uuid not null,
  price_version int not null,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  input numeric(20, 8) not null check (input >= 0),
  cached_input numeric(20, 8) not null check (cached_input >= 0),
  output numeric(20, 8) not null check (output >= 0),
  effective_from timestamptz not null,
  created_by uuid,
  created_at timestamptz not null default kernel.now(),
  primary key (tenant_id, deployment_id, price_version),
  foreign key (tenant_id, deployment_id) references inference.model_deployments (tenant_id, id)
);
select kernel.make_append_only('inference.model_prices');

-- One call, whatever became of it. `run` counts its executions: each has a reservation and a usage row.
-- No foreign key to the deployment, which is never deleted: the check would lock its row for every call,
-- so that all calls at one time would share one growing list of lockers.
create table inference.inference_operations (
  tenant_id uuid not null,
  id uuid not null unique,
  actor_id uuid not null,
  idempotency_key text,
  request_fingerprint bytea,
  -- the alias or id that was asked for
  model text not null,
  first_deployment_id uuid not null,
  model_deployment_id uuid not null,
  deployment_tenant_id uuid not null,
  workload text not null check (workload in ('generation', 'generation_stream', 'inference',
    'inference_job', 'report', 'retrieval_answer', 'retrieval_embedding', 'embedding')),
  streamed boolean not null default false,
  state text not null check (state in ('pending', 'running', 'reconciling', 'succeeded', 'failed',
    'blocked', 'cancelled', 'expired')),
  error_code text,
  retryable boolean not null default false,
  input_ref uuid,
  output_ref uuid,
  -- answers of the model that called operations of the platform
  steps int not null default 0,
  prompt_version text not null,
  parameters jsonb not null default '{}',
  metadata jsonb,
  store boolean not null default true,
  job_id uuid,
  parent_id uuid,
  -- the call whose conversation this one continues
  previous_id uuid,
  -- those of the request and those of its principal
  tags text[] not null default '{}',
  run int not null default 1,
  estimated_input int not null,
  max_output int not null,
  model_snapshot text,
  provider_response_id text,
  finish_reason text,
  output_length int,
  output_sha256 bytea,
  cancel_requested_at timestamptz,
  created_at timestamptz not null default kernel.now(),
  started_at timestamptz,
  completed_at timestamptz,
  deadline_at timestamptz not null,
  version bigint not null default 1,
  -- output tokens that the provider used for thinking: part of the output that is charged
  reasoning_units int not null default 0 check (reasoning_units >= 0),
  primary key (tenant_id, id),
  check ((completed_at is null) = (state in ('pending', 'running', 'reconciling')))
) with (fillfactor = 70);
create unique index inference_operations_job on inference.inference_operations (tenant_id, job_id)
  where job_id is not null;
create index inference_operations_actor on inference.inference_operations (actor_id, id);
create index inference_operations_open on inference.inference_operations (id)
  where state in ('pending', 'running', 'reconciling');
create index inference_operations_response
  on inference.inference_operations (provider_response_id) where provider_response_id is not null;
create index inference_operations_created on inference.inference_operations (created_at);

-- Inputs and outputs, sealed; kept apart, so that they can be erased while the call stays.
create table inference.contents (
  tenant_id uuid not null,
  id uuid not null,
  operation_id uuid not null,
  sealed bytea not null,
  erase_at timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, operation_id) references inference.inference_operations (tenant_id, id)
    on delete cascade
);
create index contents_operation on inference.contents (tenant_id, operation_id);
create index contents_erase on inference.contents (erase_at);

-- Calls of operations of the platform that a model asked for. What the model said in a step, with the
-- arguments of its calls, is one content. Before a call is performed its row is committed, and its id is
-- the key under which it is performed, so a process that takes over acts no second time.
create table inference.tool_calls (
  tenant_id uuid not null,
  id uuid not null,
  operation_id uuid not null,
  step int not null,
  place int not null,
  -- the id that the model gave it
  call_id text not null,
  name text not null,
  state text not null check (state in ('running', 'asked', 'done', 'failed', 'refused')),
  said_ref uuid not null,
  result_ref uuid,
  asked_until timestamptz,
  -- the call in which the caller approved or refused it, and which performs it
  answered_by uuid,
  created_at timestamptz not null default kernel.now(),
  completed_at timestamptz,
  primary key (tenant_id, id),
  unique (tenant_id, operation_id, call_id),
  foreign key (tenant_id, operation_id) references inference.inference_operations (tenant_id, id)
    on delete cascade
);
create index tool_calls_asked on inference.tool_calls (tenant_id, asked_until)
  where state = 'asked';
create index tool_calls_answered on inference.tool_calls (tenant_id, answered_by)
  where answered_by is not null;

-- One row for each attempt on the wire, committed before it is sent.
create table inference.inference_attempts (
  tenant_id uuid not null,
  operation_id uuid not null,
  attempt int not null,
  id uuid not null,
  run int not null,
  deployment_id uuid not null,
  state text not null default 'started'
    check (state in ('started', 'succeeded', 'failed', 'aborted', 'ambiguous')),
  provider_request_id text,
  error_code text,
  latency_ms int,
  created_at timestamptz not null default kernel.now(),
  primary key (tenant_id, operation_id, attempt),
  foreign key (tenant_id, operation_id) references inference.inference_operations (tenant_id, id)
    on delete cascade
);

create table inference.safety_decisions (
  tenant_id uuid not null,
  operation_id uuid not null,
  stage text not null check (stage in ('input', 'output')),
  category text not null,
  policy_version text not null,
  decision text not null check (decision in ('allow', 'flag', 'redact', 'block')),
  created_at timestamptz not null default kernel.now(),
  primary key (tenant_id, operation_id, stage, category),
  foreign key (tenant_id, operation_id) references inference.inference_operations (tenant_id, id)
    on delete cascade
);

-- What billing reads. Append-only: a correction is a row with `corrects_id`.
create table inference.usage_records (
  tenant_id uuid not null,
  id uuid not null default gen_random_uuid(),
  operation_id uuid not null,
  run int not null,
  input_units int not null,
  output_units int not null,
  compute_ms int not null,
  cost_amount numeric(20, 8) not null,
  currency text not null,
  price_version int not null,
  source text not null check (source in ('provider', 'estimated', 'reserved')),
  corrects_id uuid,
  measured_at timestamptz not null default kernel.now(),
  primary key (tenant_id, id),
  unique nulls not distinct (tenant_id, operation_id, run, corrects_id)
);
create index usage_records_measured on inference.usage_records (measured_at);
select kernel.make_append_only('inference.usage_records', 'retention');

create table inference.generation_usage (
  tenant_id uuid not null,
  id uuid not null default gen_random_uuid(),
  operation_id uuid not null,
  run int not null,
  principal_id uuid not null,
  workload text not null,
  provider text not null,
  model_deployment_id uuid not null,
  model_snapshot text,
  prompt_version text not null,
  provider_request_id text,
  input_tokens int not null,
  cached_input_tokens int not null,
  output_tokens int not null,
  estimated_cost_minor_units numeric(20, 8) not null,
  currency text not null,
  price_version int not null,
  source text not null check (source in ('provider', 'estimated', 'reserved')),
  status text not null
    check (status in ('succeeded', 'failed', 'cancelled', 'blocked', 'ambiguous')),
  -- the day of the quota that it was counted in
  counted_on date not null,
  tags text[] not null default '{}',
  corrects_id uuid,
  started_at timestamptz not null,
  completed_at timestamptz not null default kernel.now(),
  primary key (tenant_id, id),
  unique nulls not distinct (tenant_id, operation_id, run, corrects_id)
);
create index generation_usage_day
  on inference.generation_usage (tenant_id, counted_on, principal_id);
create index generation_usage_tagged on inference.generation_usage (tenant_id, counted_on)
  where tags <> '{}';
create index generation_usage_completed on inference.generation_usage (completed_at);
select kernel.make_append_only('inference.generation_usage', 'retention');

-- The tags that calls of a tenant have, because their number is limited. Written once a day of use.
create table inference.tags (
  tenant_id uuid not null,
  tag text not null,
  used_at timestamptz not null default kernel.now(),
  primary key (tenant_id, tag)
);
create index tags_used on inference.tags (used_at);

-- Limits of one tenant or principal where they are not those of the settings, and all limits of tags.
create table inference.quota_limits (
  tenant_id uuid not null,
  scope_type text not null check (scope_type in ('tenant', 'principal', 'tag')),
  scope_id text not null,
  limits jsonb not null,
  -- of a principal: tags that all of its calls get
  tags text[] not null default '{}',
  version bigint not null default 1,
  changed_at timestamptz not null default kernel.now(),
  primary key (tenant_id, scope_type, scope_id)
);

-- API keys count on the quota of the account that owns them: a new key has no new budget. Written with
-- the first call of a key. The owner of a key never changes.
create table inference.key_owners (
  tenant_id uuid not null,
  key_id uuid not null,
  account_id uuid not null,
  primary key (tenant_id, key_id)
);
create index key_owners_account on inference.key_owners (tenant_id, account_id);

-- A tag has rows only while it has a limit.
create table inference.quota_counters (
  tenant_id uuid not null,
  scope_type text not null,
  scope_id text not null,
  metric text not null,
  window_start timestamptz not null,
  limit_value numeric not null,
  used numeric not null default 0,
  reserved numeric not null default 0,
  primary key (tenant_id, scope_type, scope_id, metric, window_start)
) with (fillfactor = 50);
create index quota_counters_window on inference.quota_counters (window_start);

-- What a running call may still use. A live process renews the lease; the reaper settles after it.
create table inference.quota_reservations (
  tenant_id uuid not null,
  operation_id uuid not null,
  run int not null,
  principal_id uuid not null,
  deployment_tenant_id uuid not null,
  deployment_id uuid not null,
  price_version int not null,
  input_units int not null,
  output_units int not null,
  cost numeric(20, 8) not null,
  class text not null check (class in ('call', 'stream', 'job')),
  tags text[] not null default '{}',
  minute_start timestamptz not null,
  day_start timestamptz not null,
  state text not null default 'held' check (state in ('held', 'settled', 'released')),
  owner_id uuid not null,
  lease_until timestamptz not null,
  dispatched_at timestamptz,
  created_at timestamptz not null default kernel.now(),
  ended_at timestamptz,
  primary key (tenant_id, operation_id, run),
  foreign key (tenant_id, operation_id) references inference.inference_operations (tenant_id, id)
    on delete cascade
) with (fillfactor = 70);
create index quota_reservations_lease on inference.quota_reservations (lease_until)
  where state = 'held';
create index quota_reservations_held
  on inference.quota_reservations (tenant_id, lease_until) where state = 'held';

create table inference.provider_events (
  provider text not null,
  event_id text not null,
  type text not null,
  -- the event names the response that ended; nothing else of it is used
  payload jsonb not null,
  received_at timestamptz not null default kernel.now(),
  processed_at timestamptz,
  due_at timestamptz,
  attempts int not null default 0,
  lease_token uuid,
  leased_until timestamptz,
  last_error_code text,
  primary key (provider, event_id)
);
create index provider_events_due on inference.provider_events (due_at) where due_at is not null;
create index provider_events_received on inference.provider_events (received_at);

-- The scopes that a principal counts on, in the order in which their counters are locked. A key without
-- a limit of its own has that of its account. With tags, only those of them that have a limit.
create function inference.scopes_of(_tenant uuid, _principal uuid, _tags text[])
returns table (place int, scope_type text, scope_id text, limits jsonb)
language sql stable rows 3 as $$
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
  where _tags is null and s.scope_id is not null
  union all
  select 4, 'tag', l.scope_id, l.limits from inference.quota_limits l
  where l.tenant_id = _tenant and l.scope_type = 'tag' and l.scope_id = any(_tags)
$$;

-- A principal, and the keys that count on it.
create function inference.counted_on(_tenant uuid, _principal uuid) returns uuid[]
language sql stable as $$
  select array(select _principal union all select k.key_id from inference.key_owners k
    where k.tenant_id = _tenant and k.account_id = _principal)
$$;

-- The counters that a call takes from, in the one order in which they are locked. Jobs take only from
-- those of the day. A tag counts only what it limits.
create function inference.counters_of(
  _tenant uuid, _principal uuid, _tags text[], _class text, _limits jsonb, _minute timestamptz,
  _day timestamptz, _requests numeric, _tokens numeric, _cost numeric
) returns table (
  place int, scope_type text, scope_id text, metric text, window_start timestamptz,
  limit_value numeric, used numeric, reserved numeric
) language sql stable as $$
  select row_number() over (order by s.place, s.scope_id, m.place)::int, s.scope_type, s.scope_id,
    m.metric, m.window_start,
    coalesce((s.limits ->> m.metric)::numeric, (_limits -> s.scope_type ->> m.metric)::numeric),
    m.used, m.reserved
  from inference.scopes_of(_tenant, _principal, _tags) s
  cross join (values
    (1, 'operations', timestamptz '-infinity', 0, 0),
    (2, 'requests_per_minute', _minute, _requests, 0),
    (3, 'tokens_per_minute', _minute, 0, _tokens),
    (4, 'tokens_per_day', _day, 0, _tokens),
    (5, 'cost_per_day', _day, 0, _cost)) m (place, metric, window_start, used, reserved)
  where (_class <> 'job' or m.metric in ('tokens_per_day', 'cost_per_day'))
    and (s.scope_type <> 'tag' or s.limits ? m.metric)
$$;

-- Counts what a tag has used in the current windows from its rows, after its limits have changed. Each
-- reservation and each settle of a day locks the tenant's `tokens_per_day` of that day first and
-- reads the limits of tags later. So a run is seen here, or it sees the limits. The day after is for
-- a call that begins at midnight.
create function inference.recount_tag(_tenant uuid, _tag text) returns void language plpgsql as $$
declare
  at_time timestamptz := kernel.now();
  minute timestamptz := date_trunc('minute', at_time);
  day timestamptz := date_trunc('day', at_time at time zone 'UTC') at time zone 'UTC';
begin
  insert into inference.quota_counters as c
    (tenant_id, scope_type, scope_id, metric, window_start, limit_value)
  values (_tenant, 'tenant', _tenant::text, 'operations', '-infinity', 0),
    (_tenant, 'tenant', _tenant::text, 'tokens_per_day', day, 0),
    (_tenant, 'tenant', _tenant::text, 'tokens_per_day', day + interval '1 day', 0)
  on conflict (tenant_id, scope_type, scope_id, metric, window_start) do update set used = c.used;
  delete from inference.quota_counters
    where tenant_id = _tenant and scope_type = 'tag' and scope_id = _tag;
  insert into inference.quota_counters
    (tenant_id, scope_type, scope_id, metric, window_start, limit_value, used, reserved)
  with held as (
    select coalesce(sum(r.input_units + r.output_units) filter (where r.day_start = day), 0) as tokens,
      coalesce(sum(r.cost) filter (where r.day_start = day), 0) as cost,
      coalesce(sum(r.input_units + r.output_units)
        filter (where r.minute_start = minute and r.class <> 'job'), 0) as of_minute
    from inference.quota_reservations r
    where r.tenant_id = _tenant and r.state = 'held' and _tag = any(r.tags)
  ), used as (
    select coalesce(sum(u.input_tokens + u.output_tokens), 0) as tokens,
      coalesce(round(sum(u.estimated_cost_minor_units) / 100, 8), 0) as cost,
      coalesce(sum(u.input_tokens + u.output_tokens)
        filter (where r.minute_start = minute and r.class <> 'job'), 0) as of_minute
    from inference.generation_usage u
    left join inference.quota_reservations r on r.tenant_id = u.tenant_id
      and r.operation_id = u.operation_id and r.run = u.run and u.completed_at >= minute
    where u.tenant_id = _tenant and u.counted_on = (day at time zone 'UTC')::date
      and u.tags <> '{}' and _tag = any(u.tags) and u.corrects_id is null
  ), asked as (
    select count(*) as calls from inference.inference_operations o
    where o.tenant_id = _tenant and o.created_at >= minute and o.job_id is null
      and _tag = any(o.tags)
  )
  select _tenant, 'tag', _tag, m.metric, m.window_start, (l.limits ->> m.metric)::numeric, m.used,
    m.reserved
  from inference.quota_limits l
  cross join held cross join used cross join asked
  cross join lateral (values
    ('requests_per_minute', minute, asked.calls, 0),
    ('tokens_per_minute', minute, used.of_minute, held.of_minute),
    ('tokens_per_day', day, used.tokens, held.tokens),
    ('cost_per_day', day, used.cost, held.cost)) m (metric, window_start, used, reserved)
  where l.tenant_id = _tenant and l.scope_type = 'tag' and l.scope_id = _tag
    and l.limits ? m.metric;
end $$;

-- Takes the most that a run may use from all of its limits, or names one that has too little. Rows are
-- locked in one order; calls at one time are counted once those of the tenant are locked. The limits of
-- tags are read after that too (see `recount_tag`). Without `hold` only the request counts.
--
-- This function and settle() return at most one row. With PostgreSQL's guess of 1,000 a generic plan of
-- the statement that settles a call seems expensive, and each execution is planned: 0.5 of 1.7 ms.
create function inference.reserve(
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
  call_tags text[];
  -- null in the first pass: of tenant and principal
  tagged text[];
begin
  select p.price_version, round((_input * p.input + _output * p.output) / 1000000, 8) into price, most
    from inference.model_prices p
    where p.tenant_id = _deployment_tenant and p.deployment_id = _deployment
      and p.effective_from <= at_time
    order by p.effective_from desc, p.price_version desc limit 1;
  call_tags := coalesce((select o.tags from inference.inference_operations o
    where o.tenant_id = _tenant and o.id = _operation), '{}');
  for pass in 1 .. case when call_tags = '{}' then 1 else 2 end loop
    tagged := case when pass = 2 then call_tags end;
    with wanted as (
      select * from inference.counters_of(_tenant, _principal, tagged, _class, _limits, minute, day,
        _requests, case when _hold then _input + _output else 0 end,
        case when _hold then coalesce(most, 0) else 0 end)
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
      from inference.counters_of(_tenant, _principal, tagged, _class, _limits, minute, day, _requests, 0,
        0) w
      where not w.place = any(coalesce(taken, '{}'))
      order by w.metric like '%day' desc, w.place desc limit 1;
      return;
    end if;
  end loop;
  if _class <> 'job' and _hold then
    return query
      with held as (
        select r.principal_id, r.tags, count(*) as operations,
          count(*) filter (where r.class = 'stream') as streams
        from inference.quota_reservations r
        where r.tenant_id = _tenant and r.state = 'held' and r.lease_until > clock_timestamp()
          and r.class <> 'job'
        group by r.principal_id, r.tags
      ), running as (
        select s.place, s.scope_type, s.limits, coalesce(sum(h.operations), 0) as operations,
          coalesce(sum(h.streams), 0) as streams
        from (select * from inference.scopes_of(_tenant, _principal, null)
          union all select * from inference.scopes_of(_tenant, _principal, call_tags)) s
        cross join inference.counted_on(_tenant,
          case when s.scope_type = 'principal' then s.scope_id::uuid end) ids
        left join held h on s.scope_type = 'tenant' or h.principal_id = any(ids)
          or s.scope_type = 'tag' and s.scope_id = any(h.tags)
        group by s.place, s.scope_type, s.scope_id, s.limits
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
      tags, minute_start, day_start, owner_id, lease_until, dispatched_at, created_at)
    values (_tenant, _operation, _this_run, _principal, _deployment_tenant, _deployment,
      coalesce(price, 0), _input, _output, coalesce(most, 0), _class, call_tags, minute, day, _owner,
      clock_timestamp() + make_interval(secs => _lease_seconds),
      case when _attempt is not null then now() end, at_time);
    if _attempt is not null then
      insert into inference.inference_attempts (tenant_id, operation_id, attempt, id, run, deployment_id,
        created_at)
      values (_tenant, _operation, _attempt, _attempt_id, _this_run, _deployment, at_time);
    end if;
  end if;
end $$;

-- Makes the transaction fail that reserved more than there is, so that COMMIT can be sent with the reservation.
create function inference.refuse_quota(_missed record) returns void language plpgsql as $$
begin
  raise exception 'a limit has too little left'
    using constraint = 'quota_room', detail = jsonb_build_object('missed', _missed.missed,
      'scope', _missed.scope, 'limit_value', _missed.limit_value::text, 'resets_at',
      to_char(_missed.resets_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'));
end $$;

-- Ends a reservation once: gives back what is left of it, counts what was used in the window of the
-- reservation, and writes the usage rows. An `ambiguous` run is charged as reserved; a `released` one
-- was never sent. Returns no row if the reservation has ended already.
create function inference.settle(
  _tenant uuid, _operation uuid, _this_run int, _ended_as text, _input int, _cached int, _output int,
  _measured text, _snapshot text, _request text, _took_ms int
) returns table (
  input_units int, cached_input_units int, output_units int, cost numeric, currency text,
  price_version int, source text
) language plpgsql rows 1 as $$
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
  from inference.counters_of(_tenant, held.principal_id, null, held.class, '{}', held.minute_start,
    held.day_start, 0, held.input_units + held.output_units, held.cost) w
  where w.metric in ('tokens_per_minute', 'tokens_per_day', 'cost_per_day')
  order by w.place
  on conflict (tenant_id, scope_type, scope_id, metric, window_start) do update
    set used = c.used + excluded.used, reserved = c.reserved - excluded.reserved;
  -- A statement of its own, after the lock of the tenant's counters: see `recount_tag`.
  if held.tags <> '{}' then
    update inference.quota_counters c
      set used = c.used + case c.metric when 'cost_per_day' then amount else _input + _output end,
        reserved = c.reserved - case c.metric when 'cost_per_day' then held.cost
          else held.input_units + held.output_units end
      where c.tenant_id = _tenant and c.scope_type = 'tag' and c.scope_id = any(held.tags)
        and (c.metric in ('tokens_per_day', 'cost_per_day') and c.window_start = held.day_start
          or c.metric = 'tokens_per_minute' and c.window_start = held.minute_start
            and held.class <> 'job');
  end if;
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
end $$;
