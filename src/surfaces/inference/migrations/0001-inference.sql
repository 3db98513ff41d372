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

-- What a scope uses now, in this minute and in this day: one row, which all calls on it lock. A tag has it
-- only while it has a limit.
create table inference.quota_counters (
  tenant_id uuid not null,
  scope_type text not null,
  scope_id text not null,
  -- calls at one time, and which of them are streams
  operations int not null default 0,
  streams int not null default 0,
  minute_start timestamptz not null default '-infinity',
  requests int not null default 0,
  minute_used numeric not null default 0,
  minute_reserved numeric not null default 0,
  day_start timestamptz not null default '-infinity',
  day_used numeric not null default 0,
  day_reserved numeric not null default 0,
  cost_used numeric not null default 0,
  cost_reserved numeric not null default 0,
  primary key (tenant_id, scope_type, scope_id)
) with (fillfactor = 50);
create index quota_counters_day on inference.quota_counters (day_start);

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
-- a limit of its own has that of its account.
create function inference.scopes_of(_tenant uuid, _principal uuid)
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
  where s.scope_id is not null
$$;

-- A principal, and the keys that count on it.
create function inference.counted_on(_tenant uuid, _principal uuid) returns uuid[]
language sql stable as $$
  select array(select _principal union all select k.key_id from inference.key_owners k
    where k.tenant_id = _tenant and k.account_id = _principal)
$$;

-- Locks the counters of a scope, which are new in a new minute and in a new day. A transaction that
-- waited at midnight may come from the window before: it counts in the one that has begun.
create function inference.lock_counters(_tenant uuid, _type text, _id text, _minute timestamptz,
  _day timestamptz)
returns inference.quota_counters language plpgsql as $$
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
end $$;

-- Counts what a tag uses from its rows, after its limits have changed. A call locks the counters of the
-- tenant first and reads the limits of tags later. So it is seen here, or it sees the limits.
create function inference.recount_tag(_tenant uuid, _tag text) returns void language plpgsql as $$
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
end $$;

-- Takes the most that a run may use from all of its limits, or names one that has too little: the
-- transaction is rolled back then (`refuse_quota`). The counters of the tenant are locked first, so that
-- its calls follow each other; the limits of tags are read after that (see `recount_tag`). Without `hold`
-- only the request counts, and jobs count only in their day.
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
end $$;
