/** The effects of every follow that becomes active: counts, the event, and a source of the feed. */
import { dueNow, sql, type Tx } from '#dodeca/kernel'
import { count, followDeltas } from '../counters/count.ts'
import { topics } from '../deps.ts'
import { announcePair } from '../events.ts'

export type Pair = {
  readonly follower_id: string
  readonly followed_id: string
  readonly at_us: number
}

export async function activated(tx: Tx, tenant_id: string, pairs: readonly Pair[]): Promise<void> {
  if (pairs.length === 0) return
  // A running backfill loses its lease, because it started before this follow.
  await tx.run(sql`
    insert into social.feed_pending_sources (tenant_id, user_id, author_id, due_at)
    select ${tenant_id}, f.follower_id, f.followed_id, kernel.now()
    from ${sql.table(pairs, { follower_id: 'uuid', followed_id: 'uuid' })} f
    order by f.follower_id, f.followed_id
    on conflict (tenant_id, user_id, author_id) do update set ${dueNow()}`)
  await count(
    tx,
    tenant_id,
    pairs.flatMap(pair => followDeltas(pair, 1)),
  )
  for (const pair of pairs) announceFollow(tx, 'follow.activated', tenant_id, pair)
  tx.wake(topics.backfills)
}

export function announceFollow(
  tx: Tx,
  type: 'follow.requested' | 'follow.activated' | 'follow.removed',
  tenant_id: string,
  { follower_id, followed_id, at_us }: Pair,
): void {
  announcePair(
    tx,
    type,
    { tenant_id, ids: [follower_id, followed_id], at_us },
    { follower_id, followed_id },
  )
}
