create schema book;

create table book.accounts (
  tenant_id uuid not null,
  id uuid not null,
  name text not null,
  balance_minor bigint not null check (balance_minor >= 0),
  number text,
  version bigint not null default 1,
  primary key (tenant_id, id)
);
create unique index accounts_number on book.accounts (tenant_id, number);

create table book.transfers (
  tenant_id uuid not null,
  id uuid not null,
  from_id uuid not null,
  to_id uuid not null,
  amount_minor bigint not null check (amount_minor > 0),
  created_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, from_id) references book.accounts (tenant_id, id),
  foreign key (tenant_id, to_id) references book.accounts (tenant_id, id)
);

-- What a consumer made of the events: equal to the balances once it has caught up.
create table book.heard (
  tenant_id uuid not null,
  account_id uuid not null,
  last_version bigint not null,
  events bigint not null,
  primary key (tenant_id, account_id)
);
