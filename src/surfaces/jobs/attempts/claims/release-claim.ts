/**
 * Releases the leases of a claim whose worker disconnected before the reply was written. Otherwise
 * each of these jobs would wait for the end of its lease, and count a lost attempt. A lease that a
 * repeated claim has returned meanwhile stays, because its worker has it.
 */
import { Type } from 'typebox'
import { sql } from '#dodeca/kernel'
import { endAttempts } from '../ends/end-attempts.ts'
import type { FinalizeDeps } from '../ends/finish-attempts.ts'
import { holdShown } from '../ends/hold-attempts.ts'
import type { Lease } from './claim-jobs.ts'
import { lockClaim } from './claim-once.ts'

const Unseen = Type.Object({ id: Type.String() })

/** Returns the number of released leases. */
export async function releaseClaim(
  deps: FinalizeDeps,
  claim_id: string,
  leases: readonly Lease[],
): Promise<number> {
  return await deps.db.tx(async tx => {
    await tx.run(lockClaim(claim_id))
    // Only a repeated claim or a renewal moves the heartbeat behind the start.
    const unseen = await tx.many(
      Unseen,
      sql`
      -- any tenant: a claim is that of one worker
      select a.id from jobs.job_attempts a
      where a.id = any (${leases.map(one => one.attempt_id)}::uuid[])
        and a.claim_id = ${claim_id} and a.heartbeat_at <= a.started_at`,
    )
    const ids = new Set(unseen.map(one => one.id))
    const held = await holdShown(
      tx,
      leases.filter(one => ids.has(one.attempt_id)),
    )
    if (held.length === 0) return 0
    const ending = { outcome: 'released' } as const
    await endAttempts(
      deps,
      tx,
      held.map(one => ({ held: one, ending, result: null })),
    )
    return held.length
  })
}
