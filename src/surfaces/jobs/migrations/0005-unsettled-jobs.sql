-- Compatible since 0001: older releases settle all dependents in the transaction that ends the job.
-- Jobs that have ended and of whose dependents some are not settled yet: a sweep settles them.
create table jobs.unsettled_jobs (
  tenant_id uuid not null,
  job_id uuid not null,
  primary key (tenant_id, job_id)
);
