/**
 * Deletes a subscription. After this transaction nothing is sent to its endpoint. A sweep cancels
 * the waiting deliveries in portions, so that deleting is quick even if many deliveries wait.
 */
import { Type } from 'typebox'
import { expectedVersions, preconditionFailed, sql, type Tx } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { SubscriptionRow } from '../schemas.ts'
import { announce, subscriptionColumns } from './find.ts'

const Known = Type.Object({ state: Type.String(), version: Type.Integer() })

type Place = { readonly id: string; readonly tenant_id: string }

export async function deleteSubscription(
  tx: Tx,
  { id, tenant_id }: Place,
  if_match?: string | string[],
): Promise<void> {
  const known = await tx.maybe(
    Known,
    sql`
      select state, version from webhooks.subscriptions
      where tenant_id = ${tenant_id} and id = ${id}
      for no key update`,
  )
  if (!known) throw problem('subscription_not_found')
  if (known.state === 'deleted') return
  const versions = expectedVersions(if_match)
  if (versions && !versions.includes(known.version)) throw preconditionFailed(known.version)
  const row = await tx.one(
    SubscriptionRow,
    sql`
      update webhooks.subscriptions s
      set state = 'deleted', version = version + 1, updated_at = kernel.now(), paused_at = null,
        paused_reason = null,
        disabled_at = null, disabled_reason = null, unverified_since = null,
        challenge_due_at = null, challenge_hash = null, challenge_expires_at = null
      where s.tenant_id = ${tenant_id} and s.id = ${id}
      returning ${subscriptionColumns}`,
  )
  await tx.run(sql`
    delete from webhooks.previous_secrets
    where tenant_id = ${tenant_id} and subscription_id = ${id}`)
  announce(tx, 'webhook_subscription.deleted', row)
}
