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

create index sessions_of_client on identity.sessions (client_id)
  where client_id is not null and revoked_at is null;
create index sessions_of_audience on identity.sessions (audience)
  where audience is not null and revoked_at is null;
