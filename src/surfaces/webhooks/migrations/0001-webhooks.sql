-- Subscriptions and what is sent to them; receipts of what providers send to us. What grows without end is
-- cut into weeks by the time inside a UUIDv7 (of the event, or of the attempt), so that keeping is
-- dropping a table, and a look-up by id probes one or two of them.

create schema if not exists webhooks;

create table webhooks.subscriptions (
  tenant_id uuid not null,
  id uuid primary key,
  endpoint text not null check (length(endpoint) between 1 and 2048),
  event_filter text[] not null check (cardinality(event_filter) between 1 and 100),
  -- Narrow the filter further.
  aggregate_ids uuid[] check (cardinality(aggregate_ids) between 1 and 100),
  -- What its owner may read, as patterns: `*` and groups never give more than that.
  readable text[] not null,
  owner_id uuid not null,
  state text not null check (state in ('created', 'active', 'paused', 'disabled', 'deleted')),
  disabled_reason text check (disabled_reason in ('failing', 'gone', 'admin', 'owner_revoked')),
  disabled_at timestamptz,
  -- Until then it cannot be taken up again, so that a loop of repairs hammers nobody.
  cooldown_until timestamptz,
  paused_at timestamptz,
  -- Time spent paused or disabled, which does not count towards the age of what waited meanwhile.
  held_seconds bigint not null default 0,
  api_version text not null,
  description text,
  ordering text not null default 'none' check (ordering in ('none', 'aggregate')),
  max_in_flight smallint not null check (max_in_flight between 1 and 64),
  rate_per_second int check (rate_per_second between 1 and 5000),
  secret_version int not null,
  secret_ciphertext bytea not null,
  verification_mode text not null check (verification_mode in ('auto', 'manual')),
  challenge_hash bytea check (octet_length(challenge_hash) = 32),
  challenge_expires_at timestamptz,
  -- When the platform sends a challenge by itself; null where none is owed.
  challenge_due_at timestamptz,
  challenges_sent smallint not null default 0,
  unverified_since timestamptz,
  version bigint not null default 1,
  created_at timestamptz not null default kernel.now(),
  updated_at timestamptz not null default kernel.now(),
  -- Who sends for it: senders lease shards, so one lease covers thousands of endpoints.
  shard smallint not null generated always as ((uuid_hash_extended(id, 0) & 63)::smallint) stored,
  -- When its endpoint last answered a challenge: what is known of an endpoint is known since then.
  verified_at timestamptz,
  -- Null if a caller paused it. Otherwise its owner may no longer read what it asks for.
  paused_reason text check (paused_reason in ('owner_revoked')),
  -- The due queue of challenges.
  challenge_attempts smallint not null default 0,
  challenge_lease_token uuid,
  challenge_leased_until timestamptz,
  challenge_error_code text,
  -- The narrow session of the owner: it has no more rights than that, and ends with it. Null: it belongs
  -- to the account.
  session_id uuid,
  unique (tenant_id, id),
  check ((state = 'disabled') = (disabled_at is not null)),
  check ((state = 'disabled') = (disabled_reason is not null)),
  check ((state = 'paused') = (paused_at is not null)),
  check ((state = 'created') = (unverified_since is not null)),
  check (paused_reason is null or state = 'paused')
);
create index subscriptions_hearing on webhooks.subscriptions (tenant_id, id)
  where state in ('active', 'paused');
create index subscriptions_owner on webhooks.subscriptions (tenant_id, owner_id)
  where state in ('created', 'active', 'paused');
create index subscriptions_challenge on webhooks.subscriptions (challenge_due_at)
  where challenge_due_at is not null;
create index subscriptions_unverified on webhooks.subscriptions (unverified_since)
  where state = 'created';

-- Older secrets that still sign, during a rotation.
create table webhooks.previous_secrets (
  tenant_id uuid not null,
  subscription_id uuid not null,
  secret_version int not null,
  secret_ciphertext bytea not null,
  valid_until timestamptz not null,
  primary key (subscription_id, secret_version),
  foreign key (tenant_id, subscription_id) references webhooks.subscriptions (tenant_id, id)
);

