/**
 * Which endpoints have something due that nobody told this sender of: after a retry's wait, a restart, or
 * a fan-out elsewhere. It jumps from endpoint to endpoint through the index of what is pending, so its
 * cost grows with the endpoints that have pending deliveries, not with all endpoints or all deliveries.
 */
import { Type } from 'typebox'
import type { Db } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { Id } from '../../../kernel/http/shapes.ts'
import { pendingIds } from './pending-ids.ts'

const Found = Type.Object({ id: Id, due: Type.Boolean() })

export type Due = {
  readonly ids: readonly string[]
  /** Something waits for its time. */
  readonly waits: boolean
}

function pending() {
  const { from, to } = pendingIds()
  return sql`d.state = 'pending' and d.event_id >= ${from} and d.event_id < ${to}`
}

export async function findDue(db: Db, shards: readonly number[]): Promise<Due> {
  if (shards.length === 0) return { ids: [], waits: false }
  const kept = pending()
  // One row and no `exists`, which may be answered by reading everything that is due.
  const first = (behind: boolean) => sql`
    -- any tenant: as below
    (select d.event_id from webhooks.deliveries d
      where d.subscription_id = s.id and ${behind ? sql`d.behind` : sql`not d.behind`} and ${kept}
        and d.next_attempt_at <= (select kernel.now()) limit 1)`
  const rows = await db.many(
    Found,
    sql`
      -- any tenant: a sender owns endpoints of all of them
      with recursive waiting as (
        (select d.subscription_id from webhooks.deliveries d
          where ${kept} order by d.subscription_id limit 1)
        union all
        select (select d.subscription_id from webhooks.deliveries d
          where ${kept} and d.subscription_id > w.subscription_id
          order by d.subscription_id limit 1)
        from waiting w where w.subscription_id is not null
      )
      select s.id, coalesce(${first(false)}, ${first(true)}) is not null as due
      from waiting w
      join webhooks.subscriptions s on s.id = w.subscription_id and s.state = 'active'
      where s.shard = any (${shards}::smallint[])`,
  )
  return { ids: rows.filter(row => row.due).map(row => row.id), waits: rows.length > 0 }
}

/**
 * Versions that were laid aside and whose turn has come without anybody having said so: after a change of
 * owners, a cancellation or a replay. It looks at the head of each aggregate only.
 */
export function releaseStranded(db: Db, shards: readonly number[]): Promise<number> {
  const kept = pending()
  return db.run(sql`
    -- any tenant: a sender owns endpoints of all of them
    with recursive heads as (
      (select d.subscription_id, d.aggregate_id, d.event_id, d.next_attempt_at
        from webhooks.deliveries d where ${kept} and d.ordered
        order by d.subscription_id, d.aggregate_id, d.aggregate_version limit 1)
      union all
      select n.subscription_id, n.aggregate_id, n.event_id, n.next_attempt_at
      from heads h
      cross join lateral (
        select d.subscription_id, d.aggregate_id, d.event_id, d.next_attempt_at
        from webhooks.deliveries d
        where ${kept} and d.ordered
          and (d.subscription_id, d.aggregate_id) > (h.subscription_id, h.aggregate_id)
        order by d.subscription_id, d.aggregate_id, d.aggregate_version limit 1
      ) n
    )
    update webhooks.deliveries d
    set next_attempt_at = kernel.now()
    from heads h
    join webhooks.subscriptions s
      on s.id = h.subscription_id and s.shard = any (${shards}::smallint[])
    where d.event_id = h.event_id and d.subscription_id = h.subscription_id
      and h.next_attempt_at = 'infinity' and d.next_attempt_at = 'infinity'
      and d.completed_at is null`)
}
