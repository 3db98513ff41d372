/**
 * Most events are of tenants that have no rule and no wait for them. One look finds the others, once
 * for each tenant and key of a batch: a thousand jobs of one tenant that end cost what one costs.
 */
import { Type } from 'typebox'
import { sql, type LoggedEvent, type Sql, type Tx } from '#dodeca/kernel'

const Found = Type.Object({ tenant_id: Type.String(), key: Type.String() })

/** The events for which there is `some` row of their tenant, `g.tenant_id`, and a key, `g.key`. */
export async function concerned(
  tx: Tx,
  events: readonly LoggedEvent[],
  keysOf: (type: string) => readonly string[],
  some: Sql,
): Promise<readonly LoggedEvent[]> {
  if (events.length === 0) return []
  const wanted = new Map(
    events.flatMap(({ tenant_id, type }) =>
      keysOf(type).map(key => [`${tenant_id} ${key}`, { tenant_id, key }]),
    ),
  )
  const keys = [...wanted.values()]
  const rows = await tx.many(
    Found,
    sql`
    select g.tenant_id, g.key
    from unnest(
      ${keys.map(one => one.tenant_id)}::uuid[], ${keys.map(one => one.key)}::text[]
    ) g (tenant_id, key)
    where exists (${some})`,
  )
  const found = new Set(rows.map(({ tenant_id, key }) => `${tenant_id} ${key}`))
  return events.filter(({ tenant_id, type }) =>
    keysOf(type).some(key => found.has(`${tenant_id} ${key}`)),
  )
}
