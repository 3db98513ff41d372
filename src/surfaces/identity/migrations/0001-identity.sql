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
  -- The member who made it. An operator answers for a trusted one: in others, roles for money and models
  -- cannot be given.
  made_by uuid,
  trusted boolean not null default true,
  -- Null: it declares nothing, and its log-ins cost nothing more.
  profile_schema jsonb,
  claims jsonb,
  login jsonb,
  theme jsonb,
  version bigint not null default 1,
  created_at timestamptz not null default kernel.now()
);
create index tenants_created_at on identity.tenants (created_at);
create index tenants_made_by on identity.tenants (made_by) where made_by is not null;
create index tenants_slug_words on identity.tenants (kernel.plain(slug) collate "C");
create index tenants_name_words on identity.tenants (kernel.plain(name) collate "C");
insert into identity.tenants (id, slug, name, signup)
values ('01900000-0000-7000-8000-000000000001', 'default', 'Default', 'open');

-- email_scope is the tenant, or the nil id where addresses are unique over all tenants. An anonymous
-- account belongs to a visitor who has not said who they are, such as the guest of a shop. Its address
-- is `anonymous:<id>` until the visitor proves one and becomes a person.
create table identity.accounts (
  tenant_id uuid not null references identity.tenants (id),
  id uuid primary key,
  kind text not null default 'person' check (kind in ('person', 'anonymous')),
  email text,
  email_normalized text collate "C" not null,
  email_scope uuid not null,
  status text not null check (status in ('invited', 'active', 'disabled', 'deleted')),
  verified_at timestamptz,
  display_name text,
  locale text,
  profile jsonb not null default '{}',
  metadata jsonb not null default '{}',
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
create index accounts_last_word
  on identity.accounts (tenant_id, kernel.last_word(display_name) collate "C");

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
  profile jsonb,
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
  kind text not null
    check (kind in ('password_reset', 'email_verification', 'login_code')),
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

-- Domains, because PostgreSQL checks one only when its column is written. A check of the table is
-- prepared at each update of a row: 5 us each, and a refresh updates the row of its session.
create domain identity.scope as text[]
  check (cardinality(value) <= 20 and octet_length(array_to_string(value, ' ')) <= 1000);
create domain identity.client_name as text check (octet_length(value) between 1 and 300);
create domain identity.aal as text check (value in ('aal1', 'aal2'));
create domain identity.revoked_reason as text check (value in ('logout', 'admin', 'password_reset',
  'password_change', 'refresh_reuse', 'account_disabled', 'account_deleted', 'address_proven',
  'too_many', 'membership_ended', 'code_reuse', 'client'));

-- version counts what is announced about the session; a refresh announces nothing. A session can be
-- narrower than its account: scope, client_id, audience and bound_tenant_id; all null: as wide as the
-- account. Nothing of this changes while the session lives, so a row that only names the session keeps
-- its scope. A grant is a session that was given to an application.
create table identity.sessions (
  tenant_id uuid not null,
  id uuid primary key,
  account_id uuid not null,
  token_family_id uuid not null,
  active_tenant_id uuid not null references identity.tenants (id),
  scope identity.scope,
  client_id identity.client_name,
  -- The API for which its access tokens are; null for this one.
  audience identity.client_name,
  -- The only tenant in which it works.
  bound_tenant_id uuid references identity.tenants (id),
  -- Where it began.
  connection_id uuid,
  -- A grant without `offline_access` ends with the session of the browser in which it was given.
  parent_id uuid,
  aal identity.aal not null,
  amr text[] not null,
  auth_time timestamptz not null,
  client_metadata jsonb not null,
  version bigint not null default 1,
  created_at timestamptz not null default kernel.now(),
  last_seen_at timestamptz not null default kernel.now(),
  -- The one token that refreshes it, and the one before, which gives it again for a short time. No index
  -- has these columns: a refresh changes this row alone, and no index.
  refresh_hash bytea not null,
  refresh_parent_hash bytea,
  refresh_used_at timestamptz,
  refresh_replays int not null default 0,
  refresh_expires_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  revoked_reason identity.revoked_reason,
  -- Tenants in which the account only holds roles and to which the session was turned. Access tokens
  -- for all of them may be in use when the last role in one is taken away.
  guest_of uuid[] not null default '{}',
  unique (tenant_id, id),
  foreign key (tenant_id, account_id) references identity.accounts (tenant_id, id),
  check ((revoked_at is null) = (revoked_reason is null)),
  constraint sessions_narrow check (
    scope is not null or (client_id is null and audience is null))
) with (fillfactor = 80);
create index sessions_revoked_at on identity.sessions (revoked_at) where revoked_at is not null;
create index sessions_alive on identity.sessions (account_id, id) where revoked_at is null;
create index sessions_account on identity.sessions (tenant_id, account_id, id);
create index sessions_expires_at on identity.sessions (expires_at);
create index sessions_connection on identity.sessions (connection_id)
  where connection_id is not null and revoked_at is null;
create index sessions_parent on identity.sessions (parent_id)
  where parent_id is not null and revoked_at is null;
create index sessions_of_client on identity.sessions (client_id)
  where client_id is not null and revoked_at is null;
create index sessions_of_audience on identity.sessions (audience)
  where audience is not null and revoked_at is null;

-- Sessions that were deleted with a tenant, while their access tokens for another tenant may be in use.
create table identity.gone_sessions (
  id uuid primary key,
  gone_at timestamptz not null default kernel.now(),
  -- The tenant with which it moved to another cell. If it comes back, the session is valid in it.
  moved_tenant_id uuid
);
create index gone_sessions_gone_at on identity.gone_sessions (gone_at);

-- Each session has one unused token, and the one before it.
create view identity.refresh_tokens as
  select refresh_hash as id_hash, id as session_id, refresh_parent_hash as parent_id_hash,
    null::timestamptz as used_at, refresh_expires_at as expires_at
  from identity.sessions
  union all
  select refresh_parent_hash, id, null, refresh_used_at, refresh_expires_at
  from identity.sessions where refresh_parent_hash is not null;

-- A realtime token opens one socket. Kept until the token has expired.
create table identity.used_realtime_tokens (
  tenant_id uuid not null,
  id uuid not null,
  used_at timestamptz not null default kernel.now(),
  constraint used_realtime_tokens_pkey primary key (tenant_id, id)
);
create index used_realtime_tokens_used_at on identity.used_realtime_tokens (used_at);

-- A passkey logs in alone and counts as a second factor too. A key of type `webauthn` is only a factor.
create table identity.mfa_methods (
  tenant_id uuid not null,
  id uuid primary key,
  account_id uuid not null,
  type text not null check (type in ('totp', 'webauthn', 'passkey')),
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

-- id_hash is SHA-256 of the bearer value; ref is what it is about (a registration, a request, ...); that
-- of an `oauth_code` is the id of the session that it begins. `login_code` is a code that was mailed.
-- `passkey_login` is the challenge of a log-in with a passkey, stored once it was used.
create table identity.one_time_challenges (
  id_hash bytea primary key,
  tenant_id uuid not null references identity.tenants (id),
  account_id uuid,
  purpose text not null check (purpose in ('email_verification', 'password_reset', 'mfa_login',
    'mfa_step_up', 'oidc_state', 'oidc_ticket', 'invite', 'email_change', 'login_code',
    'passkey_login', 'factor_reset_stop', 'oauth_code')),
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
-- A password reset ends the login codes of its address.
create index one_time_challenges_address
  on identity.one_time_challenges ((details ->> 'email_normalized'))
  where purpose in ('login_code', 'oidc_ticket');

-- A mail to be rendered: where it goes and which challenge its token is derived from, never the token.
-- That of an invitation is sent only while it is pending, and goes with its address.
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
  invitation_id uuid,
  created_at timestamptz not null default kernel.now(),
  check ((purpose is null) = (ref is null))
);
create index mails_account on identity.mails (account_id);
create index mails_created_at on identity.mails (created_at);
create index mails_invitation on identity.mails (invitation_id) where invitation_id is not null;

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
  tenant_id uuid not null references identity.tenants (id),
  id uuid primary key,
  -- Null: it belongs to the tenant. The id of its maker is kept, also after the account was erased.
  account_id uuid references identity.accounts (id),
  made_by uuid not null,
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
  unique (tenant_id, id)
);
create index api_keys_account on identity.api_keys (tenant_id, account_id, id);
create index api_keys_owner on identity.api_keys (account_id, id);
create index api_keys_organization on identity.api_keys (tenant_id, id) where account_id is null;
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

-- Identity providers of a tenant.
-- secret is the client secret, or the private key with which Apple's is made. editor_id is who changed
-- the row last: its role_map gives what this account may still give.
create table identity.connections (
  tenant_id uuid not null references identity.tenants (id),
  id uuid primary key,
  name text not null,
  kind text not null check (kind in ('oidc', 'oauth2')),
  preset text,
  issuer text,
  client_id text not null,
  secret bytea,
  apple jsonb,
  endpoints jsonb,
  fields jsonb,
  scopes text[],
  trust_email boolean not null,
  jit boolean not null,
  mfa_values text[] not null,
  role_map jsonb not null,
  state text not null default 'active' check (state in ('active', 'disabled')),
  editor_id uuid not null,
  version bigint not null default 1,
  created_at timestamptz not null default kernel.now(),
  updated_at timestamptz not null default kernel.now(),
  deleted_at timestamptz,
  unique (tenant_id, id)
);
create index connections_list on identity.connections (tenant_id, id desc)
  where deleted_at is null;
create index connections_deleted_at on identity.connections (deleted_at)
  where deleted_at is not null;

-- A provider may lead back with a form of another site, with which a browser sends no cookie. It is
-- kept, sealed and unread, until the same browser comes with its cookie.
create table identity.sign_in_forms (
  state_hash bytea primary key,
  tenant_id uuid not null references identity.tenants (id),
  form bytea not null,
  created_at timestamptz not null default kernel.now()
);
create index sign_in_forms_created_at on identity.sign_in_forms (created_at);

-- A domain that is proven by a TXT record. While one is verified, no other tenant can have it.
create table identity.organization_domains (
  tenant_id uuid not null references identity.tenants (id),
  id uuid not null,
  domain text collate "C" not null,
  state text not null default 'pending'
    check (state in ('pending', 'verified', 'lost', 'removed')),
  record_value text not null,
  missed_checks int not null default 0,
  checked_at timestamptz,
  version bigint not null default 1,
  created_at timestamptz not null default kernel.now(),
  removed_at timestamptz,
  due_at timestamptz,
  attempts int not null default 0,
  lease_token uuid,
  leased_until timestamptz,
  last_error_code text,
  primary key (tenant_id, id)
);
create unique index organization_domains_claimed
  on identity.organization_domains (tenant_id, domain) where state <> 'removed';
create unique index organization_domains_verified
  on identity.organization_domains (domain) where state = 'verified';
create index organization_domains_due on identity.organization_domains (due_at)
  where due_at is not null;
create index organization_domains_removed on identity.organization_domains (removed_at)
  where removed_at is not null;

-- Only an account that has proven the address sees it. It names no account, so it tells nothing.
create table identity.invitations (
  tenant_id uuid not null references identity.tenants (id),
  id uuid not null,
  email text not null,
  email_normalized text collate "C" not null,
  role_ids text[] not null,
  state text not null default 'pending'
    check (state in ('pending', 'accepted', 'declined', 'withdrawn')),
  invited_by uuid not null,
  expires_at timestamptz not null,
  version bigint not null default 1,
  created_at timestamptz not null default kernel.now(),
  primary key (tenant_id, id)
);
create unique index invitations_pending on identity.invitations (tenant_id, email_normalized)
  where state = 'pending';
create index invitations_address on identity.invitations (email_normalized, id);
create index invitations_expires_at on identity.invitations (expires_at);

-- An administrator resets the second factors of a person who lost them, after a delay in which the
-- person can stop it. The row is its own queue.
create table identity.factor_resets (
  tenant_id uuid not null,
  id uuid primary key,
  account_id uuid not null,
  requested_by uuid not null,
  reason text not null,
  state text not null default 'waiting'
    check (state in ('waiting', 'done', 'stopped', 'withdrawn', 'lapsed')),
  effective_at timestamptz not null,
  created_at timestamptz not null default kernel.now(),
  ended_at timestamptz,
  due_at timestamptz,
  attempts int not null default 0,
  lease_token uuid,
  leased_until timestamptz,
  last_error_code text,
  check ((state = 'waiting') = (ended_at is null)),
  unique (tenant_id, id),
  foreign key (tenant_id, account_id) references identity.accounts (tenant_id, id)
);
create unique index factor_resets_waiting on identity.factor_resets (account_id)
  where state = 'waiting';
create index factor_resets_account on identity.factor_resets (tenant_id, account_id, id);
create index factor_resets_due on identity.factor_resets (due_at) where due_at is not null;

-- The applications that log people in here, and the APIs for which they get tokens.

-- scopes: for an application the words that it may ask for, for an API its own, as {name, says}.
-- uri: the page of an application, the audience of an API.
create table identity.clients (
  tenant_id uuid not null references identity.tenants (id),
  id uuid primary key,
  name text not null,
  type text not null check (type in ('web', 'spa', 'native', 'api')),
  redirect_uris text[] not null,
  scopes jsonb not null,
  uri text collate "C",
  first_party boolean not null,
  -- Of the redirect URIs of a `spa`: its pages call our API.
  origins text[] not null default '{}',
  version bigint not null default 1,
  created_at timestamptz not null default kernel.now(),
  updated_at timestamptz not null default kernel.now(),
  deleted_at timestamptz,
  unique (tenant_id, id),
  check (type <> 'api' or (uri is not null and redirect_uris = '{}' and not first_party))
);
create index clients_list on identity.clients (tenant_id, id desc) where deleted_at is null;
create unique index clients_audience on identity.clients (uri)
  where type = 'api' and deleted_at is null;
create index clients_origins on identity.clients using gin (origins)
  where deleted_at is null and origins <> '{}';
create index clients_deleted_at on identity.clients (deleted_at) where deleted_at is not null;

-- The newest has no end. A new one gives the one before it an end.
create table identity.client_secrets (
  tenant_id uuid not null,
  client_id uuid not null,
  id uuid not null,
  secret_hash bytea not null,
  created_at timestamptz not null default kernel.now(),
  expires_at timestamptz,
  primary key (tenant_id, client_id, id),
  foreign key (tenant_id, client_id) references identity.clients (tenant_id, id)
    on delete cascade
);
create index client_secrets_expires_at on identity.client_secrets (expires_at)
  where expires_at is not null;

-- The queue that looks whether an anonymous account is idle. The row goes when it becomes a person.
create table identity.anonymous_accounts (
  tenant_id uuid not null,
  account_id uuid not null,
  due_at timestamptz,
  attempts int not null default 0,
  lease_token uuid,
  leased_until timestamptz,
  last_error_code text,
  constraint anonymous_accounts_pkey primary key (tenant_id, account_id),
  foreign key (tenant_id, account_id) references identity.accounts (tenant_id, id)
);
create index anonymous_accounts_due on identity.anonymous_accounts (due_at)
  where due_at is not null;

-- An answer to a captcha is used once. Kept until it has expired.
create table identity.used_captchas (
  hash bytea constraint used_captchas_pkey primary key,
  expires_at timestamptz not null
);
create index used_captchas_expires_at on identity.used_captchas (expires_at);

-- The claims of an account, in the order in which they are declared, up to the first that is too much.
-- A session with a scope says of the profile only what `profile` allows.
create function identity.claims_of(declared jsonb, of_profile jsonb, of_metadata jsonb,
  in_scope text[], place text, bytes_most int) returns jsonb
  language sql immutable parallel safe return (
  select jsonb_object_agg(c.name, c.value)
  from (
    select f.name, f.value,
      sum(octet_length(f.name) + octet_length(f.value::text) + 4) over (order by f.at) as bytes
    from (
      select e.one ->> 'name' as name, e.at,
        jsonb_build_object('metadata', of_metadata,
          'profile', case when in_scope is null or 'profile' = any(in_scope) then of_profile end)
          #> string_to_array(e.one ->> 'from', '.') as value
      from jsonb_array_elements(declared) with ordinality e(one, at)
      where e.one -> 'in' ? place
    ) f
    where f.value <> 'null'::jsonb
  ) c
  where c.bytes <= bytes_most);

-- Of an access token: at most 1 KiB, and with scope, client and audience no more than a cookie holds.
-- In PL/pgSQL, as login_refusal below: PostgreSQL copies the body of an SQL function into each
-- statement that calls it, and then prepares all of it for each refresh, also where no claim is declared.
create function identity.access_claims(declared jsonb, of_profile jsonb, of_metadata jsonb,
  in_scope text[], for_client text, for_audience text) returns jsonb
  language plpgsql stable parallel safe as $$
begin
  return identity.claims_of(declared, of_profile, of_metadata, in_scope, 'access_token', least(1024,
    1600 - octet_length(concat(array_to_string(in_scope, ' '), for_client, for_audience))));
end $$;

-- Whether a session must first add a second factor. The provider of an organization answers for its
-- own people.
create function identity.needs_enrolment(policy jsonb, for_tenant uuid, at_level text,
  by_connection uuid) returns boolean
  language sql stable parallel safe return
  coalesce((policy -> 'require_mfa')::boolean, false) and at_level = 'aal1'
  and not exists (select from identity.connections c
    where c.id = by_connection and c.tenant_id = for_tenant
      and c.tenant_id <> '01900000-0000-7000-8000-000000000001');

-- Why the policy of a tenant refuses a session: the code of the error, or null. An administrator with a
-- second factor may log in in any way, so that a policy never locks everybody out.
create function identity.login_refusal(policy jsonb, for_tenant uuid, of_account uuid, at_level text,
  by_methods text[], in_scope text[], by_connection uuid, began_at timestamptz) returns text
  language plpgsql stable parallel safe as $$
begin
  return case
    when policy is null then null
    when began_at + make_interval(secs => (policy -> 'session_max_seconds')::int)
      <= kernel.now() then 'session_too_old'
    when in_scope is distinct from array['enrolment']
      and identity.needs_enrolment(policy, for_tenant, at_level, by_connection)
      then 'second_factor_required'
    when at_level = 'aal2' and exists (select from identity.role_assignments r
      where r.tenant_id = for_tenant and r.account_id = of_account
        and r.role_id in ('tenant_admin', 'platform_operator')) then null
    when (policy -> 'require_sso')::boolean and not exists (select from identity.connections c
      where c.id = by_connection and c.tenant_id = for_tenant) then 'sso_required'
    when not (policy -> case
        when 'pwd' = any(by_methods) then 'password'
        when 'mail' = any(by_methods) then 'code'
        when 'oidc' = any(by_methods) then 'providers'
        when 'hwk' = any(by_methods) then 'passkey'
      end)::boolean then 'login_method_not_allowed'
  end;
end $$;

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
