-- Compatible since 0001: an older release deletes schedules without a row here.
-- Names of schedules that were deleted, so that DELETE answers them as before, and not a name that never was.
create table jobs.deleted_schedules (
  tenant_id uuid not null,
  name text collate "C" not null,
  type text collate "C" not null,
  principal_id uuid not null,
  deleted_at timestamptz not null default kernel.now(),
  primary key (tenant_id, name)
);
create index deleted_schedules_deleted_at on jobs.deleted_schedules (deleted_at);
