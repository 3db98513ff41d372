/**
 * Finds an attempt for the owner of the worker that claimed it. The owner must still have the
 * permission to run its type in its tenant, so a leaked lease token is useless to others. Missing,
 * foreign and forbidden attempts get the same 404. The statement that uses the lease checks whether
 * the lease is still held.
 */
import { Type, type Static } from 'typebox'
import { allowsType, sql, type Principal, type Reader } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { mayRunForAll } from './register-worker.ts'

const Found = Type.Object({
  id: Type.String(),
  job_id: Type.String(),
  tenant_id: Type.String(),
  type: Type.String(),
  schema_version: Type.Integer(),
})
export type FoundAttempt = Static<typeof Found>

export async function findAttempt(
  reader: Reader,
  attempt_id: string,
  principal: Principal,
  grants: ReadonlySet<string>,
): Promise<FoundAttempt> {
  const found = await reader.maybe(
    Found,
    sql`
    -- any tenant: a worker may work for all of them; the tenant is compared below
    select a.id, a.job_id, a.tenant_id, a.type, a.schema_version from jobs.job_attempts a
    where a.id = ${attempt_id} and exists (select from jobs.worker_capabilities w
      where w.worker_id = a.worker_id and w.principal_id = ${principal.id})`,
  )
  const mine =
    found &&
    (mayRunForAll(grants, found.type) ||
      (found.tenant_id === principal.tenant_id &&
        allowsType(grants, 'jobs.workers.claim', found.type)))
  if (!mine) throw problem('job_attempt_not_found')
  return found
}
