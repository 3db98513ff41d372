-- Things of one person.
create table example.things (
  tenant_id uuid not null,
  id uuid not null,
  owner_id uuid not null,
  title text not null,
  version bigint not null default 1,
  created_at timestamptz not null default kernel.now(),
  updated_at timestamptz not null default kernel.now(),
  deleted_at timestamptz,
  primary key (tenant_id, id)
);
create index things_list on example.things (tenant_id, owner_id, id desc)
  where deleted_at is null;
create index things_owner on example.things (owner_id, id);
create index things_deleted on example.things (deleted_at) where deleted_at is not null;
