/**
 * Retries a job. A job that ended without success runs again. Otherwise a new job is created that
 * is linked to the old one. Work of another surface is never created again here, because that
 * surface's own record would be missing.
 */
import { Type } from 'typebox'
import type { Principal } from '../../../kernel/access/principal.ts'
import type { Tx } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { newId } from '../../../kernel/ids.ts'
import { nullable } from '../../../kernel/http/shapes.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { isTerminal } from '../schemas.ts'
import type { FoundJob } from './find-job.ts'
import { placeJob } from './submit-job.ts'
import { reopenJobs } from './reopen-jobs.ts'

type RetryDeps = Pick<Deps, 'kernel' | 'listeners' | 'types' | 'quota'>

export async function retrySameJob(tx: Tx, deps: RetryDeps, job: FoundJob): Promise<void> {
  const [done] = await reopenJobs(tx, deps, job.tenant_id, [job.id])
  if (done !== undefined) return
  const detail =
    job.state === 'succeeded'
      ? 'It has succeeded: mode new_job makes another one.'
      : 'It has not ended yet.'
  throw problem('invalid_transition', { current_state: job.state, detail })
}

const Again = Type.Object({
  priority: Type.Integer(),
  max_attempts: Type.Integer(),
  input_ref: nullable(Type.String()),
  parameters: Type.Unknown(),
})

/**
 * Returns the id of the new job. It may start immediately, even if the old one waited for others.
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
    where j.tenant_id = ${job.tenant_id} and j.id = ${job.id}`,
  )
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
      operation: 'POST /v1/jobs/{job_id}/retry',
      idempotency_key: null,
      request_fingerprint: null,
      scheduled_at: null,
      deadline_at: null,
      retry_of_job_id: job.id,
      blocked: false,
    },
    [],
  )
  return id
}
