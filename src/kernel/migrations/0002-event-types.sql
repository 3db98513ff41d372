-- Publishers choose the ids of aggregates, so a park stops only the aggregate of its own tenant.
alter table kernel.event_parks add column tenant_id uuid not null;
drop index kernel.event_parks_blocking;
create unique index event_parks_blocking on kernel.event_parks (consumer, tenant_id, aggregate_id)
  where blocking;

-- Event types that were declared over HTTP. They belong to the platform, as those of the code do. A row is never
-- deleted and its version only rises, so the sum of all versions tells whether any type has changed.
create table kernel.event_types (
  type text collate "C" primary key,
  description text not null,
  schema jsonb not null,
  schema_version int not null default 1,
  version int not null default 1,
  archived_at timestamptz,
  created_at timestamptz not null default kernel.now(),
  updated_at timestamptz not null default kernel.now()
);

-- The last version of each aggregate whose id a publisher chose. A row goes after the last event of the
-- aggregate; versions that the platform gives go on to rise, because they are not below the time.
create table kernel.published_aggregates (
  tenant_id uuid not null,
  type text collate "C" not null,
  id uuid not null,
  version bigint not null default 0,
  published_at timestamptz not null default kernel.now(),
  primary key (tenant_id, type, id)
);
create index published_aggregates_old on kernel.published_aggregates (published_at);
