/** Checks for `dodeca doctor` that notifications are consistent after every commit. */
import { Type } from 'typebox'
import { sql, type Check, type Sql } from '#dodeca/kernel'
import type { Deps } from './deps.ts'

const Fault = Type.Object({ says: Type.String() })

export function checks({ kernel: { db } }: Pick<Deps, 'kernel'>): readonly Check[] {
  const check = (name: string, says: string, statement: Sql): Check => ({
    name: `notifications.${name}`,
    says,
    run: async () => (await db.many(Fault, statement)).map(row => row.says),
  })
  return [
    check(
      'states',
      'A notification that has ended has no attempt that waits',
      sql`
        -- any tenant: what must hold for all of them
        select 'notification ' || i.id || ' is ' || i.state || ' and has a pending attempt' as says
        from notifications.delivery_attempts a
        join notifications.notification_intents i on i.tenant_id = a.tenant_id and i.id = a.intent_id
        where a.state = 'pending' and i.state in ('failed', 'suppressed', 'cancelled', 'expired')
          and i.batch_id is null
        limit 100`,
    ),
    check(
      'leases',
      'No message is under way for long after its lease has ended',
      sql`
        -- any tenant: what must hold for all of them
        select 'an attempt of ' || intent_id || ' has been sending since its lease ended' as says
        from notifications.delivery_attempts
        where state = 'sending' and leased_until < now() - interval '10 minutes'
        limit 100`,
    ),
    check(
      'digests',
      'A digest is closed soon after its window',
      sql`
        -- any tenant: what must hold for all of them
        select 'digest ' || id || ' is still open' as says from notifications.digests
        where state = 'open' and closes_at < kernel.now() - interval '10 minutes'
        limit 100`,
    ),
  ]
}
