/**
 * Releases versions that were set aside and are now first, but got no notification. This happens
 * after a change of owners, a cancellation or a replay. One scan checks the first version of a
 * limited number of aggregates, and returns the place where the next scan continues.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { Type } from 'typebox'
import { Id, nil_id, sql, type Db, type Sql } from '#dodeca/kernel'
import { lookUp } from './look-ups.ts'
import { isPending } from './pending-ids.ts'

const Swept = Type.Object({
  released: Type.Integer(),
  heads: Type.Integer(),
  subscription_id: Id,
  aggregate_id: Id,
})

/** The aggregate after which a sweep continues. */
export type Place = { readonly subscription_id: string; readonly aggregate_id: string }

/** The number of aggregates in one scan. */
const heads_max = 2000

const beginning: Place = { subscription_id: nil_id, aggregate_id: nil_id }

/**
 * One pass over all aggregates. It pauses between scans, so the scans take a small part of the
 * time, however many aggregates wait.
 */
export async function sweepStranded(
  db: Db,
  shards: { owned(): readonly number[] },
  released: () => void,
  signal: AbortSignal,
): Promise<void> {
  let after: Place | null = null
  do {
    const began = performance.now()
    const swept = await releaseStranded(db, shards.owned(), { after, many: heads_max })
    after = swept.after
    if (swept.released > 0) released()
    const rest_ms = (performance.now() - began) * 10
    if (after) await wait(rest_ms, undefined, { signal }).catch(() => {})
  } while (after && !signal.aborted)
}

export async function releaseStranded(
  db: Db,
  shards: readonly number[],
  { after, many }: { readonly after: Place | null; readonly many: number },
): Promise<{ readonly released: number; readonly after: Place | null }> {
  const [swept] = await lookUp(db, Swept, headsOf(shards, after ?? beginning, many))
  if (!swept) return { released: 0, after: null }
  const { released, heads, ...place } = swept
  return { released, after: heads === many ? place : null }
}

function headsOf(shards: readonly number[], after: Place, many: number): Sql {
  const kept = isPending()
  const next = (subscription_id: Sql, aggregate_id: Sql) => sql`
    -- any tenant: as below
    (select d.subscription_id, d.aggregate_id, d.event_id, d.next_attempt_at
      from webhooks.deliveries d
      where ${kept} and d.ordered
        and (d.subscription_id, d.aggregate_id) > (${subscription_id}, ${aggregate_id})
      order by d.subscription_id, d.aggregate_id, d.aggregate_version limit 1)`
  return sql`
    -- any tenant: a sender owns endpoints of all of them
    with recursive heads as (
      select f.*, 1 as place
      from ${next(sql`${after.subscription_id}::uuid`, sql`${after.aggregate_id}::uuid`)} f
      union all
      select n.*, h.place + 1
      from heads h cross join lateral ${next(sql`h.subscription_id`, sql`h.aggregate_id`)} n
      where h.place < ${many}
    ),
    released as (
      update webhooks.deliveries d
      set next_attempt_at = (select kernel.now())
      from heads h
      join webhooks.subscriptions s
        on s.id = h.subscription_id and s.shard = any (${shards}::smallint[])
      where d.event_id = h.event_id and d.subscription_id = h.subscription_id
        and h.next_attempt_at = 'infinity' and d.next_attempt_at = 'infinity'
        and d.completed_at is null
      returning 1
    )
    select (select count(*) from released)::int as released, h.place as heads, h.subscription_id,
      h.aggregate_id
    from heads h where h.place = (select max(place) from heads)`
}
