/**
 * Events about webhooks itself. Except for `tested`, no event is sent to the subscription that the
 * event is about.
 */
import { Type } from 'typebox'
import { Id, nullable, Time } from '#dodeca/kernel'

const Short = Type.String({ maxLength: 100 })
const declared = <const P extends Parameters<typeof Type.Object>[0]>(properties: P) => ({
  version: 1,
  data: Type.Object(properties),
})
const ofSubscription = declared({
  subscription_id: Id,
  state: Short,
  reason: nullable(Short),
  secret_version: Type.Integer(),
  failing_since: nullable(Time),
  /** The error code of the attempt that caused the change. */
  last_error_code: Type.Optional(nullable(Short)),
})

const ofReceipt = declared({
  receipt_id: Id,
  provider: Type.String({ maxLength: 64 }),
  provider_account: Type.String({ maxLength: 200 }),
  type: nullable(Type.String({ maxLength: 200 })),
})

/** The type of the only event that is made for a single subscription and sent only to it. */
export const tested = 'webhook_subscription.tested'

export const events = {
  'webhook_subscription.created': ofSubscription,
  'webhook_subscription.verified': ofSubscription,
  'webhook_subscription.paused': ofSubscription,
  'webhook_subscription.resumed': ofSubscription,
  'webhook_subscription.degraded': ofSubscription,
  'webhook_subscription.disabled': ofSubscription,
  'webhook_subscription.deleted': ofSubscription,
  'webhook_subscription.secret_rotated': ofSubscription,
  [tested]: declared({ subscription_id: Id, data: Type.Optional(Type.Unknown()) }),
  'webhook_delivery.exhausted': declared({
    delivery_id: Id,
    event_id: Id,
    subscription_id: Id,
    attempt_count: Type.Integer(),
    last_http_status: nullable(Type.Integer()),
    last_error_code: nullable(Short),
  }),
  /** A message was stored, and a handler of the platform processes it. */
  'inbound_receipt.received': { ...ofReceipt, internal: true },
  /** A message was stored, and the platform has no handler for its provider. */
  'inbound_receipt.ignored': ofReceipt,
} as const

export type SubscriptionEvent = Extract<keyof typeof events, `webhook_subscription.${string}`>
