/**
 * Deletes old rows: the progress of ended jobs after a week, and jobs with all their rows a month
 * after their end. A job and its rows are deleted in one transaction. A job stays if other jobs
 * still wait for it, or if its result is still kept.
 */
import { sql, type Retention, type Sql } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'

/** If a run deletes this many rows, the kernel runs the statement again immediately. */
const portion = 1000

export function jobRetention({ settings }: Pick<Kernel, 'settings'>): readonly Retention[] {
  const progress_days = settings['jobs.progress_retention_days']
  return [
    {
      table: 'jobs.job_progress',
      key: ['job_id', 'sequence'],
      where: sql`
        -- any tenant: a sweep
        t.recorded_at < kernel.now() - make_interval(days => ${progress_days})
        and t.job_id < kernel.first_id_of(kernel.now() - make_interval(days => ${progress_days}))
        and not exists (select from jobs.job_attempts a
          where a.job_id = t.job_id and a.state = 'running')`,
      every_seconds: 60,
    },
    {
      table: 'jobs.outages',
      key: ['began_at'],
      where: sql`t.ended_at < now() - interval '30 days'`,
    },
    { statement: deleteJobs(settings['jobs.retention_days']), every_seconds: 60 },
    {
      table: 'jobs.worker_capabilities',
      key: ['worker_id', 'capability', 'version'],
      where: sql`t.last_seen_at < now() - interval '1 day'`,
    },
  ]
}

/** Ids have the order of creation, so the oldest jobs are at the front of the primary key. */
function deleteJobs(days: number): Sql {
  return sql`
    -- any tenant: a sweep
    with old as materialized (
      select j.id from jobs.jobs j
      where j.id < kernel.first_id_of(kernel.now() - make_interval(days => ${days}))
        and j.completed_at < kernel.now() - make_interval(days => ${days})
        and not exists (select from jobs.job_results r where r.job_id = j.id)
        and not exists (select from jobs.unsettled_jobs u
          where u.tenant_id = j.tenant_id and u.job_id = j.id)
      order by j.id
      limit ${portion}
      for update skip locked
    ),
    inputs as (delete from jobs.job_inputs d using old where d.job_id = old.id),
    attempts as (delete from jobs.job_attempts d using old where d.job_id = old.id),
    checkpoints as (delete from jobs.job_checkpoints d using old where d.job_id = old.id),
    progress as (delete from jobs.job_progress d using old where d.job_id = old.id),
    runs as (delete from jobs.runs d using old where d.job_id = old.id),
    steps as (delete from jobs.job_steps d using old where d.job_id = old.id),
    signals as (delete from jobs.job_signals d using old where d.job_id = old.id),
    waits as (delete from jobs.step_waits d using old where d.job_id = old.id),
    events as (delete from jobs.job_events d using old where d.job_id = old.id),
    edges as (
      delete from jobs.job_dependencies d using old
      where d.job_id = old.id or d.depends_on_job_id = old.id
    )
    delete from jobs.jobs j using old where j.id = old.id`
}
