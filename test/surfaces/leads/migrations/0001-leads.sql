create schema leads;

create table leads.leads (
  tenant_id uuid not null,
  id uuid not null,
  owner_id uuid not null,
  title text not null,
  amount_minor bigint not null,
  note text not null,
  state text not null,
  version bigint not null default 1,
  created_at timestamptz not null default kernel.now(),
  updated_at timestamptz not null default kernel.now(),
  deleted_at timestamptz,
  primary key (tenant_id, id)
);
create index leads_list on leads.leads (tenant_id, owner_id, state, id desc)
  where deleted_at is null;
create unique index leads_title on leads.leads (tenant_id, owner_id, title)
  where deleted_at is null;
create index leads_amount on leads.leads (tenant_id, amount_minor, id);
create index leads_find on leads.leads (tenant_id, title);
create index leads_owner on leads.leads (owner_id, id);
create index leads_deleted on leads.leads (deleted_at) where deleted_at is not null;
