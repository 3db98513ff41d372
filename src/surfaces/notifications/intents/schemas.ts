/** Notifications in requests and replies. */
import { Type, type Static } from 'typebox'
import { closed, count, Id, nullable, text, Time } from '#dodeca/kernel'
import {
  CategoryName,
  Channel,
  Data,
  IntentState,
  Locale,
  Metadata,
  Priority,
  Recipient,
  TemplateName,
} from '../schemas.ts'

const window = count(60, 604_800)
const TemplateChoice = closed({
  name: TemplateName,
  version: Type.Optional(count(1, 1_000_000)),
})

/** The properties that a single notification and a batch have in common. */
export const common = {
  category: CategoryName,
  template: TemplateChoice,
  data: Type.Optional(Data),
  channels: Type.Optional(Type.Array(Channel, { minItems: 1, maxItems: 4, uniqueItems: true })),
  priority: Type.Optional(Priority),
  locale: Type.Optional(Locale),
  scheduled_at: Type.Optional(Time),
  expires_at: Type.Optional(Time),
  metadata: Type.Optional(Metadata),
}

/** Restrictions of other APIs that have no effect here, with what to use instead. */
export const instead_of_notifications = {
  send_at: 'scheduled_at',
  deliver_at: 'scheduled_at',
  delay: 'scheduled_at',
  delay_seconds: 'scheduled_at',
  ttl: 'expires_at',
  unique_key: 'dedupe',
} as const

export const NewNotification = closed(
  {
    recipient: Recipient,
    ...common,
    digest: Type.Optional(closed({ key: text(128), window_seconds: window })),
    dedupe: Type.Optional(closed({ key: text(128), window_seconds: count(1, 604_800) })),
  },
  { title: 'NewNotification' },
)
export type NewNotification = Static<typeof NewNotification>

const ChannelState = Type.Object({
  channel: Channel,
  state: Type.String(),
  reason: nullable(Type.String()),
  next_at: nullable(Time),
})

const intent = {
  id: Id,
  status: IntentState,
  tenant_id: Id,
  recipient_ref: Type.String(),
  category: Type.String(),
  priority: Priority,
  template_version: Type.String(),
  locale: nullable(Type.String()),
  data_ref: nullable(Id),
  scheduled_at: nullable(Time),
  idempotency_key: nullable(Type.String()),
  state: IntentState,
  expires_at: Time,
  batch_id: nullable(Id),
  digest_id: nullable(Id),
  metadata: nullable(Type.Record(Type.String(), Type.String())),
  created_at: Time,
  channels: Type.Array(ChannelState),
}
export const NotificationView = Type.Object(intent, { title: 'Notification' })
export type NotificationView = Static<typeof NotificationView>

export const AttemptView = Type.Object({
  id: Id,
  intent_id: Id,
  channel: Channel,
  provider: nullable(Type.String()),
  attempt_no: Type.Integer(),
  state: Type.String(),
  provider_message_id: nullable(Type.String()),
  next_attempt_at: nullable(Time),
  error_code: nullable(Type.String()),
  destination: nullable(Type.String()),
  /** The time from which the message may have reached its provider. */
  wire_at: nullable(Time),
  rendered_sha256: nullable(Type.String()),
  created_at: Time,
  updated_at: Time,
})
export type AttemptView = Static<typeof AttemptView>

export const ProviderEventView = Type.Object({
  provider: Type.String(),
  event_id: Type.String(),
  provider_message_id: nullable(Type.String()),
  type: Type.String(),
  occurred_at: Time,
})
export const DecisionView = Type.Object({
  channel: Channel,
  rule: Type.String(),
  outcome: Type.String(),
  until: nullable(Time),
  decided_at: Time,
})

export const NotificationDetail = Type.Object(
  {
    ...intent,
    attempts: Type.Array(AttemptView),
    events: Type.Array(ProviderEventView),
    decisions: Type.Array(DecisionView),
  },
  { title: 'NotificationDetail' },
)
/** The reason is kept in the audit record. */
export const CancelRequest = closed({ reason: Type.Optional(text(500)) })
export const Cancelled = Type.Object({
  id: Id,
  state: IntentState,
  effect: Type.Unsafe<'full' | 'partial' | 'none'>({
    type: 'string',
    enum: ['full', 'partial', 'none'],
  }),
})

export const Explained = Type.Object({
  channels: Type.Array(
    Type.Object({
      channel: Channel,
      decision: Type.Unsafe<'send' | 'hold' | 'skip'>({
        type: 'string',
        enum: ['send', 'hold', 'skip'],
      }),
      at: nullable(Time),
      because: Type.Array(Type.String()),
    }),
  ),
})
