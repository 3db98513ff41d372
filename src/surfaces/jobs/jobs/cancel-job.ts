/**
 * Cancels a job. A waiting job ends immediately: the transaction that deletes its queue row cancels
 * it. The worker of a running job is asked to stop, and the job stays `running` until the worker
 * has stopped. So the reply never claims more than is true.
 */
import { Type } from 'typebox'
import { nullable, sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { runner_topic } from '../topics.ts'
import type { Cancelled, JobKey } from '../face.ts'
import { endWaiting } from '../attempts/ends/end-waiting.ts'
import { isTerminal, JobState } from '../schemas.ts'

const Now = Type.Object({ state: JobState, cancel_requested_at: nullable(Type.String()) })

/** A job that is being claimed or given back is checked again. */
const looks_max = 5

export async function cancelJob(
  tx: Tx,
  { listeners }: Pick<Deps, 'listeners'>,
  key: JobKey,
  reason: string | null,
  /** Who gives the reason. Null for the platform itself. */
  principal_id: string | null = null,
): Promise<Cancelled> {
  for (let look = 0; look < looks_max; look++) {
    const end = { state: 'cancelled', reason, principal_id } as const
    const ended = await endWaiting(listeners, tx, [key], end)
    if (ended.length > 0) return 'cancelled'
    if (await requestCancel(tx, key, end)) {
      tx.wake(runner_topic)
      return 'requested'
    }
    const now = await tx.maybe(
      Now,
      sql`
      select state, cancel_requested_at from jobs.jobs
      where tenant_id = ${key.tenant_id} and id = ${key.job_id}`,
    )
    if (!now) return 'absent'
    if (now.state === 'cancelled') return 'cancelled'
    if (isTerminal(now.state)) return 'ended'
    if (now.state === 'running' && now.cancel_requested_at !== null) return 'requested'
  }
  throw new Error('a job could not be held to cancel it')
}

type Said = { readonly reason: string | null; readonly principal_id: string | null }

async function requestCancel(
  tx: Tx,
  { tenant_id, job_id }: JobKey,
  { reason, principal_id }: Said,
): Promise<boolean> {
  const asked = await tx.run(sql`
    with asked as (
      update jobs.jobs
      set cancel_requested_at = kernel.now(), version = version + 1,
        last_sequence = last_sequence + 1
      where tenant_id = ${tenant_id} and id = ${job_id}
        and state = 'running' and cancel_requested_at is null
      returning id, tenant_id, last_sequence
    )
    insert into jobs.job_events (job_id, sequence, tenant_id, type, data, principal_id)
    select id, last_sequence, tenant_id, 'cancel_requested',
      jsonb_strip_nulls(jsonb_build_object('reason', ${reason}::text)),
      ${reason === null ? null : principal_id}::uuid
    from asked`)
  return asked === 1
}
