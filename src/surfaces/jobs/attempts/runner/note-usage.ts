/**
 * The resources that a job has used, for its view. They are written under the lease of the job's
 * attempt.
 */
import type { Db } from '../../../../kernel/database/db.ts'
import { sql } from '../../../../kernel/database/sql.ts'
import type { HeldLease } from './heartbeat.ts'

/** False if the lease is lost. */
export async function noteUsage(
  db: Db,
  { attempt_id, token_hash }: HeldLease,
  usage: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  const written = await db.run(sql`
    -- any tenant: a lease token is for one attempt
    update jobs.jobs j set usage = ${sql.json(usage)}
    from jobs.job_attempts a
    where a.id = ${attempt_id} and a.lease_token = ${token_hash}
      and a.state = 'running' and a.leased_until > now()
      and j.tenant_id = a.tenant_id and j.id = a.job_id`)
  return written === 1
}
