/**
 * Adds the earlier posts of a newly followed author to a warm feed. Until the backfill commits,
 * every read collects those posts from the author. A new follow of the same author makes the row
 * due again and takes the lease from a backfill that started before the follow.
 */
import { Type, type Static } from 'typebox'
import { again, done, dueQueue, nullable, sql } from '#dodeca/kernel'
import type { DueQueue, Outcome, Tx } from '#dodeca/kernel'
import { fanout_activity, topics, type Deps } from '../deps.ts'

const Row = Type.Object({
  tenant_id: Type.String(),
  user_id: Type.String(),
  author_id: Type.String(),
})
type Row = Static<typeof Row>
const FeedState = Type.Object({ state: Type.String(), floor_rank: Type.Integer() })

export function backfillQueue({ kernel, jobs }: Pick<Deps, 'kernel' | 'jobs'>): DueQueue {
  const keep = kernel.settings['social.feed_keep']
  return dueQueue<typeof Row>({
    name: topics.backfills,
    table: 'social.feed_pending_sources',
    key: ['tenant_id', 'user_id', 'author_id'],
    row: Row,
    batch: 50,
    concurrency: 4,
    lease_seconds: 30,
    retry: { first: 1, factor: 2, cap: 60 },
    fence: tx => jobs.pauseFence(tx, fanout_activity),
    run: () => Promise.resolve(done()),
    finish: (tx, row) => backfill(tx, row, keep),
  })
}

async function backfill(tx: Tx, row: Row, keep: number): Promise<Outcome | undefined> {
  const { tenant_id, user_id, author_id } = row
  const feed = await lockFeed(tx, row)
  // The build of the feed may have started before the follow.
  if (feed?.state === 'building') return again(1)
  if (feed?.state === 'warm') await addPosts(tx, row, feed.floor_rank, keep)
  await tx.run(sql`
    delete from social.feed_pending_sources
    where tenant_id = ${tenant_id} and user_id = ${user_id} and author_id = ${author_id}`)
  return undefined
}

/**
 * Until the commit, no other transaction adds earlier posts to the feed, trims it or rebuilds it.
 */
export function lockFeed(tx: Tx, { tenant_id, user_id }: Pick<Row, 'tenant_id' | 'user_id'>) {
  return tx.maybe(
    FeedState,
    sql`
      select state, floor_rank from social.feed_state
      where tenant_id = ${tenant_id} and user_id = ${user_id} for update`,
  )
}

const Added = Type.Object({ n: Type.Integer(), lowest: nullable(Type.Integer()) })

async function addPosts(
  tx: Tx,
  { tenant_id, user_id, author_id }: Row,
  floor_rank: number,
  keep: number,
): Promise<void> {
  const { n, lowest } = await tx.one(
    Added,
    sql`
      with newest as materialized (
        select p.rank_or_time, p.id from social.posts p
        where p.tenant_id = ${tenant_id} and p.author_id = ${author_id} and p.deleted_at is null
          and p.rank_or_time >= ${floor_rank}::bigint
        order by p.rank_or_time desc, p.id desc limit ${keep}
      ), added as (
        insert into social.feed_entries (
          tenant_id, user_id, rank_or_time, post_id, source_author_id)
        select ${tenant_id}, ${user_id}, rank_or_time, id, ${author_id} from newest
        on conflict do nothing
      )
      select count(*)::int as n, min(rank_or_time) as lowest from newest`,
  )
  if (n < keep || lowest === null) return
  // More posts may exist at the lowest rank and below. From that rank on, reads collect posts from
  // the authors.
  await tx.run(sql`
    update social.feed_state set floor_rank = greatest(floor_rank, ${lowest + 1}::bigint)
    where tenant_id = ${tenant_id} and user_id = ${user_id}`)
}
