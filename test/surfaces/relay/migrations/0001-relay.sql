create schema relay;

create table relay.messages (
  tenant_id uuid not null,
  operation_id uuid not null,
  text text not null,
  state text not null check (state in ('pending', 'sent', 'refused')),
  vendor_ref text,
  version bigint not null default 1,
  primary key (tenant_id, operation_id)
);
-- What the vendor reported, once each.
create table relay.reports (
  event_id text primary key,
  received_at timestamptz not null default now()
);

create unique index messages_operation on relay.messages (operation_id);
