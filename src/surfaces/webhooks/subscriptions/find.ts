/**
 * Reads or locks a subscription of the caller's tenant. A missing, foreign or deleted one is a 404.
 */
import { columnsOf, expectedVersions, preconditionFailed, sql } from '#dodeca/kernel'
import type { Reader, Tx } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import type { SubscriptionEvent } from '../events.ts'
import { SubscriptionRow, type Subscription } from '../schemas.ts'

export const subscriptionColumns = columnsOf(SubscriptionRow, 's')

type Place = { readonly id: string; readonly tenant_id: string }

export async function findSubscription(reader: Reader, at: Place): Promise<SubscriptionRow> {
  const found = await reader.maybe(
    SubscriptionRow,
    sql`
      select ${subscriptionColumns} from webhooks.subscriptions s
      where s.tenant_id = ${at.tenant_id} and s.id = ${at.id} and s.state <> 'deleted'`,
  )
  if (!found) throw problem('subscription_not_found')
  return found
}

/** Locks the row until the end of the transaction. A stale If-Match is refused. */
export async function holdSubscription(
  tx: Tx,
  at: Place,
  if_match?: string | string[],
): Promise<SubscriptionRow> {
  const found = await tx.maybe(
    SubscriptionRow,
    sql`
      select ${subscriptionColumns} from webhooks.subscriptions s
      where s.tenant_id = ${at.tenant_id} and s.id = ${at.id} and s.state <> 'deleted'
      for no key update`,
  )
  if (!found) throw problem('subscription_not_found')
  const versions = expectedVersions(if_match)
  if (versions && !versions.includes(found.version)) throw preconditionFailed(found.version)
  return found
}

/** The row in its form on the wire. */
export function viewOf(row: SubscriptionRow): Subscription {
  const { event_filter, aggregate_ids, verification_mode, challenge_expires_at, ...others } = row
  const { version: _, ...rest } = others
  return {
    ...rest,
    event_filter: { types: event_filter, ...(aggregate_ids ? { aggregate_ids } : {}) },
    verification: { mode: verification_mode, expires_at: challenge_expires_at },
  }
}

/**
 * Emits the event of a change. This transaction has incremented the version of the subscription.
 */
export function announce(
  tx: Pick<Tx, 'emit'>,
  type: Exclude<SubscriptionEvent, 'webhook_subscription.tested'>,
  row: Pick<SubscriptionRow, 'id' | 'tenant_id' | 'state' | 'secret_version' | 'version'>,
  more: {
    reason?: string | null
    failing_since?: string | null
    last_error_code?: string | null
  } = {},
): void {
  const { id, tenant_id, state, secret_version, version } = row
  const { reason = null, failing_since = null, last_error_code = null } = more
  tx.emit({
    type,
    tenant_id,
    aggregate_type: 'webhook_subscription',
    aggregate_id: id,
    aggregate_version: version,
    data: {
      subscription_id: id,
      state,
      reason,
      secret_version,
      failing_since,
      last_error_code,
    },
  })
}
