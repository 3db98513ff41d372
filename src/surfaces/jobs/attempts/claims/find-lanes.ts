/**
 * Finds lanes with ready rows by a loose index scan that jumps from tenant to tenant. So its cost
 * depends on the number of lanes that it returns, and never on the number of rows. For each type
 * the scan starts after the tenant where the last scan ended, so that even a thousand tenants are
 * all found in turn.
 */
import { Type } from 'typebox'
import { nil_id, sql, type Reader, type Sql } from '#dodeca/kernel'
import type { TypeVersion } from '../rules.ts'

export type Lane = TypeVersion & { readonly tenant_id: string }

const lanes_max = 64
const first_tenant = nil_id

const Row = Type.Object({
  type: Type.String(),
  schema_version: Type.Integer(),
  tenant_id: Type.String(),
})

export type LaneFinder = {
  /**
   * Returns at most about 64 lanes. `around` says whether every existing lane has now been
   * returned.
   */
  find(db: Reader, types: readonly TypeVersion[]): Promise<{ lanes: Lane[]; around: boolean }>
}

export function openLaneFinder(): LaneFinder {
  const after = new Map<string, string>()
  const nameOf = ({ type, schema_version }: TypeVersion) => `${type} ${schema_version}`
  return {
    find: async (db, types) => {
      const portion = Math.max(4, Math.ceil(lanes_max / types.length))
      const starts = types.map(one => after.get(nameOf(one)) ?? first_tenant)
      const lanes = await db.many(Row, lanesAfter(types, starts, portion))
      const counts = new Map<string, number>()
      for (const lane of lanes) {
        const name = nameOf(lane)
        counts.set(name, (counts.get(name) ?? 0) + 1)
        after.set(name, lane.tenant_id)
      }
      let around = true
      types.forEach((one, at) => {
        const name = nameOf(one)
        if ((counts.get(name) ?? 0) >= portion) around = false
        else {
          after.delete(name)
          if (starts[at] !== first_tenant) around = false
        }
      })
      return { lanes, around }
    },
  }
}

function lanesAfter(types: readonly TypeVersion[], starts: readonly string[], portion: number) {
  return sql`
    -- any tenant: a runner serves all of them
    select looked.type, looked.schema_version, found.tenant_id
    from unnest(
      ${types.map(one => one.type)}::text[],
      ${types.map(one => one.schema_version)}::int[],
      ${starts}::uuid[]
    ) looked (type, schema_version, after)
    cross join lateral (
      with recursive lane as (
        (${nextLane(sql`looked.after`)})
        union all
        select next.*
        from lane
        cross join lateral (${nextLane(sql`lane.tenant_id`)}) next
        where lane.type = looked.type and lane.schema_version = looked.schema_version
      )
      select lane.tenant_id from lane
      where lane.type = looked.type and lane.schema_version = looked.schema_version
      limit ${portion}
    ) found`
}

/**
 * Finds the lane that follows another one, of any type. It costs one descent of the index, even if
 * the type has no rows and a million jobs of other types wait. Only that index has this order.
 */
function nextLane(tenant: Sql): Sql {
  return sql`
    select q.type, q.schema_version, q.tenant_id from jobs.job_queue q
    where (q.type, q.schema_version, q.tenant_id)
        > (looked.type, looked.schema_version, ${tenant})
      and q.wake_at is null
    order by q.type, q.schema_version, q.tenant_id
    limit 1`
}

/**
 * Reads all lanes of one tenant together, because a tenant has at most as many lanes as there are
 * types.
 */
export async function lanesOf(
  db: Reader,
  types: readonly TypeVersion[],
  tenant_id: string,
): Promise<{ lanes: Lane[] }> {
  const lanes = await db.many(
    Row,
    sql`
    select looked.type, looked.schema_version, ${tenant_id}::uuid as tenant_id
    from unnest(
      ${types.map(one => one.type)}::text[], ${types.map(one => one.schema_version)}::int[]
    ) looked (type, schema_version)
    cross join lateral (
      select q.type, q.schema_version, q.tenant_id from jobs.job_queue q
      where (q.type, q.schema_version, q.tenant_id)
          >= (looked.type, looked.schema_version, ${tenant_id}::uuid)
        and q.wake_at is null
      order by q.type, q.schema_version, q.tenant_id
      limit 1
    ) nearest
    where nearest.type = looked.type and nearest.schema_version = looked.schema_version
      and nearest.tenant_id = ${tenant_id}::uuid`,
  )
  return { lanes }
}
