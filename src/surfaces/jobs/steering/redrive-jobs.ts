/** Takes up again what has failed of one type, oldest first and no more than was asked for. */
import { Type } from 'typebox'
import type { Principal } from '../../../kernel/access/principal.ts'
import type { Tx } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import type { Deps } from '../deps.ts'
import type { Redrive } from './schemas.ts'
import { reopenJobs } from './reopen-jobs.ts'

const Dead = Type.Object({ id: Type.String() })

/** Cancelled ones stay: somebody wanted that. */
export async function redriveJobs(
  tx: Tx,
  deps: Pick<Deps, 'kernel' | 'hearers' | 'types' | 'quota'>,
  { type, error_code, limit }: Redrive,
  { id: actor, tenant_id }: Principal,
): Promise<number> {
  const dead = await tx.many(
    Dead,
    sql`
    select id from jobs.jobs
    where tenant_id = ${tenant_id} and dead_at is not null and type = ${type}
      and state in ('failed', 'expired')
      and (${error_code ?? null}::text is null or error_code = ${error_code ?? null}::text)
    order by id
    limit ${limit}
    for no key update skip locked`,
  )
  const ids = dead.map(one => one.id)
  const retried = await reopenJobs(tx, deps, tenant_id, ids)
  const reason = `${retried.length} of type ${type}${error_code === undefined ? '' : ` (${error_code})`}`
  tx.audit({ tenant_id, actor, action: 'jobs.jobs.redrive', target: type, outcome: 'done', reason })
  return retried.length
}
