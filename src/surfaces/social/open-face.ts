/** The face of social. */
import { Type } from 'typebox'
import { sql } from '#dodeca/kernel'
import type { Inside } from './face.ts'

const Pair = Type.Object({ place: Type.Integer() })

const blocked: Inside['blocked'] = ({ tenant_id, one, other }) => sql`(
  exists (select from social.blocks b where b.tenant_id = ${tenant_id}
    and b.blocker_id = ${one} and b.blocked_id = ${other})
  or exists (select from social.blocks b where b.tenant_id = ${tenant_id}
    and b.blocker_id = ${other} and b.blocked_id = ${one}))`

export function openFace(): Inside {
  return {
    blocked,
    blockedPairs: async (reader, tenant_id, pairs) => {
      if (pairs.length === 0) return []
      const rows = await reader.many(
        Pair,
        sql`
          select p.place::int as place
          from unnest(${pairs.map(pair => pair[0])}::uuid[], ${pairs.map(pair => pair[1])}::uuid[])
            with ordinality as p (one, other, place)
          where ${blocked({ tenant_id: sql`${tenant_id}`, one: sql`p.one`, other: sql`p.other` })}`,
      )
      const places = new Set(rows.map(row => row.place - 1))
      return pairs.map((_, at) => places.has(at))
    },
  }
}
