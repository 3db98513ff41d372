create schema letters;
create table letters.letters (
  tenant_id uuid not null,
  id uuid not null,
  text text not null,
  color text,
  primary key (tenant_id, id)
);
