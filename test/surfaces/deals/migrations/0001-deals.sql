create schema deals;

create table deals.deals (
  tenant_id uuid not null,
  id uuid not null,
  owner_id uuid not null,
  number bigint not null,
  title text not null,
  state text not null,
  currency text not null,
  amount_minor bigint not null,
  note text,
  tags text[] not null default '{}',
  created_at timestamptz not null default kernel.now(),
  deleted_at timestamptz,
  primary key (tenant_id, id)
);
create index deals_amount on deals.deals (tenant_id, currency, amount_minor, id);
create index deals_title on deals.deals (tenant_id, title, id);
create index deals_words on deals.deals (tenant_id, kernel.plain(title) collate "C");
create index deals_number on deals.deals (tenant_id, number);
