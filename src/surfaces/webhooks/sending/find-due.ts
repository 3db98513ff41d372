/**
 * Finds endpoints with due deliveries that this sender was not notified about: after the wait of a
 * retry, a restart, or a fan-out in another process. The search jumps from endpoint to endpoint
 * through the index of pending deliveries. So its cost depends only on the number of endpoints with
 * pending deliveries.
 */
import { Type } from 'typebox'
import { Id, logFailure, sql, type Db, type Sql } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import { lookUp } from './look-ups.ts'
import { isPending } from './pending-ids.ts'

const Found = Type.Object({ id: Id, due: Type.Boolean() })

export type Due = {
  readonly ids: readonly string[]
  /** True if a delivery waits for its due time. */
  readonly waits: boolean
}

/** If the search fails, sending continues for the lanes that this sender was notified about. */
export async function look(
  { db, fault, log }: Pick<Kernel, 'db' | 'fault' | 'log'>,
  shards: readonly number[],
): Promise<Due> {
  try {
    await fault('webhooks.before_look')
    return await findDue(db, shards)
  } catch (error) {
    logFailure(log, { err: error }, 'what is due could not be looked for')
    return { ids: [], waits: true }
  }
}

export async function findDue(db: Db, shards: readonly number[]): Promise<Due> {
  if (shards.length === 0) return { ids: [], waits: false }
  const rows = await lookUp(db, Found, waitingOf(shards))
  return { ids: rows.filter(row => row.due).map(row => row.id), waits: rows.length > 0 }
}

function waitingOf(shards: readonly number[]): Sql {
  const kept = isPending()
  // This takes the first row in the order of an index. With `exists`, the planner might read
  // everything that is due.
  const first = (behind: boolean) => sql`
    -- any tenant: as below
    (select d.event_id from webhooks.deliveries d
      where d.subscription_id = s.id and ${behind ? sql`d.behind` : sql`not d.behind`} and ${kept}
        and d.next_attempt_at <= (select kernel.now())
      order by d.next_attempt_at, d.event_id limit 1)`
  return sql`
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
    where s.shard = any (${shards}::smallint[])`
}
