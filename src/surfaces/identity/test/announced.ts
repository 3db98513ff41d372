/** What was announced about something, and which administrative acts were recorded: for tests. */
import { Type } from 'typebox'
import type { ProductWorld } from '../../../../test/product-world.ts'
import { sql } from '#dodeca/kernel'

const Announced = Type.Object({ data: Type.Unknown() })
const Act = Type.Object({ action: Type.String() })

/** The data of the events of one type about one aggregate; one statement, so none is between places. */
export async function announced(
  { platform }: ProductWorld,
  type: string,
  aggregate_id: string,
): Promise<unknown[]> {
  const rows = await platform.kernel.db.many(
    Announced,
    sql`
      select payload as data from kernel.outbox_events
      where type = ${type} and aggregate_id = ${aggregate_id}
      union all
      select payload as data from kernel.events
      where type = ${type} and aggregate_id = ${aggregate_id}`,
  )
  return rows.map(({ data }) => data)
}

/** The actions that were recorded about a target, oldest first. */
export async function audited({ platform }: ProductWorld, target: string): Promise<string[]> {
  const rows = await platform.kernel.db.many(
    Act,
    sql`select action from kernel.audit_events where target = ${target} order by id`,
  )
  return rows.map(({ action }) => action)
}
