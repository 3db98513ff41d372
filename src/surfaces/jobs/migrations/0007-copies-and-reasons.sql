-- Compatible since 0001: older releases write no author of a reason.

-- The jobs that a retry made, so that an erasure finds the inputs that they copied.
create index jobs_retries on jobs.jobs (retry_of_job_id) where retry_of_job_id is not null;

-- Who gave the reason of a cancellation, so that it is erased with the account.
alter table jobs.job_events add column principal_id uuid;
create index job_events_principal on jobs.job_events (principal_id)
  where principal_id is not null;
