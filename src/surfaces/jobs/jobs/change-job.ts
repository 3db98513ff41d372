/**
 * Changes the priority or time of a waiting job. Its queue row is locked first, so that it is
 * either changed before it is claimed, or was claimed already and is not changed.
 */
import { Type } from 'typebox'
import { nullable, parseTime, preconditionFailed, sql, Time, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { runner_topic } from '../topics.ts'
import { problem } from '../errors.ts'
import type { FoundJob } from './find-job.ts'
import type { ChangeJob } from './schemas.ts'

const Waiting = Type.Object({ version: Type.Integer(), deadline_at: nullable(Time) })

export async function changeJob(
  tx: Tx,
  { kernel }: Pick<Deps, 'kernel'>,
  job: FoundJob,
  { priority, scheduled_at }: ChangeJob,
  versions: readonly number[] | null,
): Promise<void> {
  const held = await tx.maybe(
    Waiting,
    sql`
    select j.version, j.deadline_at from jobs.job_queue q
    join jobs.jobs j on j.tenant_id = q.tenant_id and j.id = q.job_id
    where q.tenant_id = ${job.tenant_id} and q.job_id = ${job.id}
    for update of q, j`,
  )
  if (versions && !versions.includes(held?.version ?? job.version)) {
    throw preconditionFailed(held?.version ?? job.version)
  }
  if (!held) throw problem('invalid_transition', { current_state: job.state })
  if (scheduled_at !== undefined) checkTime(kernel, scheduled_at, held.deadline_at)
  const move = scheduled_at !== undefined
  await tx.run(sql`
    with moved as (
      update jobs.job_queue
      set rank = coalesce(${priority ?? null}::int, rank),
        wake_at = case when not ${move}::boolean or wake_at = 'infinity' then wake_at
          when ${scheduled_at ?? null}::timestamptz > kernel.now()
            then ${scheduled_at ?? null}::timestamptz end,
        ready_at = case when ${move}::boolean and wake_at is not null then now() else ready_at end
      where tenant_id = ${job.tenant_id} and job_id = ${job.id}
    ),
    changed as (
      update jobs.jobs
      set priority = coalesce(${priority ?? null}::int, priority),
        scheduled_at = case when ${move}::boolean then ${scheduled_at ?? null}::timestamptz
          else scheduled_at end,
        version = version + 1, last_sequence = last_sequence + 1
      where tenant_id = ${job.tenant_id} and id = ${job.id}
      returning id, tenant_id, last_sequence, priority, scheduled_at
    )
    insert into jobs.job_events (job_id, sequence, tenant_id, type, data)
    select id, last_sequence, tenant_id, 'updated', jsonb_strip_nulls(jsonb_build_object(
      'priority', priority, 'scheduled_at',
      to_char(scheduled_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))) from changed`)
  tx.wake(runner_topic)
}

function checkTime(
  { clock, settings }: Pick<Deps['kernel'], 'clock' | 'settings'>,
  scheduled_at: string | null,
  deadline_at: string | null,
): void {
  const at_ms = scheduled_at === null ? clock.nowMs() : parseTime(scheduled_at)
  const latest_ms = clock.nowMs() + settings['jobs.schedule_ahead_days'] * 86_400_000
  const late = deadline_at !== null && at_ms >= parseTime(deadline_at)
  if (at_ms <= latest_ms && !late) return
  const errors = [{ location: 'body', pointer: '/scheduled_at', constraint: 'maximum' }] as const
  throw problem('validation_failed', { errors })
}
