/** The events of notifications. They contain ids, states and counts, never an address or a text. */
import { Type } from 'typebox'
import { Id, nullable } from '#dodeca/kernel'

const Short = Type.String({ maxLength: 200 })
const declared = <const P extends Parameters<typeof Type.Object>[0]>(properties: P) => ({
  version: 1,
  data: Type.Object(properties),
})
const intent = declared({
  intent_id: Id,
  category: Short,
  template_version: Short,
  channels: Type.Array(Short),
  error_code: nullable(Short),
})

export const events = {
  'notification.sent': intent,
  'notification.delivered': intent,
  'notification.failed': intent,
  'notification.suppressed': intent,
  'notification.expired': intent,
  'notification.cancelled': intent,
  'notification_batch.completed': declared({
    batch_id: Id,
    state: Short,
    counts: Type.Record(Type.String(), Type.Integer()),
  }),
  'suppression.created': declared({
    suppression_id: Id,
    channel: Short,
    category: Short,
    reason: Short,
  }),
  'notification_provider.degraded': declared({ provider: Short, channel: Short }),
  'notification_provider.recovered': declared({ provider: Short, channel: Short }),
} as const
