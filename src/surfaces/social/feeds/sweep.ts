/**
 * Keeps feeds small. It deletes old entries, entries of authors who are not followed any more, and
 * feeds that have no reader.
 */
import { Type, type Static } from 'typebox'
import { nullable, sql, type Db, type Loop, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { lockFeed } from './backfill.ts'

const Row = Type.Object({ tenant_id: Type.String(), user_id: Type.String() })
type Row = Static<typeof Row>
const batch = 500

export function sweepLoop({ kernel: { db, settings } }: Pick<Deps, 'kernel'>): Loop {
  const limits = {
    keep: settings['social.feed_keep'],
    active_days: settings['social.feed_active_days'],
  }
  return {
    name: 'social.feed_sweeps',
    every_ms: 60_000,
    run: async signal => {
      while ((await sweepFeeds(db, limits, signal)) === batch);
    },
  }
}

export type SweepLimits = { readonly keep: number; readonly active_days: number }

/** Sweeps feeds that were not swept for an hour. Returns the number of swept feeds. */
async function sweepFeeds(db: Db, limits: SweepLimits, signal: AbortSignal) {
  const rows = await db.many(
    Row,
    sql`
      -- any tenant: a sweep
      select tenant_id, user_id from social.feed_state
      where state = 'warm' and swept_at < kernel.now() - interval '1 hour'
      order by swept_at limit ${batch}`,
  )
  for (const row of rows) {
    signal.throwIfAborted()
    await db.tx(tx => sweepFeed(tx, row, limits))
  }
  return rows.length
}

const Unread = Type.Object({ unread: Type.Boolean() })

/**
 * The lock on the feed keeps backfills out. A backfill for a newly followed author either ran
 * before, and then this statement sees the follow; or it runs later and adds the entries again that
 * are deleted here.
 */
export async function sweepFeed(
  tx: Tx,
  row: Row,
  { keep, active_days }: SweepLimits,
): Promise<void> {
  const { tenant_id, user_id } = row
  if ((await lockFeed(tx, row))?.state !== 'warm') return
  const { unread } = await tx.one(
    Unread,
    sql`
      update social.feed_state
      set swept_at = kernel.now(), state = case
        when last_read_at < kernel.now() - make_interval(days => ${active_days}) then 'cold'
        else state end
      where tenant_id = ${tenant_id} and user_id = ${user_id}
      returning state = 'cold' as unread`,
  )
  const stale = sql`
    not exists (select from social.follows f where f.tenant_id = ${tenant_id}
      and f.follower_id = ${user_id} and f.followed_id = e.source_author_id and f.state = 'active')
    or exists (select from social.posts p where p.tenant_id = ${tenant_id} and p.id = e.post_id
      and p.deleted_at is not null)`
  await tx.run(sql`
    delete from social.feed_entries e
    where e.tenant_id = ${tenant_id} and e.user_id = ${user_id}
      and (${unread} or ${stale})`)
  if (!unread) await trim(tx, row, keep)
}

const Lowest = Type.Object({ lowest: nullable(Type.Integer()) })

async function trim(tx: Tx, { tenant_id, user_id }: Row, keep: number): Promise<void> {
  const found = await tx.maybe(
    Lowest,
    sql`
      select e.rank_or_time as lowest from social.feed_entries e
      where e.tenant_id = ${tenant_id} and e.user_id = ${user_id}
      order by e.rank_or_time desc, e.post_id desc offset ${keep} limit 1`,
  )
  if (!found || found.lowest === null) return
  // The feed is complete above the first deleted entry.
  await tx.run(sql`
    update social.feed_state set floor_rank = greatest(floor_rank, ${found.lowest + 1}::bigint)
    where tenant_id = ${tenant_id} and user_id = ${user_id}`)
  await tx.run(sql`
    delete from social.feed_entries
    where tenant_id = ${tenant_id} and user_id = ${user_id} and rank_or_time <= ${found.lowest}::bigint`)
}
