/**
 * Builds a feed from the posts. The state `building` is committed first. From then on new posts are
 * pushed, so that no post is missing in the end. Until the build commits, reads collect posts from
 * the authors.
 */
import { Type, type Static } from 'typebox'
import { done, dueQueue, nullable, sql } from '#dodeca/kernel'
import type { DueQueue, Projection, Tx } from '#dodeca/kernel'
import { fanout_activity, topics, type Deps } from '../deps.ts'
import { lockFeed } from './backfill.ts'

const Row = Type.Object({ tenant_id: Type.String(), user_id: Type.String() })
type Row = Static<typeof Row>

export function rebuildQueue({ kernel, jobs }: Pick<Deps, 'kernel' | 'jobs'>): DueQueue {
  return dueQueue<typeof Row>({
    name: topics.rebuilds,
    table: 'social.feed_state',
    key: ['tenant_id', 'user_id'],
    row: Row,
    batch: 20,
    concurrency: 2,
    lease_seconds: 120,
    retry: { first: 1, factor: 2, cap: 60 },
    fence: tx => jobs.pauseFence(tx, fanout_activity),
    run: () => Promise.resolve(done()),
    finish: async (tx, row) => {
      await buildFeed(tx, row, kernel.settings['social.feed_keep'])
      await kernel.fault('social.in_rebuild')
    },
  })
}

const Built = Type.Object({ n: Type.Integer(), lowest: nullable(Type.Integer()) })
/**
 * First reads this number of posts of each author. These posts limit how far back the rest is read.
 */
const sample = 20

async function buildFeed(tx: Tx, { tenant_id, user_id }: Row, keep: number): Promise<void> {
  const feed = await lockFeed(tx, { tenant_id, user_id })
  if (feed?.state !== 'building') return
  await tx.run(sql`
    delete from social.feed_entries where tenant_id = ${tenant_id} and user_id = ${user_id}`)
  const { n, lowest } = await tx.one(
    Built,
    sql`
      with authors as materialized (
        select f.followed_id as author_id from social.follows f
        where f.tenant_id = ${tenant_id} and f.follower_id = ${user_id} and f.state = 'active'
      ), bound as materialized (
        select coalesce((
          select q.rank_or_time from authors a
          cross join lateral (
            select p.rank_or_time from social.posts p
            where p.tenant_id = ${tenant_id} and p.author_id = a.author_id
              and p.deleted_at is null
            order by p.rank_or_time desc limit ${sample}) q
          order by q.rank_or_time desc offset ${keep - 1} limit 1), 0) as rank_or_time
      ), newest as materialized (
        select q.rank_or_time, q.id, a.author_id from authors a
        cross join lateral (
          select p.rank_or_time, p.id from social.posts p
          where p.tenant_id = ${tenant_id} and p.author_id = a.author_id
            and p.deleted_at is null and p.rank_or_time >= (select rank_or_time from bound)
          order by p.rank_or_time desc, p.id desc limit ${keep}) q
        order by q.rank_or_time desc, q.id desc limit ${keep}
      ), built as (
        insert into social.feed_entries (
          tenant_id, user_id, rank_or_time, post_id, source_author_id)
        select ${tenant_id}, ${user_id}, rank_or_time, id, author_id from newest
        on conflict do nothing
      )
      select count(*)::int as n, min(rank_or_time) as lowest from newest`,
  )
  const floor_rank = n < keep || lowest === null ? 0 : lowest + 1
  await tx.run(sql`
    update social.feed_state
    set state = 'warm', floor_rank = ${floor_rank}::bigint, built_at = kernel.now(),
      swept_at = kernel.now(), due_at = null
    where tenant_id = ${tenant_id} and user_id = ${user_id}`)
}

const portion = 100
const Total = Type.Object({ n: Type.Integer() })

/**
 * `dodeca rebuild social.feeds` rebuilds every kept feed, one after the other, with a lower
 * priority than live reads.
 */
export function feedProjection({ kernel: { db, settings } }: Pick<Deps, 'kernel'>): Projection {
  return {
    name: 'social.feeds',
    freshness_ms: 0,
    rebuild: async (progress, signal) => {
      const { n: total } = await db.one(
        Total,
        sql`
          -- any tenant: all feeds
          select count(*)::int as n from social.feed_state where state <> 'cold'`,
      )
      let built = 0
      for (let last: Row | null = null; ;) {
        const rows: Row[] = await db.many(
          Row,
          sql`
            -- any tenant: all feeds
            select tenant_id, user_id from social.feed_state
            where state <> 'cold' and (${last === null} or (tenant_id, user_id) > (
              ${last?.tenant_id ?? null}::uuid, ${last?.user_id ?? null}::uuid))
            order by tenant_id, user_id limit ${portion}`,
        )
        for (const row of rows) {
          signal.throwIfAborted()
          await db.run(sql`
            update social.feed_state set state = 'building', due_at = kernel.now()
            where tenant_id = ${row.tenant_id} and user_id = ${row.user_id} and state <> 'cold'`)
          await db.tx(tx => buildFeed(tx, row, settings['social.feed_keep']))
          progress(++built, total)
        }
        last = rows.at(-1) ?? null
        if (rows.length < portion) return
      }
    },
  }
}
