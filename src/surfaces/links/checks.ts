/** Invariants that hold for links between any two transactions. `dodeca doctor` checks them. */
import { Type } from 'typebox'
import { sql, type Check } from '#dodeca/kernel'
import type { Deps } from './deps.ts'

const Fault = Type.Object({ says: Type.String() })

/** The time that the job of a new blocklist entry may take until it has checked all links. */
const grace_seconds = 3600

export function checks({ kernel: { db } }: Pick<Deps, 'kernel'>): readonly Check[] {
  return [
    {
      name: 'links.blocked',
      says: 'No link leads to a host that is blocked, and none is awake that is known to be harmful',
      run: async () => {
        const rows = await db.many(
          Fault,
          sql`
            -- any tenant: what is blocked is blocked for all
            select 'link ' || l.domain_id || '/' || l.code || ' leads to a blocked host' as says
            from links.blocklist b
            -- a suffix ends in a dot, and the sign after the dot is the slash
            join links.links l on l.destination_host >= b.value
              and l.destination_host < left(b.value, -1) || '/'
              and (b.kind = 'suffix' or l.destination_host = b.value)
            where b.kind in ('host', 'suffix') and b.action = 'block' and b.removed_at is null
              and b.created_at < kernel.now() - make_interval(secs => ${grace_seconds})
              and l.state in ('active', 'pending_scan') and l.updated_at < b.created_at
            union all
            select 'link ' || domain_id || '/' || code || ' is harmful and awake'
            from links.links
            where safety_state = 'malicious' and state in ('active', 'pending_scan')
            limit 100`,
        )
        return rows.map(row => row.says)
      },
    },
  ]
}
