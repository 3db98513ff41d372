/**
 * Waiting jobs as rows, as the platform writes them at submission: a given number, with 200 bytes
 * of parameters, spread over tenants.
 */
export const load_jobs = `
with given as materialized (
  select uuidv7() as id,
    ('018f0000-0000-7000-8000-' || lpad((n % $2::int)::text, 12, '0'))::uuid as tenant_id
  from generate_series(1, $1::int) n
),
made as (
  insert into jobs.jobs (id, tenant_id, type, schema_version, principal_id, operation, max_attempts)
  select id, tenant_id, 'bench.nothing', 1, tenant_id, 'bench', 5 from given
),
kept as (
  insert into jobs.job_inputs (job_id, tenant_id, parameters)
  select id, tenant_id, json_build_object('text', repeat('x', 186)) from given
),
queued as (
  insert into jobs.job_queue (tenant_id, job_id, type, schema_version, rank)
  select tenant_id, id, 'bench.nothing', 1, 5 from given
)
insert into jobs.job_events (job_id, sequence, tenant_id, type)
select id, 1, tenant_id, 'submitted' from given`
