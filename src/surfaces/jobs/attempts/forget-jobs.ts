/**
 * What has had its time: the progress of ended jobs after a week, and jobs with all that belongs to them
 * a month after their end. A job goes with its rows in one commit; one that others still wait for, or
 * whose result is still kept, stays.
 */
import { sql } from '../../../kernel/database/sql.ts'
import type { Kernel } from '../settings.ts'

const portion = 500

export async function forgetJobs(
  { db, settings }: Pick<Kernel, 'db' | 'settings'>,
  signal: AbortSignal,
): Promise<void> {
  const progress_days = settings['jobs.progress_retention_days']
  const days = settings['jobs.retention_days']
  const all = async (run: () => Promise<number>) => {
    while (!signal.aborted && (await run()) === portion);
  }
  await all(() =>
    db.run(sql`
      -- any tenant: a sweep
      delete from jobs.job_progress where (job_id, sequence) in (
        select p.job_id, p.sequence from jobs.job_progress p
        where p.recorded_at < kernel.now() - make_interval(days => ${progress_days})
          and p.job_id < kernel.first_id_of(kernel.now() - make_interval(days => ${progress_days}))
          and not exists (select from jobs.job_attempts a
            where a.job_id = p.job_id and a.state = 'running')
        limit ${portion})`),
  )
  await all(() => forgetPortion(db, days))
  await db.run(sql`
    -- any tenant: workers that have not been seen for a day
    delete from jobs.worker_capabilities where last_seen_at < now() - interval '1 day'`)
}

/** Ids are in the order of creation: the oldest jobs are at the front of the primary key. */
async function forgetPortion(db: Kernel['db'], days: number): Promise<number> {
  return await db.run(sql`
    -- any tenant: a sweep
    with old as materialized (
      select j.id from jobs.jobs j
      where j.id < kernel.first_id_of(kernel.now() - make_interval(days => ${days}))
        and j.completed_at < kernel.now() - make_interval(days => ${days})
        and not exists (select from jobs.job_results r where r.job_id = j.id)
      order by j.id
      limit ${portion}
      for update skip locked
    ),
    inputs as (delete from jobs.job_inputs d using old where d.job_id = old.id),
    attempts as (delete from jobs.job_attempts d using old where d.job_id = old.id),
    checkpoints as (delete from jobs.job_checkpoints d using old where d.job_id = old.id),
    progress as (delete from jobs.job_progress d using old where d.job_id = old.id),
    events as (delete from jobs.job_events d using old where d.job_id = old.id),
    edges as (
      delete from jobs.job_dependencies d using old
      where d.job_id = old.id or d.depends_on_job_id = old.id
    )
    delete from jobs.jobs j using old where j.id = old.id`)
}
