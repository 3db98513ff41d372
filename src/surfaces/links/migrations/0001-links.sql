-- Short links, the hosts they live on, what keeps them safe, and the clicks on them. A code is public and
-- unique per domain over all tenants, so (domain_id, code) is the key; every statement of an owner also
-- names tenant and owner. Links of the platform's own host have the fixed domain id of domains/platform.ts,
-- which has no row: a foreign key would make all creations share a lock on it.

create schema if not exists links;

-- One owner's claim of a host. Claims may compete while pending; one at most is proven (the unique index).
-- A removed domain stays as a row, because the codes on it stay taken for ever.
create table links.domains (
  tenant_id uuid not null,
  id uuid primary key,
  owner_id uuid not null,
  hostname text collate "C" not null check (hostname = lower(hostname) and length(hostname) <= 253),
  verification_token_hash bytea not null check (octet_length(verification_token_hash) = 32),
  verification_expires_at timestamptz not null,
  state text not null default 'pending_verification'
    check (state in ('pending_verification', 'active', 'suspended', 'removed')),
  root_url text,
  missed_checks smallint not null default 0,
  checked_at timestamptz,
  next_check_at timestamptz,
  version bigint not null default 1,
  created_at timestamptz not null default kernel.now(),
  updated_at timestamptz not null default kernel.now(),
  -- Since which check the record of a proven host has been missing. The owner gets a mail.
  missing_since timestamptz,
  -- The due queue of checks, with next_check_at.
  check_attempts int not null default 0,
  check_lease_token uuid,
  check_leased_until timestamptz,
  check_error_code text,
  unique (tenant_id, id)
);
create unique index domains_proven on links.domains (hostname) where state in ('active', 'suspended');
create unique index domains_own on links.domains (owner_id, hostname) where state <> 'removed';
-- Earlier owners of a host are asked for when an alias is made on it.
create index domains_hostname on links.domains (hostname);
create index domains_words on links.domains (tenant_id, kernel.plain(hostname) collate "C");
create index domains_owner on links.domains (tenant_id, owner_id, id);
create index domains_next_check on links.domains (next_check_at) where state in ('active', 'suspended');
create index domains_claims on links.domains (verification_expires_at)
  where state = 'pending_verification';

-- destination_host is reversed and ends in a dot (`com.example.www.`): a prefix finds a host with all its
-- sub-domains. id is what events call the link; version counts its events, so both move together.
create table links.links (
  tenant_id uuid not null,
  domain_id uuid not null,
  code text collate "C" not null check (length(code) between 3 and 64),
  id uuid not null,
  owner_id uuid not null,
  destination_url text not null check (length(destination_url) <= 2048),
  destination_host text collate "C" not null,
  destination_version int not null default 1,
  state text not null check (state in ('pending_scan', 'active', 'disabled', 'expired', 'deleted')),
  safety_state text not null check (safety_state in ('unscanned', 'clean', 'suspicious', 'malicious')),
  disabled_by text check (disabled_by in ('owner', 'safety', 'admin')),
  redirect_status smallint not null default 302 check (redirect_status in (301, 302, 307, 308)),
  scan text not null default 'warn' check (scan in ('allow', 'warn', 'block')),
  query text not null default 'ignore' check (query in ('ignore', 'append')),
  cache_seconds int not null default 0 check (cache_seconds between 0 and 300),
  edge_cache_seconds int not null default 0 check (edge_cache_seconds between 0 and 86400),
  title text check (length(title) <= 200),
  max_clicks bigint check (max_clicks > 0),
  remaining_clicks bigint check (remaining_clicks >= 0),
  expires_at timestamptz,
  -- When an engine is to look at the destination, and how often it could not.
  scan_due_at timestamptz,
  scan_attempts smallint not null default 0,
  version bigint not null default 1,
  created_at timestamptz not null default kernel.now(),
  updated_at timestamptz not null default kernel.now(),
  -- Its owner has switched it off, which stays so whatever safety or a moderator does meanwhile.
  owner_disabled boolean not null default false,
  -- The due queue of scans, with scan_due_at.
  scan_lease_token uuid,
  scan_leased_until timestamptz,
  scan_error_code text,
  primary key (domain_id, code),
  check ((state = 'disabled') = (disabled_by is not null)),
  check ((max_clicks is null) = (remaining_clicks is null)),
  check (remaining_clicks <= max_clicks),
  -- a browser that keeps a permanent answer asks neither for the count nor for the expiry of it
  check (redirect_status in (302, 307) or max_clicks is null),
  check (disabled_by is distinct from 'owner' or owner_disabled)
) with (fillfactor = 90);
create index links_owner on links.links (tenant_id, owner_id, id desc)
  where state <> 'deleted';
create index links_destination_host on links.links (destination_host) where state <> 'deleted';
create index links_expires_at on links.links (expires_at) where state in ('active', 'pending_scan');
create index links_scan_due_at on links.links (scan_due_at) where scan_due_at is not null;

-- The keys of creations live in the kernel's store; this is how this surface names them.
create view links.idempotency_records as
  select principal_id as owner_id, key, fingerprint as request_fingerprint,
    substring(resource_ref from '/v1/links/([^/?]+)') as link_code
  from kernel.idempotency_records where operation = 'POST /v1/links';