-- What is known of an endpoint. The owner of its shard writes it; everybody may read it.
create table webhooks.delivery_lanes (
  tenant_id uuid not null,
  subscription_id uuid primary key,
  breaker text not null default 'closed' check (breaker in ('closed', 'open', 'half_open')),
  open_ms int not null default 0,
  open_until timestamptz,
  -- Retry-After: nothing is sent before it.
  not_before timestamptz,
  in_flight smallint not null default 0,
  consecutive_failures int not null default 0,
  ewma_ms int,
  p50_ms int,
  p95_ms int,
  last_success_at timestamptz,
  -- Since the last success.
  failing_since timestamptz,
  failures int not null default 0,
  last_failure_at timestamptz,
  degraded_at timestamptz,
  updated_at timestamptz not null default now(),
  foreign key (tenant_id, subscription_id) references webhooks.subscriptions (tenant_id, id)
) with (fillfactor = 50);

-- Which process sends for which shard, and which processes there are to share them.
create table webhooks.sender_shards (
  shard smallint primary key check (shard between 0 and 63),
  owner uuid,
  leased_until timestamptz,
  check ((owner is null) = (leased_until is null))
) with (fillfactor = 50);
insert into webhooks.sender_shards (shard) select generate_series(0, 63);
create table webhooks.senders (
  id uuid primary key,
  leased_until timestamptz not null
) with (fillfactor = 50);

-- One logical delivery of an event to a subscription. The id is made of both, so a fan-out that runs
-- again makes no second one, and it carries the event's time, so a look-up by it finds its week.
create function webhooks.delivery_id(event_id uuid, subscription_id uuid) returns uuid
  language sql immutable parallel safe
  return (
    select (substr(encode(uuid_send(event_id), 'hex'), 1, 12)
      || '7' || substr(h, 1, 3) || substr('89ab', 1 + (get_byte(d, 31) & 3), 1) || substr(h, 4, 15))::uuid
    from (select d, encode(d, 'hex') as h
      from (select sha256(uuid_send(event_id) || uuid_send(subscription_id)) as d) digest) one);

-- The first id of the millisecond of a UUIDv7, and of the one after it.
create function webhooks.first_id_beside(id uuid, later_ms int default 0) returns uuid
  language sql immutable parallel safe
  return (lpad(to_hex(('x' || lpad(substr(encode(uuid_send(id), 'hex'), 1, 12), 16, '0'))::bit(64)::bigint
    + later_ms), 12, '0') || repeat('0', 20))::uuid;

create table webhooks.deliveries (
  tenant_id uuid not null,
  event_id uuid not null,
  subscription_id uuid not null,
  id uuid not null,
  event_type text not null,
  aggregate_id uuid not null,
  aggregate_version bigint not null,
  api_version text not null,
  ordered boolean not null,
  -- Paced work behind live traffic: replays of many.
  behind boolean not null default false,
  state text not null default 'pending'
    check (state in ('pending', 'delivered', 'permanent_failure', 'exhausted', 'cancelled')),
  attempt_count int not null default 0,
  -- Attempts of the present budget: those that were the endpoint's, since the last replay.
  tries smallint not null default 0,
  -- 'infinity': waits for an earlier version of its aggregate.
  next_attempt_at timestamptz not null default kernel.now(),
  lease_token uuid,
  leased_until timestamptz,
  replay_no int not null default 0,
  replay_id uuid,
  replayed_at timestamptz,
  -- What the subscription had been held before the event came.
  held_seconds bigint not null,
  last_http_status smallint,
  last_error_code text,
  occurred_at timestamptz not null,
  created_at timestamptz not null default kernel.now(),
  completed_at timestamptz,
  primary key (event_id, subscription_id),
  check ((state = 'pending') = (completed_at is null)),
  check (lease_token is null or state = 'pending'),
  check ((lease_token is null) = (leased_until is null))
) partition by range (event_id);
create index deliveries_due on webhooks.deliveries (subscription_id, behind, next_attempt_at, event_id)
  where state = 'pending';
