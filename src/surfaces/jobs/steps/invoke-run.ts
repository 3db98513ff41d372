/**
 * A step that is another run. The child is submitted in the commit of the step, with the rights of
 * its parent, and its end event wakes the parent. After a retry of the parent a child that has failed
 * is retried too.
 */
import { Type, type Static } from 'typebox'
import { JobFailure, nil_id, nullable, sql } from '#dodeca/kernel'
import type { ChildOrder, StoredStep, Tx } from '#dodeca/kernel'
import { checkOrder } from '../jobs/check-order.ts'
import { reopenJobs } from '../jobs/reopen-jobs.ts'
import { placeJob } from '../jobs/submit-job.ts'
import { any_end } from '../reactions/waits.ts'
import { isTerminal, JobState } from '../schemas.ts'
import { closeWait } from './await-event.ts'
import { holdRun, recordStep } from './record-step.ts'
import type { Attempting } from './attempting.ts'

export async function invokeRun(
  at: Attempting,
  name: string,
  order: ChildOrder,
  known: StoredStep | undefined,
): Promise<StoredStep> {
  const { db } = at.deps.kernel
  if (!known) return await db.tx(tx => submitChild(tx, at, name, order))
  if (known.result === null && at.wait(name) === 'open') return known
  return await db.tx(tx => takeResult(tx, at, name, known))
}

const Parent = Type.Object({ depth: Type.Integer(), person_id: nullable(Type.String()) })

async function submitChild(
  tx: Tx,
  at: Attempting,
  name: string,
  { input, ...type }: ChildOrder,
): Promise<StoredStep> {
  const { deps, lease, ended } = at
  const { tenant_id, job_id, principal_id, session_id } = lease
  await holdRun(tx, lease, ended)
  const { depth, person_id: of_parent } = await tx.one(
    Parent,
    sql`
    select depth, person_id from jobs.runs where tenant_id = ${tenant_id} and job_id = ${job_id}`,
  )
  if (depth >= deps.kernel.settings['jobs.invoke_depth']) throw new JobFailure('invoked_too_deep')
  const owner = principal_id === nil_id ? {} : { principal_id, session_id }
  const child = await checkOrder(tx, deps, { tenant_id, ...type, parameters: input, ...owner })
  const person_id = child.run?.person_id ?? of_parent
  const run = { person_id, parent_job_id: job_id, depth: depth + 1 }
  await placeJob(tx, deps, { ...child, run }, [])
  const step = { name, sequence: at.next(), kind: 'invoke', state: 'waiting' } as const
  const written = await recordStep(tx, lease, ended, { ...step, child_job_id: child.id }, true)
  await insertWait(tx, at, name, child.id)
  return written
}

/** It is open at once: the end of the child is later than this commit. */
async function insertWait(tx: Tx, { lease }: Attempting, name: string, child_job_id: string) {
  await tx.run(sql`
    insert into jobs.step_waits (tenant_id, job_id, name, event_type, aggregate_id, awaited,
      scanned_through, is_open)
    values (${lease.tenant_id}, ${lease.job_id}, ${name}, ${any_end}, ${child_job_id}, ${name}, 0,
      true)
    on conflict do nothing`)
}

const Child = Type.Object({
  id: Type.String(),
  state: JobState,
  error_code: nullable(Type.String()),
  result: nullable(Type.String()),
})

/** The child's row is locked, so that it does not end between this look and the new wait. */
async function findChild(tx: Tx, { lease }: Attempting, name: string) {
  return await tx.maybe(
    Child,
    sql`
    select j.id, j.state, j.error_code, (
      select convert_from(r.body, 'UTF8') from jobs.job_results r
      where r.tenant_id = j.tenant_id and r.id = j.result_ref) as result
    from jobs.job_steps s
    join jobs.jobs j on j.tenant_id = s.tenant_id and j.id = s.child_job_id
    where s.tenant_id = ${lease.tenant_id} and s.job_id = ${lease.job_id} and s.name = ${name}
    for share of j`,
  )
}

async function takeResult(
  tx: Tx,
  at: Attempting,
  name: string,
  known: StoredStep,
): Promise<StoredStep> {
  const { deps, lease, ended } = at
  await holdRun(tx, lease, ended)
  const child = await findChild(tx, at, name)
  const has_ended = child !== undefined && isTerminal(child.state)
  const failed = has_ended && child.state !== 'succeeded'
  if (child && (!has_ended || (failed && known.result === null))) {
    if (failed) await reopenJobs(tx, deps, lease.tenant_id, [child.id])
    await insertWait(tx, at, name, child.id)
    return { ...known, result: null }
  }
  await closeWait(tx, lease, name)
  const outcome = outcomeOf(child, deps.kernel.settings['jobs.step_result_bytes'])
  const step = { name, sequence: 0, kind: 'invoke', attempts: 1 } as const
  return await recordStep(tx, lease, ended, { ...step, ...outcome }, false)
}

function outcomeOf(child: Static<typeof Child> | undefined, bytes_max: number) {
  if (child?.state === 'succeeded') {
    const result = child.result ?? 'null'
    if (Buffer.byteLength(result) <= bytes_max) return { state: 'done', result } as const
    return { state: 'failed', error_code: 'step_result_too_large' } as const
  }
  const error_code = child ? (child.error_code ?? `run_${child.state}`) : 'run_deleted'
  return { state: 'failed', error_code } as const
}
