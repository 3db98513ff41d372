/**
 * Invariants that hold for the rows of webhooks between any two transactions. `dodeca doctor`
 * checks them.
 */
import { Type } from 'typebox'
import { sql, type Check } from '#dodeca/kernel'
import type { Deps } from './deps.ts'

const Fault = Type.Object({ says: Type.String() })

export function checks({ kernel: { db } }: Pick<Deps, 'kernel'>): readonly Check[] {
  return [
    {
      name: 'webhooks',
      says: 'Every subscription has its lane, every waiting delivery its bytes, and no lease is forgotten',
      run: async () => {
        const rows = await db.many(
          Fault,
          sql`
            -- any tenant: a check over all of them
            select 'subscription ' || s.id || ' has no lane' as says
            from webhooks.subscriptions s
            where not exists (select from webhooks.delivery_lanes l where l.subscription_id = s.id)
            union all
            (select 'delivery ' || d.id || ' waits and has nothing to send'
            from webhooks.deliveries d
            where d.state = 'pending' and d.created_at < kernel.now() - interval '1 minute'
              and not exists (select from webhooks.event_bodies b
                where b.event_id = d.event_id and b.api_version = d.api_version)
            limit 100)
            union all
            (select 'delivery ' || d.id || ' was begun long ago and is not continued'
            from webhooks.deliveries d
            join webhooks.subscriptions s on s.id = d.subscription_id and s.state = 'active'
            where d.state = 'pending' and d.leased_until < now() - interval '10 minutes'
            limit 100)`,
        )
        return rows.map(row => row.says)
      },
    },
  ]
}