create index deliveries_order on webhooks.deliveries (subscription_id, aggregate_id, aggregate_version)
  where state = 'pending' and ordered;
create index deliveries_tenant on webhooks.deliveries (tenant_id, id desc);
create index deliveries_subscription on webhooks.deliveries (subscription_id, id desc);

-- The bytes that are sent, made once for all deliveries, attempts and replays of an event.
create table webhooks.event_bodies (
  tenant_id uuid not null,
  event_id uuid not null,
  api_version text not null,
  bytes bytea not null,
  sha256 bytea not null check (octet_length(sha256) = 32),
  -- The trace of the event: its attempts continue it.
  traceparent text,
  primary key (event_id, api_version)
) partition by range (event_id);
alter table webhooks.event_bodies alter column bytes set storage external;

create table webhooks.delivery_attempts (
  tenant_id uuid not null,
  delivery_id uuid not null,
  attempt_no int not null,
  id uuid not null,
  started_at timestamptz not null,
  duration_ms int,
  http_status smallint,
  error_code text,
  response_excerpt text check (length(response_excerpt) <= 1024),
  timings jsonb,
  remote_ip text,
  secret_version int,
  replay_id uuid,
  primary key (delivery_id, attempt_no, id)
) partition by range (id);

-- An event with more subscriptions than one transaction should touch, and its tenant's later ones behind it.
create table webhooks.fanouts (
  tenant_id uuid not null,
  position bigint not null,
  event_id uuid not null,
  -- The last subscription that has its delivery.
  cursor uuid,
  primary key (tenant_id, position)
);

-- Why something was sent again, by whom: of one delivery, or of many by a filter.
create table webhooks.replay_audit (
  tenant_id uuid not null,
  id uuid primary key,
  subscription_id uuid not null,
  delivery_id uuid,
  filter jsonb,
  job_id uuid,
  actor text not null,
  reason text not null check (length(reason) between 1 and 500),
  created_at timestamptz not null default kernel.now(),
  -- The narrow session that asked for it.
  session_id uuid,
  check ((delivery_id is null) <> (filter is null))
);
create index replay_audit_delivery on webhooks.replay_audit (delivery_id, id) where delivery_id is not null;
create index replay_audit_tenant on webhooks.replay_audit (tenant_id, id desc);
-- Erasing a person replaces the reason that they wrote.
select kernel.make_append_only('webhooks.replay_audit', 'erasure');

-- Where providers may send to: the path names no tenant, so an account of a provider is one source.
create table webhooks.inbound_sources (
  tenant_id uuid not null,
  provider text collate "C" not null check (provider ~ '^[a-z0-9][a-z0-9_-]{0,63}$'),
  account_ref text collate "C" not null check (length(account_ref) between 1 and 200),
  id uuid not null unique,
  scheme text not null
    check (scheme in ('stripe', 'github', 'slack', 'twilio', 'standard', 'generic_hmac')),
  tolerance_seconds int not null check (tolerance_seconds between 0 and 86400),
  options jsonb not null default '{}',
  version bigint not null default 1,
  created_at timestamptz not null default kernel.now(),
  updated_at timestamptz not null default kernel.now(),
  primary key (provider, account_ref)
);
create index inbound_sources_tenant on webhooks.inbound_sources (tenant_id, provider, account_ref);
create table webhooks.inbound_secrets (
  tenant_id uuid not null,
  source_id uuid not null references webhooks.inbound_sources (id) on delete cascade,
  version int not null,
  secret_ciphertext bytea not null,
  primary key (source_id, version)
);

