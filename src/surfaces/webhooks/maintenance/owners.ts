/**
 * When an account is disabled, nothing more is sent to the endpoints that it named: they are disabled until
 * somebody else takes them up again and becomes their owner. Those of an erased account are deleted
 * (personal.ts).
 */
import type { Tx } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import type { LoggedEvent } from '../../../kernel/events/event.ts'
import type { Consumer } from '../../../kernel/surface.ts'
import { SubscriptionRow } from '../schemas.ts'
import { announce, subscriptionColumns } from '../subscriptions/find.ts'

export const ownersConsumer: Consumer = {
  name: 'webhooks.owners',
  events: ['account.status_changed'],
  run: async (tx, event) => {
    // Identity's declaration of these events says so.
    const { account_id, to } = event.payload as { account_id: string; to: string }
    if (to === 'disabled') await revoke(tx, event, account_id)
  },
}

async function revoke(tx: Tx, { tenant_id }: LoggedEvent, owner_id: string): Promise<void> {
  const rows = await tx.many(
    SubscriptionRow,
    sql`
      update webhooks.subscriptions s
      set state = 'disabled', disabled_at = kernel.now(), disabled_reason = 'owner_revoked',
        held_seconds = held_seconds
          + coalesce(extract(epoch from kernel.now() - paused_at), 0)::bigint,
        paused_at = null, paused_reason = null, unverified_since = null, challenge_due_at = null,
        challenge_hash = null, challenge_expires_at = null, version = version + 1,
        updated_at = kernel.now()
      where s.tenant_id = ${tenant_id} and s.owner_id = ${owner_id}
        and s.state in ('created', 'active', 'paused')
      returning ${subscriptionColumns}`,
  )
  for (const row of rows) {
    announce(tx, 'webhook_subscription.disabled', row, { reason: 'owner_revoked' })
  }
}
