create schema agency;

-- What can be booked, of the tenant. A place is taken by each booking that is not cancelled.
create table agency.services (
  tenant_id uuid not null,
  id uuid not null,
  host_id uuid not null,
  title text not null,
  price_minor bigint not null,
  places integer not null,
  version bigint not null default 1,
  created_at timestamptz not null default kernel.now(),
  updated_at timestamptz not null default kernel.now(),
  deleted_at timestamptz,
  primary key (tenant_id, id)
);
create index services_list on agency.services (tenant_id, id desc) where deleted_at is null;
create index services_host on agency.services (host_id, id);
create index services_deleted on agency.services (deleted_at) where deleted_at is not null;

-- A booking belongs to the customer. Its payment, its room and its workflow have the same id.
create table agency.bookings (
  tenant_id uuid not null,
  id uuid not null,
  owner_id uuid not null,
  service_id uuid not null,
  host_id uuid not null,
  title text not null,
  price_minor bigint not null,
  state text not null,
  file_id uuid,
  version bigint not null default 1,
  created_at timestamptz not null default kernel.now(),
  updated_at timestamptz not null default kernel.now(),
  deleted_at timestamptz,
  primary key (tenant_id, id)
);
create index bookings_list on agency.bookings (tenant_id, owner_id, state, id desc)
  where deleted_at is null;
create index bookings_all on agency.bookings (tenant_id, state, id desc) where deleted_at is null;
create index bookings_places on agency.bookings (tenant_id, service_id)
  where deleted_at is null and state <> 'cancelled';
create index bookings_owner on agency.bookings (owner_id, id);
create index bookings_host on agency.bookings (host_id, id);
create index bookings_deleted on agency.bookings (deleted_at) where deleted_at is not null;
