-- A schedule whose owner may no longer schedule its type is paused and says why.
alter table jobs.job_schedules
  add column paused_at timestamptz,
  add column paused_reason text check (paused_reason in ('owner_revoked')),
  add check ((paused_at is null) = (paused_reason is null)),
  add check (paused_at is null or not enabled);
