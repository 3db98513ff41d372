/**
 * Retries a job. A job that ended without success runs again. Otherwise a new job is created that
 * is linked to the old one. Work of another surface is never created again here, because that
 * surface's own record would be missing.
 */
import { Type, type Static } from 'typebox'
import { narrowSession, newId, nullable, sql, type Principal, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { isTerminal } from '../schemas.ts'
import type { FoundJob } from './find-job.ts'
import { runOf } from '../steps/insert-runs.ts'
import { placeJob } from './submit-job.ts'
import { reopenJobs, withErasedInput } from './reopen-jobs.ts'

type RetryDeps = Pick<Deps, 'kernel' | 'listeners' | 'types' | 'quota' | 'files'>

export async function retrySameJob(tx: Tx, deps: RetryDeps, job: FoundJob): Promise<void> {
  const [done] = await reopenJobs(tx, deps, job.tenant_id, [job.id])
  if (done !== undefined) {
    // Read after the job's row is locked: an erasure locks it too before it erases the input.
    const erased = await withErasedInput(tx, job.tenant_id, [job.id])
    if (erased.size > 0) throw problem('input_not_available', { detail: input_erased })
    return
  }
  const detail =
    job.state === 'succeeded'
      ? 'It has succeeded: mode new_job makes another one.'
      : 'It has not ended yet.'
  throw problem('invalid_transition', { current_state: job.state, detail })
}

const input_erased =
  'The input of this job was erased with the account that submitted it. Submit a new job with its own parameters.'

const Again = Type.Object({
  priority: Type.Integer(),
  max_attempts: Type.Integer(),
  input_ref: nullable(Type.String()),
  parameters: Type.Unknown(),
})
type Again = Static<typeof Again>

/**
 * Returns the id of the new job. It waits for no other job, because one whose parent has failed
 * would fail again immediately, and this is how its work can still be done.
 */
export async function retryAsNewJob(
  tx: Tx,
  deps: RetryDeps,
  job: FoundJob,
  principal: Principal,
): Promise<string> {
  if (!isTerminal(job.state)) throw problem('invalid_transition', { current_state: job.state })
  const built = deps.types.builtIn(job)
  if (built && !built.offered) {
    const detail =
      'Jobs of this type are made by their own endpoint; mode same_job takes it up again.'
    throw problem('unknown_job_type', { detail })
  }
  const again = await tx.one(
    Again,
    sql`
    select j.priority, j.max_attempts, j.input_ref, i.parameters
    from jobs.jobs j
    left join jobs.job_inputs i on i.tenant_id = j.tenant_id and i.job_id = j.id
    where j.tenant_id = ${job.tenant_id} and j.id = ${job.id}
    -- an erasure then finds the new job, or its input is erased here already
    for share of j`,
  )
  await requireInput(tx, deps, job, again, principal)
  const { id } = await placeJob(
    tx,
    deps,
    {
      ...again,
      id: newId(),
      tenant_id: job.tenant_id,
      type: job.type,
      schema_version: job.schema_version,
      principal_id: principal.id,
      session_id: narrowSession(principal),
      operation: 'POST /v1/jobs/{job_id}/retry',
      idempotency_key: null,
      request_fingerprint: null,
      scheduled_at: null,
      deadline_at: null,
      retry_of_job_id: job.id,
      run: runOf(built, again.parameters),
      blocked: false,
    },
    [],
  )
  return id
}

/** The input was checked when the old job was submitted, and may have been deleted since. */
async function requireInput(
  tx: Tx,
  deps: RetryDeps,
  { id, tenant_id, type, schema_version }: FoundJob,
  { input_ref, parameters }: Again,
  principal: Principal,
): Promise<void> {
  const erased = await withErasedInput(tx, tenant_id, [id])
  if (erased.size > 0) throw problem('input_not_available', { detail: input_erased })
  if (input_ref !== null) {
    const session_id = narrowSession(principal)
    const reading = { tenant_id, principal_id: principal.id, session_id }
    if (await deps.files()?.isAvailable(tx, reading, input_ref)) return
    const detail =
      'The file that this job reads is gone, or you may not read it. Submit a new job with its own input.'
    throw problem('input_not_available', { detail })
  }
  const { fits } = await deps.types.resolve(tx, type, schema_version)
  const errors = await fits.parameters(parameters ?? {}, '')
  if (errors.length === 0) return
  const detail =
    'The parameters of this job do not fit its type any more. Submit a new job with its own parameters.'
  throw problem('input_not_available', { detail })
}
