/**
 * Checks whether the owners of claimed jobs still have the right to run them. The check is made
 * when an attempt begins. So a job that waited (for its time, a parent or a retry) does nothing for
 * an owner who has lost the right. For work that a surface submitted, the permission of its type is
 * needed. A job that may not begin ends as failed, under its own lease.
 */
import { allowsType, type JobType } from '#dodeca/kernel'
import type { Rights } from '../../face.ts'
import { finalize, type FinalizeDeps } from '../ends/finish-attempts.ts'
import type { TypeVersion } from '../rules.ts'
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
  rule: 'jobs.rules.write',
}
/** The operations by which people, schedules and rules create jobs. */
export const owned_operations = Object.keys(needed)

type Begun = Pick<
  Taken,
  | 'attempt_id'
  | 'token_hash'
  | 'version'
  | 'tenant_id'
  | 'principal_id'
  | 'session_id'
  | 'operation'
  | 'type'
  | 'schema_version'
  | 'job_id'
>
type Asking = FinalizeDeps & {
  readonly rights: Pick<Rights, 'recentGrantsOf'>
  /** Undefined for a type that is not a surface's own. */
  builtIn(one: TypeVersion): JobType | undefined
}

const nothing: ReadonlySet<string> = new Set()

/** Whether grants allow the job. Undefined for a job that needs no right of a person. */
function neededBy({ builtIn }: Pick<Asking, 'builtIn'>, one: Begun) {
  const permission = needed[one.operation]
  if (permission) return (held: ReadonlySet<string>) => allowsType(held, permission, one.type)
  const own = builtIn(one)
  if (!own?.permission || own.outlives_owner) return undefined
  const { permission: of_type } = own
  return (held: ReadonlySet<string>) => held.has(of_type)
}

/** Returns the jobs that may begin. */
export async function checkOwners<T extends Begun>(
  deps: Asking,
  claimed: readonly T[],
): Promise<readonly T[]> {
  const asked = claimed.filter(one => neededBy(deps, one) !== undefined)
  if (asked.length === 0) return claimed
  const grants = await deps.rights.recentGrantsOf(asked)
  const refused = asked.filter((one, at) => !neededBy(deps, one)?.(grants[at] ?? nothing))
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
