/**
 * What the end and the retry of a job mean for its steps. A run that ends waits for nothing. If it
 * was cancelled or expired, so are its children. A retry goes on with the step whose failure ended
 * the run; after all undos it begins again with the first step that was undone.
 */
import { Type } from 'typebox'
import { sql, type EndedJob, type JobIdentity, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { cancelJob } from '../jobs/cancel-job.ts'

const Child = Type.Object({ job_id: Type.String() })
const parent_ended = 'parent_ended'

export async function endRun(
  tx: Tx,
  deps: Pick<Deps, 'listeners'>,
  { tenant_id, id, state }: EndedJob,
): Promise<void> {
  // A row that is locked is answered right now, and deleted by the consumer.
  tx.atCommit(sql`
    with open as materialized (
      select name from jobs.step_waits where tenant_id = ${tenant_id} and job_id = ${id}
      for update skip locked
    )
    delete from jobs.step_waits w using open
    where w.tenant_id = ${tenant_id} and w.job_id = ${id} and w.name = open.name`)
  if (state !== 'cancelled' && state !== 'expired') return
  const children = await tx.many(
    Child,
    sql`
    select r.job_id from jobs.runs r
    join jobs.jobs j on j.tenant_id = r.tenant_id and j.id = r.job_id
    where r.tenant_id = ${tenant_id} and r.parent_job_id = ${id} and j.completed_at is null
    order by r.job_id`,
  )
  for (const { job_id } of children) await cancelJob(tx, deps, { tenant_id, job_id }, parent_ended)
}

export async function reopenRun(tx: Tx, { tenant_id, id }: JobIdentity): Promise<void> {
  await tx.run(sql`
    with run as materialized (
      select failed_step, undoing is not null and not exists (
        select from jobs.job_steps s
        where s.tenant_id = r.tenant_id and s.job_id = r.job_id and s.kind = 'undo'
          and s.state <> 'done') as is_undone
      from jobs.runs r where tenant_id = ${tenant_id} and job_id = ${id}
      for no key update
    ),
    undone as (
      delete from jobs.job_steps s using run
      where s.tenant_id = ${tenant_id} and s.job_id = ${id} and run.is_undone
        and (s.kind = 'undo' or exists (select from jobs.job_steps u
          where u.tenant_id = s.tenant_id and u.job_id = s.job_id
            and u.kind = 'undo' and u.name = 'undo ' || s.name))
    ),
    again as (
      update jobs.job_steps s
      set state = case when s.kind = 'invoke' then 'waiting' else 'retrying' end, attempts = 0,
        result = null, error_code = null, completed_at = null, until = kernel.now()
      from run
      where s.tenant_id = ${tenant_id} and s.job_id = ${id} and s.state = 'failed'
        and (s.name = run.failed_step or s.kind = 'undo')
    )
    update jobs.runs r
    set round = r.round + run.is_undone::int, failed_step = null,
      undoing = case when not run.is_undone then r.undoing end
    from run where r.tenant_id = ${tenant_id} and r.job_id = ${id}`)
}
