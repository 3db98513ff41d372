/**
 * Settles the reservations of dead processes after their leases have expired. Each reservation is
 * settled once, in a separate transaction.
 */
import { Type } from 'typebox'
import { sql, type Loop } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { settleAbandoned } from './settle-abandoned.ts'

const Left = Type.Object({
  tenant_id: Type.String(),
  operation_id: Type.String(),
  run: Type.Integer(),
  dispatched: Type.Boolean(),
})
const batch = 100

export function reaper(deps: Pick<Deps, 'kernel'>): Loop {
  return {
    name: 'inference.reaper',
    every_ms: 60_000,
    due: sql`select exists (
      -- any tenant: what dead processes left
      select from inference.quota_reservations where state = 'held' and lease_until <= now())`,
    run: async signal => {
      while (!signal.aborted && (await reapBatch(deps)) === batch);
    },
  }
}

/** Returns how many it settled. */
export async function reapBatch({
  kernel: { db },
}: {
  readonly kernel: Pick<Deps['kernel'], 'db'>
}): Promise<number> {
  const left = await db.many(
    Left,
    sql`
      -- any tenant: what dead processes left
      select tenant_id, operation_id, run, dispatched_at is not null as dispatched
      from inference.quota_reservations
      where state = 'held' and lease_until <= now()
      order by lease_until limit ${batch}`,
  )
  let settled = 0
  for (const one of left) {
    const did = await db.tx(async tx => {
      // A slow process may have renewed its lease meanwhile.
      const still = await tx.maybe(
        Left,
        sql`
          select tenant_id, operation_id, run, dispatched_at is not null as dispatched
          from inference.quota_reservations
          where tenant_id = ${one.tenant_id} and operation_id = ${one.operation_id}
            and run = ${one.run} and state = 'held' and lease_until <= now()
          for update skip locked`,
      )
      return still ? await settleAbandoned(tx, still) : false
    })
    if (did) settled++
  }
  return settled
}
