-- The narrow session that submitted a job or wrote a schedule: its work has no more rights than it,
-- and ends with it. Null: the work belongs to the account.
alter table jobs.jobs add column session_id uuid;
alter table jobs.job_schedules add column session_id uuid;
