/**
 * Creates a subscription and its lane. The secret is returned once. The same transaction schedules
 * a challenge. Nothing else is sent before the endpoint has answered a challenge.
 */
import {
  narrowSession,
  newId,
  sql,
  type Principal,
  type Tx,
  readablePatterns,
} from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { SubscriptionRow, type CreateSubscription, type NewSubscription } from '../schemas.ts'
import { demandApiVersion, demandFilter } from './filter.ts'
import { challenge_queue } from '../verification/challenge-queue.ts'
import { announce, subscriptionColumns, viewOf } from './find.ts'

export async function createSubscription(
  tx: Tx,
  deps: Pick<Deps, 'kernel' | 'types' | 'secrets' | 'judgeEndpoint'>,
  asked: CreateSubscription,
  owner: { principal: Principal; grants: ReadonlySet<string> },
): Promise<NewSubscription & { readonly version: number }> {
  const { principal, grants } = owner
  const { event_filter, verification = 'auto' } = asked
  demandApiVersion(asked.api_version)
  await demandFilter(tx, deps, event_filter, grants)
  const endpoint = deps.judgeEndpoint(asked.endpoint)
  const { tenant_id } = principal
  const most = deps.kernel.settings['webhooks.max_subscriptions']
  await deps.kernel.counted(
    tx,
    `webhooks.subscriptions:${tenant_id}`,
    most,
    sql`select from webhooks.subscriptions where tenant_id = ${tenant_id} and state <> 'deleted'`,
  )
  const id = newId()
  const secret = deps.secrets.make(asked.secret)
  const row = await tx.one(
    SubscriptionRow,
    sql`
      insert into webhooks.subscriptions as s (tenant_id, id, endpoint, event_filter, aggregate_ids,
        readable, owner_id, session_id, state, api_version, description, ordering, max_in_flight,
        rate_per_second, secret_version, secret_ciphertext, verification_mode, challenge_due_at,
        unverified_since)
      values (${principal.tenant_id}, ${id}, ${endpoint}, ${event_filter.types},
        ${event_filter.aggregate_ids ?? null}, ${readablePatterns(grants)}, ${principal.id},
        ${narrowSession(principal)}, 'created', ${asked.api_version}, ${asked.description ?? null}, ${asked.ordering ?? 'none'},
        ${asked.max_in_flight ?? 8}, ${asked.rate_per_second ?? null}, 1,
        ${deps.secrets.seal(id, 1, secret.bytes)}, ${verification},
        case when ${verification} = 'auto' then kernel.now() end, kernel.now())
      returning ${subscriptionColumns}`,
  )
  await tx.run(sql`
    insert into webhooks.delivery_lanes (tenant_id, subscription_id)
    values (${principal.tenant_id}, ${id})`)
  if (verification === 'auto') tx.wake(challenge_queue)
  announce(tx, 'webhook_subscription.created', row)
  return { ...viewOf(row), secret: secret.text, version: row.version }
}
