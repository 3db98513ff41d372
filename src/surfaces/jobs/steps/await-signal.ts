/**
 * A step that waits for a signal. It takes the oldest one that no step has read, under the lock of
 * the run: a signal that is sent meanwhile is either found here or wakes the run.
 */
import { Type } from 'typebox'
import { sql, type SignalWait, type StoredStep } from '#dodeca/kernel'
import { after, holdRun, recordStep } from './record-step.ts'
import type { Attempting } from './attempting.ts'

const Read = Type.Object({ signal: Type.Unknown() })

export async function waitForSignal(
  at: Attempting,
  name: string,
  { timeout_seconds, of = name }: SignalWait,
  known: StoredStep | undefined,
): Promise<StoredStep> {
  const { lease, ended } = at
  const { tenant_id, job_id } = lease
  const sequence = known ? 0 : at.next()
  return await at.deps.kernel.db.tx(async tx => {
    await holdRun(tx, lease, ended)
    const read = await tx.maybe(
      Read,
      sql`
      with oldest as (
        select tenant_id, job_id, id from jobs.job_signals
        where tenant_id = ${tenant_id} and job_id = ${job_id} and name = ${of} and step is null
        order by number limit 1
      )
      update jobs.job_signals g set step = ${name} from oldest o
      where g.tenant_id = o.tenant_id and g.job_id = o.job_id and g.id = o.id
      returning json_build_object('id', g.id, 'data', g.data, 'principal_id', g.principal_id)
        as signal`,
    )
    const step = { name, sequence, kind: 'signal', awaited: of } as const
    if (read) {
      const result = JSON.stringify(read.signal)
      return await recordStep(tx, lease, ended, { ...step, state: 'done', result }, true)
    }
    if (known?.is_due) {
      return await recordStep(tx, lease, ended, { ...step, state: 'timed_out' }, true)
    }
    if (known) return known
    const until = after(timeout_seconds)
    return await recordStep(tx, lease, ended, { ...step, state: 'waiting', until }, true)
  })
}
