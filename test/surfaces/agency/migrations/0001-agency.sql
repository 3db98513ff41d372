create schema agency;

create table agency.deals (
  tenant_id uuid not null,
  id uuid not null,
  owner_id uuid not null,
  title text not null,
  amount_minor bigint not null,
  client_id uuid not null,
  state text not null,
  planned boolean not null,
  version bigint not null default 1,
  created_at timestamptz not null default kernel.now(),
  updated_at timestamptz not null default kernel.now(),
  deleted_at timestamptz,
  primary key (tenant_id, id)
);
create index deals_list on agency.deals (tenant_id, owner_id, state, id desc)
  where deleted_at is null;
create index deals_owner on agency.deals (owner_id, id);
create index deals_client on agency.deals (client_id, id);
create index deals_deleted on agency.deals (deleted_at) where deleted_at is not null;