-- What must not be linked to (block), and what is shown with a warning first (warn). `value` is a reversed
-- host (host, suffix), the SHA-256 of a normalized address in hex (url), or a pattern (regex).
create table links.blocklist (
  id uuid primary key,
  kind text not null check (kind in ('host', 'suffix', 'url', 'regex')),
  value text collate "C" not null check (length(value) between 1 and 500),
  action text not null check (action in ('block', 'warn')),
  reason text not null,
  created_by uuid not null,
  created_at timestamptz not null default kernel.now(),
  removed_at timestamptz
);
create unique index blocklist_value on links.blocklist (kind, value) where removed_at is null;

-- What the public reports. Nothing here says who did: a limit per network is all that is needed of them.
create table links.link_reports (
  id uuid primary key,
  url text not null,
  reason text not null,
  state text not null default 'received' check (state in ('received', 'resolved')),
  domain_id uuid,
  code text collate "C",
  destination_host text collate "C",
  created_at timestamptz not null default kernel.now(),
  resolved_at timestamptz,
  check ((domain_id is null) = (code is null)),
  check ((state = 'resolved') = (resolved_at is not null))
);
create index link_reports_state on links.link_reports (state, id);
create index link_reports_link on links.link_reports (domain_id, code) where state = 'received';
create index link_reports_host on links.link_reports (destination_host, created_at)
  where state = 'received';

-- Every change that a redirect from memory could miss, in the transaction of the change. An empty code
-- stands for the whole domain, its host included. The transaction's own id tells a reader what its
-- snapshot could not see yet.
create table links.link_changes (
  seq bigint generated always as identity primary key,
  domain_id uuid not null,
  code text collate "C" not null default '',
  xid xid8 not null default pg_current_xact_id(),
  created_at timestamptz not null default now()
) with (autovacuum_vacuum_scale_factor = 0.01);
create index link_changes_xid on links.link_changes (xid);
create index link_changes_created_at on links.link_changes (created_at);

-- Which processes answer redirects from memory, until when, what each has seen, and since when clicks wait
-- in it. The table survives a crash of the database, so that the clicks of a dead process stay announced.
create table links.redirect_nodes (
  node_id uuid primary key,
  leased_until timestamptz not null,
  seen pg_snapshot,
  clicks_since timestamptz,
  has_spool boolean not null default true
) with (fillfactor = 50);

-- What is still to be removed from an edge cache: a link, or by an empty code all links of a domain.
create table links.edge_purges (
  id bigint generated always as identity primary key,
  event_id uuid not null,
  link_id uuid,
  domain_id uuid not null,
  code text collate "C" not null,
  attempts int not null default 0,
  due_at timestamptz default kernel.now(),
  lease_token uuid,
  leased_until timestamptz,
  last_error_code text,
  check ((link_id is null) = (code = ''))
);
create index edge_purges_due_at on links.edge_purges (due_at);

-- One row a click. No column can hold an address or a user agent; the context is coarse on purpose.
create table links.click_events (
  event_id uuid not null,
  domain_id uuid not null,
  code text collate "C" not null,
  occurred_at timestamptz not null,
  coarse_context jsonb not null,
  batch_id uuid not null,
  primary key (event_id, occurred_at)
) partition by range (occurred_at);

-- Batches of clicks that are stored and not yet added to the daily statistics, each with its own sums.
create table links.click_batches (
  id uuid primary key,
  counts json not null,
  created_at timestamptz not null default now(),
  -- The first click of the batch: how fresh statistics are.
  clicks_since timestamptz not null
) with (autovacuum_vacuum_scale_factor = 0.01);

-- Clicks that no spool could take: the statistics of these days miss something.
create table links.click_losses (
  day date primary key,
  clicks bigint not null check (clicks > 0)
);

create table links.daily_link_stats (
  domain_id uuid not null,
  code text collate "C" not null,
  day date not null,
  clicks bigint not null default 0 check (clicks >= 0),
  bots bigint not null default 0 check (bots >= 0),
  bounded_dimensions jsonb not null default '{}',
  primary key (domain_id, code, day)
) with (fillfactor = 70);

-- Partitions for the days given; what is there already stays.
create function links.prepare_click_days(first_day date, last_day date) returns void
  language plpgsql as $$
declare
  day date;
  name text;
begin
  perform pg_advisory_xact_lock(5330210);
  for day in select generate_series(first_day, last_day, interval '1 day')::date loop
    name := 'click_events_d' || to_char(day, 'YYYYMMDD');
    continue when to_regclass('links.' || name) is not null;
    execute format('create table links.%I (like links.click_events including all)', name);
    execute format('alter table links.click_events attach partition links.%I for values from (%L) to (%L)',
      name, to_char(day, 'YYYY-MM-DD') || ' 00:00:00+00', to_char(day + 1, 'YYYY-MM-DD') || ' 00:00:00+00');
  end loop;
end $$;

-- Drops the days that ended longer ago than `days`; answers how many.
create function links.drop_click_days(days int) returns int
  language plpgsql as $$
declare
  part record;
  dropped int := 0;
begin
  for part in
    select c.relname as name, to_date(right(c.relname, 8), 'YYYYMMDD') as day
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'links.click_events'::regclass and c.relname ~ '^click_events_d\d{8}$'
  loop
    continue when part.day + 1 + days > (kernel.now() at time zone 'UTC')::date;
    execute format('drop table links.%I', part.name);
    dropped := dropped + 1;
  end loop;
  return dropped;
end $$;
select links.prepare_click_days((now() at time zone 'UTC')::date - 2, (now() at time zone 'UTC')::date + 3);
