create schema people;

create table people.grants (
  tenant_id uuid not null,
  account_id uuid not null,
  permission text not null,
  primary key (tenant_id, account_id, permission)
);
