/**
 * Pushes a post into the feeds of its author's followers, one portion of followers in each
 * transaction.
 */
import { Type, type Static } from 'typebox'
import { again, done, dueQueue, nil_id, nullable, sql } from '#dodeca/kernel'
import type { DueQueue, Sql, Tx } from '#dodeca/kernel'
import { fanout_activity, topics, type Deps } from '../deps.ts'

const Row = Type.Object({
  tenant_id: Type.String(),
  id: Type.String(),
  author_id: Type.String(),
  rank_or_time: Type.Integer(),
  fanout_after: nullable(Type.String()),
})
type Row = Static<typeof Row>
const Pushed = Type.Object({ followers: Type.Integer(), last: nullable(Type.String()) })

export function fanoutQueue({ kernel, jobs }: Pick<Deps, 'kernel' | 'jobs'>): DueQueue {
  const portion = kernel.settings['social.fanout_chunk']
  return dueQueue<typeof Row>({
    name: topics.fanouts,
    table: 'social.posts',
    key: ['tenant_id', 'id'],
    row: Row,
    load: sql`t.author_id, t.rank_or_time, t.fanout_after`,
    batch: 20,
    concurrency: 4,
    lease_seconds: 30,
    retry: { first: 1, factor: 2, cap: 60 },
    fence: tx => jobs.pauseFence(tx, fanout_activity),
    run: () => Promise.resolve(done()),
    // The progress, the entries and the check of the lease are one transaction.
    finish: async (tx, row) => {
      const more = await pushPortion(tx, row, portion)
      await kernel.fault('social.in_fanout')
      return more ? again(0) : undefined
    },
  })
}

async function pushPortion(tx: Tx, row: Row, portion: number): Promise<boolean> {
  const { tenant_id, id } = row
  const { followers, last } = await tx.one(Pushed, pushStatement(row, portion))
  const more = followers === portion
  await tx.run(sql`
    update social.posts set fanout_after = ${last ?? row.fanout_after},
      fanout_state = ${more ? 'pending' : 'done'}
    where tenant_id = ${tenant_id} and id = ${id}`)
  return more
}

/** Only readers who have a kept feed. Which posts they may see is checked when they read. */
export function pushStatement(
  { tenant_id, id, author_id, rank_or_time, fanout_after }: Row,
  portion: number,
): Sql {
  return sql`
    with portion as materialized (
      select f.follower_id from social.follows f
      where f.tenant_id = ${tenant_id} and f.followed_id = ${author_id} and f.state = 'active'
        and f.follower_id > ${fanout_after ?? nil_id}::uuid
      order by f.follower_id limit ${portion}
    ), pushed as (
      insert into social.feed_entries (
        tenant_id, user_id, rank_or_time, post_id, source_author_id)
      select ${tenant_id}, s.user_id, ${rank_or_time}::bigint, ${id}::uuid, ${author_id}::uuid
      from portion
      join social.feed_state s on s.tenant_id = ${tenant_id} and s.user_id = portion.follower_id
        and s.state <> 'cold'
      on conflict do nothing
    )
    select (select count(*)::int from portion) as followers,
      (select follower_id from portion order by follower_id desc limit 1) as last`
}
