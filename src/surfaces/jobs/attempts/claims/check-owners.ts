/**
 * Checks whether the owners of claimed jobs still have the right to run them. The check is made
 * when an attempt begins. So a job that waited (for its time, a parent or a retry) does nothing for
 * an owner who has lost the right. For work that a surface submitted, that surface is asked. A job
 * that may not begin ends as failed, under its own lease.
 */
import { allowsType } from '../../../../kernel/access/permissions.ts'
import type { Rights } from '../../face.ts'
import { finalize, type FinalizeDeps } from '../ends/finish-attempts.ts'
import type { Taken } from './claim-jobs.ts'

/**
 * The permission that a job's owner must hold for the type, for each operation that can create a
 * job.
 */
const needed: Readonly<Record<string, string>> = {
  'POST /v1/jobs': 'jobs.jobs.submit',
  'POST /v1/job-batches': 'jobs.jobs.submit',
  'POST /v1/jobs/{job_id}/retry': 'jobs.jobs.retry',
  schedule: 'jobs.schedules.write',
}
/** The operations by which people and schedules create jobs. */
export const owned_operations = Object.keys(needed)

type Begun = Pick<
  Taken,
  | 'attempt_id'
  | 'token_hash'
  | 'version'
  | 'tenant_id'
  | 'principal_id'
  | 'operation'
  | 'type'
  | 'job_id'
>
type Asking = FinalizeDeps & { readonly rights: Pick<Rights, 'recentGrantsOf'> }

/** Returns the jobs that may begin. */
export async function checkOwners<T extends Begun>(
  deps: Asking,
  claimed: readonly T[],
): Promise<readonly T[]> {
  const asked = claimed.filter(one => one.operation in needed)
  if (asked.length === 0) return claimed
  const grants = await deps.rights.recentGrantsOf(asked)
  const refused = asked.filter(({ operation, type }, at) => {
    const held = grants[at]
    return !held || !allowsType(held, needed[operation] ?? '', type)
  })
  if (refused.length === 0) return claimed
  const error = { code: 'owner_revoked', retryable: false }
  await finalize(
    deps,
    refused.map(({ attempt_id, token_hash, version }) => ({
      attempt_id,
      token_hash,
      version,
      ending: { outcome: 'failed', error },
      result: null,
    })),
  )
  const over = new Set(refused)
  return claimed.filter(one => !over.has(one))
}
