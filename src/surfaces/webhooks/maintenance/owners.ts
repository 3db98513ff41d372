/**
 * Disables the endpoints of a disabled account, so that nothing more is sent to them. They stay
 * disabled until another account enables them and becomes their owner. personal.ts deletes the
 * endpoints of an erased account.
 */
import { sql, type Consumer, type LoggedEvent, type Sql, type Tx } from '#dodeca/kernel'
import { SubscriptionRow } from '../schemas.ts'
import { announce, subscriptionColumns } from '../subscriptions/find.ts'

export const ownersConsumer: Consumer = {
  name: 'webhooks.owners',
  events: ['account.status_changed'],
  run: async (tx, event) => {
    // Identity's declaration of these events guarantees this type.
    const { account_id, to } = event.payload as { account_id: string; to: string }
    if (to === 'disabled') await revoke(tx, event, account_id)
  },
}

function revoke(tx: Tx, { tenant_id }: LoggedEvent, owner_id: string): Promise<void> {
  return disableOwned(tx, sql`s.tenant_id = ${tenant_id} and s.owner_id = ${owner_id}`)
}

export async function disableOwned(tx: Tx, which: Sql): Promise<void> {
  const rows = await tx.many(
    SubscriptionRow,
    sql`
      -- any tenant: as the caller says
      update webhooks.subscriptions s
      set state = 'disabled', disabled_at = kernel.now(), disabled_reason = 'owner_revoked',
        held_seconds = held_seconds
          + coalesce(extract(epoch from kernel.now() - paused_at), 0)::bigint,
        paused_at = null, paused_reason = null, unverified_since = null, challenge_due_at = null,
        challenge_hash = null, challenge_expires_at = null, version = version + 1,
        updated_at = kernel.now()
      where ${which}
        and s.state in ('created', 'active', 'paused')
      returning ${subscriptionColumns}`,
  )
  for (const row of rows) {
    announce(tx, 'webhook_subscription.disabled', row, { reason: 'owner_revoked' })
  }
}
