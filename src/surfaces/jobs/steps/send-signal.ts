/**
 * Sends a signal to a run, in the caller's transaction. It is kept until a step of the run reads it.
 * The same id sends it once.
 */
import { Type } from 'typebox'
import { newId, sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import type { SignalOrder } from '../face.ts'
import { isTerminal, JobState } from '../schemas.ts'
import { runner_topic } from '../topics.ts'

const Run = Type.Object({ state: JobState, unread: Type.Integer() })
const Before = Type.Object({ name: Type.String(), is_same: Type.Boolean() })

export async function sendSignal(
  tx: Tx,
  { kernel: { settings, take } }: Pick<Deps, 'kernel'>,
  { tenant_id, job_id, name, data, id = newId(), principal_id = null }: SignalOrder,
): Promise<{ readonly id: string }> {
  const text = JSON.stringify(data ?? null)
  if (Buffer.byteLength(text) > settings['jobs.signal_bytes']) {
    const detail = `The data of a signal has at most ${settings['jobs.signal_bytes']} bytes as JSON.`
    throw problem('content_too_large', { detail })
  }
  const run = await lockRun(tx, tenant_id, job_id, settings['jobs.signals_unread'])
  const before = await tx.maybe(
    Before,
    sql`
    select name, data::text = ${text} as is_same from jobs.job_signals
    where tenant_id = ${tenant_id} and job_id = ${job_id} and id = ${id}`,
  )
  if (before?.is_same && before.name === name) return { id }
  if (before) throw problem('signal_exists')
  if (isTerminal(run.state)) throw problem('invalid_transition', { current_state: run.state })
  if (run.unread >= settings['jobs.signals_unread']) {
    const detail = `The run has ${run.unread} signals that no step has read.`
    throw problem('quota_exceeded', { detail })
  }
  const many = settings['jobs.signals_per_hour']
  const refusal = 'quota_exceeded' as const
  await take(tx, [{ name: 'jobs.signals', of: tenant_id, many, per_seconds: 3600, refusal }])
  await tx.run(sql`
    with sent as (
      insert into jobs.job_signals (tenant_id, job_id, id, name, data, principal_id)
      values (${tenant_id}, ${job_id}, ${id}, ${name}, ${text}::json, ${principal_id}::uuid)
    )
    update jobs.job_queue q set wake_at = null, ready_at = now()
    where q.tenant_id = ${tenant_id} and q.job_id = ${job_id} and q.wake_at is not null
      and exists (select from jobs.job_steps s
        where s.tenant_id = q.tenant_id and s.job_id = q.job_id and s.kind = 'signal'
          and s.state = 'waiting' and s.awaited = ${name})`)
  tx.wake(runner_topic)
  return { id }
}

/** A job that is no run takes no signals. */
async function lockRun(tx: Tx, tenant_id: string, job_id: string, unread_max: number) {
  const locked = await tx.run(sql`
    select from jobs.runs where tenant_id = ${tenant_id} and job_id = ${job_id}
    for no key update`)
  const run = await tx.maybe(
    Run,
    sql`
    select j.state, (select count(*)::int from (
      select from jobs.job_signals g
      where g.tenant_id = j.tenant_id and g.job_id = j.id and g.step is null
      limit ${unread_max}) u) as unread
    from jobs.jobs j where j.tenant_id = ${tenant_id} and j.id = ${job_id}`,
  )
  if (!run) throw problem('job_not_found')
  if (locked === 0) throw problem('job_has_no_steps')
  return run
}
