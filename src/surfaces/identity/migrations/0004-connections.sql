-- Identity providers of a tenant, the sessions that began at one of them, and the forms with which
-- providers lead back.

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

alter table identity.sessions add column connection_id uuid;
create index sessions_connection on identity.sessions (connection_id)
  where connection_id is not null and revoked_at is null;

-- A provider may lead back with a form of another site, with which a browser sends no cookie. It is
-- kept, sealed and unread, until the same browser comes with its cookie.
create table identity.sign_in_forms (
  state_hash bytea primary key,
  tenant_id uuid not null references identity.tenants (id),
  form bytea not null,
  created_at timestamptz not null default kernel.now()
);
create index sign_in_forms_created_at on identity.sign_in_forms (created_at);
