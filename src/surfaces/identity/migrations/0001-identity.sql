-- Accounts and how they prove who they are. A row belongs to the tenant of its account; what is found
-- by an unguessable hash (tokens, challenges) or a random id (sessions) is found by that alone.

create schema if not exists identity;
create extension if not exists btree_gist;

create table identity.tenants (
  id uuid primary key,
  slug text collate "C" not null unique check (slug ~ '^[a-z0-9-]{3,40}$'),
  name text not null,
  signup text not null default 'invite' check (signup in ('open', 'invite')),
  state text not null default 'active' check (state in ('active', 'disabled')),
  version bigint not null default 1,
  created_at timestamptz not null default kernel.now()
);
create index tenants_created_at on identity.tenants (created_at);
create index tenants_slug_words on identity.tenants (kernel.plain(slug) collate "C");
create index tenants_name_words on identity.tenants (kernel.plain(name) collate "C");
insert into identity.tenants (id, slug, name, signup)
values ('01900000-0000-7000-8000-000000000001', 'default', 'Default', 'open');

-- email_scope is the tenant, or the nil id where addresses are unique over all tenants.
create table identity.accounts (
  tenant_id uuid not null references identity.tenants (id),
  id uuid primary key,
  email text,
  email_normalized text collate "C" not null,
  email_scope uuid not null,
  status text not null check (status in ('invited', 'active', 'disabled', 'deleted')),
  verified_at timestamptz,
  display_name text,
  locale text,
  version bigint not null default 1,
  created_at timestamptz not null default kernel.now(),
  unique (tenant_id, id)
);
create unique index accounts_email on identity.accounts (email_scope, email_normalized)
  where status <> 'deleted';
create index accounts_tenant_email on identity.accounts (tenant_id, email_normalized, id);
create index accounts_email_words
  on identity.accounts (tenant_id, kernel.plain(email_normalized) collate "C");
create index accounts_name_words
  on identity.accounts (tenant_id, kernel.plain(display_name) collate "C");

-- A hash is sealed under the keyring: a stolen table cannot be cracked.
create table identity.credentials (
  tenant_id uuid not null,
  account_id uuid primary key,
  password_hash bytea not null,
  password_changed_at timestamptz not null default kernel.now(),
  foreign key (tenant_id, account_id) references identity.accounts (tenant_id, id)
);

create table identity.registrations (
  tenant_id uuid not null references identity.tenants (id),
  id uuid primary key,
  email text not null,
  email_normalized text collate "C" not null,
  email_scope uuid not null,
  password_hash bytea not null,
  display_name text,
  locale text,
  state text not null default 'pending'
    check (state in ('pending', 'completed', 'superseded', 'expired')),
  expires_at timestamptz not null,
  created_at timestamptz not null default kernel.now(),
  unique (tenant_id, id)
);
create index registrations_pending on identity.registrations (email_scope, email_normalized, id)
  where state = 'pending';
create index registrations_expires_at on identity.registrations (expires_at);

-- Asked for, whether or not anybody has the address: so its status tells nothing.
create table identity.requests (
  tenant_id uuid not null references identity.tenants (id),
  id uuid primary key,
  kind text not null check (kind in ('password_reset', 'email_verification')),
  status text not null default 'accepted' check (status in ('accepted', 'completed', 'expired')),
  expires_at timestamptz not null,
  created_at timestamptz not null default kernel.now(),
  unique (tenant_id, id)
);
create index requests_expires_at on identity.requests (expires_at);

-- The person who reads the new mailbox can refuse the change.
create table identity.email_changes (
  tenant_id uuid not null,
  id uuid primary key,
  account_id uuid not null,
  email text not null,
  email_normalized text collate "C" not null,
  status text not null default 'pending'
    check (status in ('pending', 'completed', 'superseded', 'expired', 'refused')),
  expires_at timestamptz not null,
  created_at timestamptz not null default kernel.now(),
  unique (tenant_id, id),
  foreign key (tenant_id, account_id) references identity.accounts (tenant_id, id)
);
create index email_changes_account on identity.email_changes (account_id);
create index email_changes_expires_at on identity.email_changes (expires_at);

