/**
 * Ends a follow or a request. The follower, the followed person or a block can end it. If there is
 * none, the call succeeds too.
 */
import { Type } from 'typebox'
import { sql, type Tx } from '#dodeca/kernel'
import { count, followDeltas } from '../counters/count.ts'
import { announceFollow } from './activate.ts'
import { now_us } from './pairs.ts'

const Gone = Type.Object({
  follower_id: Type.String(),
  followed_id: Type.String(),
  state: Type.String(),
  at_us: Type.Integer(),
})

type Ends = { readonly follower_id: string; readonly followed_id: string }

/**
 * Returns true if a follow was ended; `only` limits it to requests. Feeds leave the posts out from
 * their next read on.
 */
export async function endFollow(
  tx: Tx,
  tenant_id: string,
  { follower_id, followed_id }: Ends,
  only?: 'pending',
): Promise<boolean> {
  const gone = await tx.maybe(
    Gone,
    sql`
      delete from social.follows
      where tenant_id = ${tenant_id} and follower_id = ${follower_id}
        and followed_id = ${followed_id} and (${only ?? null}::text is null or state = ${only ?? null})
      returning follower_id, followed_id, state, ${now_us} as at_us`,
  )
  if (!gone) return false
  if (gone.state === 'active') await count(tx, tenant_id, followDeltas(gone, -1))
  announceFollow(tx, 'follow.removed', tenant_id, gone)
  return true
}