create table webhooks.inbound_receipts (
  tenant_id uuid not null,
  id uuid primary key,
  provider text collate "C" not null,
  provider_account text collate "C" not null,
  provider_event_id text collate "C" not null check (length(provider_event_id) between 1 and 400),
  event_type text,
  payload_ref text not null,
  signature_key_version int not null,
  received_at timestamptz not null default kernel.now(),
  processing_state text not null default 'received'
    check (processing_state in ('received', 'processing', 'processed', 'ignored', 'failed', 'dead')),
  processed_at timestamptz,
  attempts smallint not null default 0,
  next_attempt_at timestamptz,
  lease_token uuid,
  leased_until timestamptz,
  last_error_code text,
  check ((processing_state = 'processing') = (lease_token is not null)),
  check ((lease_token is null) = (leased_until is null)),
  check ((processing_state in ('received', 'processing', 'failed')) = (processed_at is null)),
  check ((processed_at is null) = (next_attempt_at is not null)),
  -- An account that another tenant takes over later begins again.
  unique (tenant_id, provider, provider_account, provider_event_id)
);
create index inbound_receipts_due on webhooks.inbound_receipts (next_attempt_at)
  where processing_state in ('received', 'processing', 'failed');
create index inbound_receipts_tenant on webhooks.inbound_receipts (tenant_id, id desc);

create table webhooks.receipt_payloads (
  tenant_id uuid not null,
  receipt_id uuid primary key,
  content_type text,
  headers jsonb not null,
  bytes bytea not null,
  created_at timestamptz not null default kernel.now()
);
alter table webhooks.receipt_payloads alter column bytes set storage external;
create index receipt_payloads_created on webhooks.receipt_payloads (created_at);

-- Makes the weeks of a table up to `until`; ids from before the first week have a part of their own. By
-- ATTACH, which does not stop readers.
create function webhooks.prepare_weeks(parent text, until timestamptz) returns void
  language plpgsql as $$
declare
  low timestamptz;
  part text;
begin
  perform pg_advisory_xact_lock(hashtextextended('webhooks.weeks', 0));
  select max(to_timestamp(substring(c.relname from '_w(\d+)$') || '+00', 'YYYYMMDDTZH'))
    + interval '168 hours' into low
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = ('webhooks.' || parent)::regclass and c.relname ~ '_w\d+$';
  if low is null then
    low := date_trunc('week', now() at time zone 'UTC') at time zone 'UTC';
    execute format('create table webhooks.%I (like webhooks.%I including all)', parent || '_before', parent);
    execute format('alter table webhooks.%I attach partition webhooks.%I for values from (minvalue) to (%L)',
      parent, parent || '_before', kernel.first_id_of(low));
  end if;
  while low <= until loop
    part := parent || '_w' || to_char(low at time zone 'UTC', 'YYYYMMDD');
    execute format('create table webhooks.%I (like webhooks.%I including all)', part, parent);
    if parent = 'deliveries' then
      execute format('alter table webhooks.%I set (fillfactor = 80)', part);
    end if;
    execute format('alter table webhooks.%I attach partition webhooks.%I for values from (%L) to (%L)',
      parent, part, kernel.first_id_of(low), kernel.first_id_of(low + interval '168 hours'));
    low := low + interval '168 hours';
  end loop;
end $$;

select webhooks.prepare_weeks('deliveries', now() + interval '35 days');
select webhooks.prepare_weeks('event_bodies', now() + interval '35 days');
select webhooks.prepare_weeks('delivery_attempts', now() + interval '35 days');

-- Weeks of a table that ended longer ago than `older_than` and, where it asks, in which nothing waits.
create function webhooks.drop_weeks(parent text, older_than interval) returns int
  language plpgsql as $$
declare
  part record;
  waits boolean;
  dropped int := 0;
begin
  perform pg_advisory_xact_lock(hashtextextended('webhooks.weeks', 0));
  for part in
    select c.relname as name,
      to_timestamp(substring(c.relname from '_w(\d+)$') || '+00', 'YYYYMMDDTZH') as low
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = ('webhooks.' || parent)::regclass and c.relname ~ '_w\d+$'
    order by c.relname
  loop
    exit when part.low + interval '168 hours' > kernel.now() - older_than;
    exit when part.low + interval '168 hours' > now();
    select exists (select from webhooks.deliveries d
      where d.state = 'pending' and parent <> 'delivery_attempts'
        and d.event_id >= kernel.first_id_of(part.low)
        and d.event_id < kernel.first_id_of(part.low + interval '168 hours')) into waits;
    continue when waits;
    execute format('drop table webhooks.%I', part.name);
    dropped := dropped + 1;
  end loop;
  return dropped;
end $$;