-- version counts what is announced about the session; a refresh announces nothing.
create table identity.sessions (
  tenant_id uuid not null,
  id uuid primary key,
  account_id uuid not null,
  token_family_id uuid not null,
  active_tenant_id uuid not null references identity.tenants (id),
  aal text not null check (aal in ('aal1', 'aal2')),
  amr text[] not null,
  auth_time timestamptz not null,
  client_metadata jsonb not null,
  version bigint not null default 1,
  created_at timestamptz not null default kernel.now(),
  last_seen_at timestamptz not null default kernel.now(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  revoked_reason text check (revoked_reason in ('logout', 'admin', 'password_reset',
    'password_change', 'refresh_reuse', 'account_disabled', 'account_deleted', 'address_proven',
    'too_many', 'membership_ended')),
  -- Tenants in which the account only holds roles and to which the session was turned. Access tokens
  -- for all of them may be in use when the last role in one is taken away.
  guest_of uuid[] not null default '{}',
  unique (tenant_id, id),
  foreign key (tenant_id, account_id) references identity.accounts (tenant_id, id),
  check ((revoked_at is null) = (revoked_reason is null))
) with (fillfactor = 80);
create index sessions_revoked_at on identity.sessions (revoked_at) where revoked_at is not null;
create index sessions_alive on identity.sessions (account_id, id) where revoked_at is null;
create index sessions_account on identity.sessions (tenant_id, account_id, id);
create index sessions_expires_at on identity.sessions (expires_at);

-- Sessions that were deleted with a tenant, while their access tokens for another tenant may be in use.
create table identity.gone_sessions (
  id uuid primary key,
  gone_at timestamptz not null default kernel.now(),
  -- The tenant with which it moved to another cell. If it comes back, the session is valid in it.
  moved_tenant_id uuid
);
create index gone_sessions_gone_at on identity.gone_sessions (gone_at);

-- At most one unused token a session: a family can never fork.
create table identity.refresh_tokens (
  id_hash bytea primary key,
  session_id uuid not null references identity.sessions (id) on delete cascade,
  parent_id_hash bytea,
  used_at timestamptz,
  expires_at timestamptz not null,
  replays int not null default 0,
  created_at timestamptz not null default kernel.now()
) with (fillfactor = 80);
create unique index refresh_tokens_leaf on identity.refresh_tokens (session_id)
  where used_at is null;
create index refresh_tokens_session on identity.refresh_tokens (session_id);
create index refresh_tokens_used on identity.refresh_tokens (used_at) where used_at is not null;

-- A realtime token opens one socket. Kept until the token has expired.
create table identity.used_realtime_tokens (
  tenant_id uuid not null,
  id uuid not null,
  used_at timestamptz not null default kernel.now(),
  constraint used_realtime_tokens_pkey primary key (tenant_id, id)
);
create index used_realtime_tokens_used_at on identity.used_realtime_tokens (used_at);

create table identity.mfa_methods (
  tenant_id uuid not null,
  id uuid primary key,
  account_id uuid not null,
  type text not null check (type in ('totp', 'webauthn')),
  encrypted_secret_or_public_key bytea,
  status text not null check (status in ('pending', 'active', 'removed')),
  label text not null,
  credential_id text collate "C",
  transports text[],
  registration_challenge text,
  last_used_step bigint,
  sign_count bigint,
  last_used_at timestamptz,
  version bigint not null default 1,
  created_at timestamptz not null default kernel.now(),
  unique (tenant_id, id),
  foreign key (tenant_id, account_id) references identity.accounts (tenant_id, id)
);
create index mfa_methods_account on identity.mfa_methods (account_id, status);
create unique index mfa_methods_credential on identity.mfa_methods (credential_id)
  where credential_id is not null and status <> 'removed';

create table identity.recovery_codes (
  tenant_id uuid not null,
  account_id uuid not null,
  code_hash bytea not null,
  used_at timestamptz,
  created_at timestamptz not null default kernel.now(),
  primary key (account_id, code_hash),
  foreign key (tenant_id, account_id) references identity.accounts (tenant_id, id)
);

-- id_hash is SHA-256 of the bearer value; ref is what it is about (a registration, a request, ...).
create table identity.one_time_challenges (
  id_hash bytea primary key,
  tenant_id uuid not null references identity.tenants (id),
  account_id uuid,
  purpose text not null check (purpose in ('email_verification', 'password_reset', 'mfa_login',
    'mfa_step_up', 'oidc_state', 'oidc_ticket', 'invite', 'email_change')),
  ref uuid not null,
  key_id text,
  method_id uuid,
  parent_hash bytea,
  details jsonb not null default '{}',
  attempts int not null default 0,
  expires_at timestamptz not null,
  consumed_at timestamptz,
  created_at timestamptz not null default kernel.now(),
  foreign key (tenant_id, account_id) references identity.accounts (tenant_id, id)
);
create unique index one_time_challenges_ref on identity.one_time_challenges (purpose, ref);
create index one_time_challenges_account on identity.one_time_challenges (account_id, purpose)
  where consumed_at is null;
create index one_time_challenges_expires_at on identity.one_time_challenges (expires_at);

-- A mail to be rendered: where it goes and which challenge its token is derived from, never the token.
create table identity.mails (
  tenant_id uuid not null references identity.tenants (id),
  id uuid primary key,
  account_id uuid,
  template text not null,
  address text not null,
  locale text,
  purpose text,
  ref uuid,
  key_id text,
  created_at timestamptz not null default kernel.now(),
  check ((purpose is null) = (ref is null))
);
create index mails_account on identity.mails (account_id);
create index mails_created_at on identity.mails (created_at);

-- Roles of a tenant's own; the built-in ones are declared with the permissions.
create table identity.roles (
  tenant_id uuid not null references identity.tenants (id),
  role_id text collate "C" not null check (role_id ~ '^[a-z][a-z0-9_]{2,39}$'),
  name text not null,
  created_at timestamptz not null default kernel.now(),
  primary key (tenant_id, role_id)
);

-- The database knows which duty a permission carries, so no statement can leave it out. A test compares
-- it with the permissions that surfaces declare with a duty.
create function identity.duty_of(permission text) returns text
  language sql immutable parallel safe return
  case split_part(permission, ':', 1)
    when 'identity.support.view' then 'support'
    when 'payments.refunds.create' then 'refunds'
    when 'commerce.orders.cancel_any' then 'refunds'
    when 'commerce.returns.decide' then 'refunds'
    when 'commerce.returns.receive' then 'refunds'
    when 'identity.signing_keys.rotate' then 'keys'
  end;
create function identity.duties_of(permissions text[]) returns bigint
  language sql immutable parallel safe return
  (select count(distinct identity.duty_of(permission)) from unnest(permissions) permission);

-- Two duties in one role cannot be stored.
create table identity.role_permissions (
  tenant_id uuid not null,
  role_id text collate "C" not null,
  permission text collate "C" not null,
  duty text generated always as (identity.duty_of(permission)) stored,
  primary key (tenant_id, role_id, permission),
  foreign key (tenant_id, role_id) references identity.roles (tenant_id, role_id) on delete cascade,
  constraint role_permissions_one_duty exclude using gist
    (tenant_id with =, role_id with =, duty with <>) where (duty is not null)
);

create table identity.role_assignments (
  account_id uuid not null references identity.accounts (id),
  tenant_id uuid not null references identity.tenants (id),
  role_id text collate "C" not null,
  assigned_by text not null,
  created_at timestamptz not null default kernel.now(),
  primary key (tenant_id, account_id, role_id)
);
create index role_assignments_account on identity.role_assignments (account_id);

-- id is also the service account that a request with this key acts for. A key is one program: like a
-- role it holds permissions of one duty at most.
create table identity.api_keys (
  tenant_id uuid not null,
  id uuid primary key,
  account_id uuid not null,
  name text not null,
  prefix text not null,
  secret_hash bytea not null,
  permissions text[] not null,
  state text not null default 'active' check (state in ('active', 'revoked', 'expired')),
  version bigint not null default 1,
  created_at timestamptz not null default kernel.now(),
  last_used_at timestamptz,
  expires_at timestamptz,
  revoked_at timestamptz,
  constraint api_keys_one_duty check (identity.duties_of(permissions) <= 1),
  unique (tenant_id, id),
  foreign key (tenant_id, account_id) references identity.accounts (tenant_id, id)
);
create index api_keys_account on identity.api_keys (tenant_id, account_id, id);
create index api_keys_prefix on identity.api_keys (tenant_id, prefix);
create index api_keys_revoked_at on identity.api_keys (revoked_at) where revoked_at is not null;

-- An identity that was unlinked is kept without its subject, so that unlinking it again gets the same
-- reply, and the same subject may be linked again.
create table identity.external_identities (
  tenant_id uuid not null,
  id uuid primary key,
  account_id uuid not null,
  provider text not null,
  issuer text not null,
  subject text,
  created_at timestamptz not null default kernel.now(),
  unlinked_at timestamptz,
  constraint external_identities_identity unique (issuer, subject),
  constraint external_identities_unlinked check ((subject is null) = (unlinked_at is not null)),
  foreign key (tenant_id, account_id) references identity.accounts (tenant_id, id)
);
create index external_identities_account on identity.external_identities (account_id);

create table identity.signing_keys (
  kid text collate "C" primary key,
  state text not null check (state in ('next', 'active', 'retired', 'removed', 'revoked')),
  public_jwk jsonb not null,
  private_key bytea not null,
  created_at timestamptz not null default kernel.now(),
  activates_at timestamptz not null,
  retired_at timestamptz,
  removes_at timestamptz
);
create unique index signing_keys_active on identity.signing_keys (state) where state = 'active';

-- What the platform has found out once and keeps: cost of hashing, ...
create table identity.settings (
  name text collate "C" primary key,
  value jsonb not null
);

create table identity.security_events (
  id uuid not null,
  tenant_id uuid not null,
  account_id uuid,
  action text not null,
  actor text not null,
  safe_context jsonb not null,
  occurred_at timestamptz not null default kernel.now(),
  primary key (id, occurred_at)
) partition by range (occurred_at);
create index security_events_account on identity.security_events (tenant_id, account_id, id desc);
create index security_events_tenant on identity.security_events (tenant_id, id desc);
-- Rows of a month without a partition (a moved clock) still have a place.
create table identity.security_events_other partition of identity.security_events default;
select kernel.make_append_only('identity.security_events');

-- Makes this month's and the next two months' partitions and drops those past the retention.
create function identity.keep_security_event_months(retention_days int) returns void
  language plpgsql as $$
declare
  first date;
  child text;
begin
  for first in
    select date_trunc('month', now() at time zone 'UTC')::date + make_interval(months => n)
    from generate_series(0, 2) n
  loop
    child := 'security_events_' || to_char(first, 'YYYY_MM');
    if to_regclass('identity.' || child) is null and not exists (
      select from identity.security_events_other
      where occurred_at >= first and occurred_at < first + interval '1 month')
    then
      execute format('create table if not exists identity.%I partition of identity.security_events
        for values from (%L) to (%L)', child, first, first + interval '1 month');
    end if;
  end loop;
  for child in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'identity.security_events'::regclass
      and c.relname ~ '^security_events_\d{4}_\d\d$'
      and to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month'
        < now() - make_interval(days => retention_days)
  loop
    execute format('drop table identity.%I', child);
  end loop;
end $$;
select identity.keep_security_event_months(400);
