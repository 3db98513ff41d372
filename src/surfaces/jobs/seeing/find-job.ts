/**
 * Finds a job for somebody who wants something of it. Absent, foreign and unreadable are the same 404; who
 * may see it but not do this is told so.
 */
import { Type, type Static } from 'typebox'
import type { Reader } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { nullable } from '../../../kernel/http/shapes.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { JobState } from '../schemas.ts'
import { may, type Act, type Caller } from './may.ts'

export const FoundJob = Type.Object({
  id: Type.String(),
  tenant_id: Type.String(),
  type: Type.String(),
  schema_version: Type.Integer(),
  principal_id: Type.String(),
  state: JobState,
  version: Type.Integer(),
  last_sequence: Type.Integer(),
  result_ref: nullable(Type.String()),
})
export type FoundJob = Static<typeof FoundJob>

export async function findJob(
  reader: Reader,
  deps: Pick<Deps, 'types'>,
  { principal, grants }: Caller,
  job_id: string,
  act: Act,
): Promise<FoundJob> {
  const [held, job] = await Promise.all([
    grants(),
    reader.maybe(
      FoundJob,
      sql`
      select id, tenant_id, type, schema_version, principal_id, state, version, last_sequence,
        result_ref
      from jobs.jobs where tenant_id = ${principal.tenant_id} and id = ${job_id}`,
    ),
  ])
  if (!job) throw problem('job_not_found')
  if (may(deps, held, principal, act, job)) return job
  const seen = may(deps, held, principal, 'jobs.jobs.read', job)
  throw problem(seen ? 'permission_denied' : 'job_not_found')
}
