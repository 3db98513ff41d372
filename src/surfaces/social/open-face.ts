/** The face of social. */
import { Type } from 'typebox'
import { sql } from '#dodeca/kernel'
import type { Face } from './face.ts'

const Pair = Type.Object({ place: Type.Integer() })

export function openFace(): Face {
  return {
    blockedPairs: async (reader, tenant_id, pairs) => {
      if (pairs.length === 0) return []
      const rows = await reader.many(
        Pair,
        sql`
          select p.place::int as place
          from unnest(${pairs.map(pair => pair[0])}::uuid[], ${pairs.map(pair => pair[1])}::uuid[])
            with ordinality as p (one, other, place)
          where exists (select from social.blocks b where b.tenant_id = ${tenant_id}
              and b.blocker_id = p.one and b.blocked_id = p.other)
            or exists (select from social.blocks b where b.tenant_id = ${tenant_id}
              and b.blocker_id = p.other and b.blocked_id = p.one)`,
      )
      const blocked = new Set(rows.map(row => row.place - 1))
      return pairs.map((_, at) => blocked.has(at))
    },
  }
}
