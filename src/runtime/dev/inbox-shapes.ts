/**
 * The shapes of the development inbox: messages of all channels, faults of their delivery, and
 * reports about them.
 */
import { Type, type Static } from 'typebox'
import { closed, count, nullable, oneOf, text } from '#dodeca/kernel'

export const inbox_channels = ['email', 'sms', 'push'] as const
export type InboxChannel = (typeof inbox_channels)[number]
const Channel = oneOf(...inbox_channels)
const Provider = text(64)
const Recipient = text(4096)

const shown = {
  id: Type.String(),
  channel: Channel,
  provider: Type.String(),
  from: Type.String(),
  to: Type.String(),
  subject: nullable(Type.String()),
  text: nullable(Type.String()),
  html: nullable(Type.String()),
  headers: Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())])),
  attachments: Type.Array(
    Type.Object({
      filename: nullable(Type.String()),
      content_type: Type.String(),
      bytes: Type.Integer(),
    }),
  ),
  ref: nullable(Type.String()),
  received_at: Type.String(),
}

export const InboxMessage = Type.Object(shown)
export type InboxMessage = Static<typeof InboxMessage>
/** A single message also contains its raw bytes. */
export const WholeMessage = Type.Object({ ...shown, raw: Type.String() })
export type WholeMessage = Static<typeof WholeMessage>

const filters = {
  to: Type.Optional(Recipient),
  channel: Type.Optional(Channel),
  provider: Type.Optional(Provider),
  ref: Type.Optional(text(200)),
}
export const MessageFilter = closed(filters)
export const MessageQuery = closed({
  ...filters,
  /** A text in the subject or the body, ignoring case. */
  q: Type.Optional(text(200)),
  cursor: Type.Optional(text(64)),
  limit: Type.Optional(count(1, 100)),
  /** The longest time to wait until a message matches. */
  wait_seconds: Type.Optional(count(1, 30)),
  /** With `wait_seconds`: returns only messages that arrived after this message. */
  after: Type.Optional(text(64)),
})
export type MessageQuery = Static<typeof MessageQuery>
export const PageQuery = closed({
  to: Type.Optional(text(320, 0)),
  q: Type.Optional(text(200, 0)),
  channel: Type.Optional(Type.Union([Channel, Type.Literal('')])),
  cursor: Type.Optional(text(64)),
})

const mode = oneOf(
  'reject_temp',
  'reject_perm',
  'rate_limit',
  'timeout_before_accept',
  'timeout_after_accept',
  'slow',
  'drop_connection',
  'gone',
)

export const NewInboxFault = closed({
  channel: Channel,
  provider: Type.Optional(Provider),
  to: Type.Optional(Recipient),
  mode,
  times: Type.Optional(count(1, 1_000_000)),
  delay_ms: Type.Optional(count(0, 600_000)),
})

export const InboxFault = Type.Object({
  id: Type.String(),
  channel: Channel,
  provider: nullable(Type.String()),
  to: nullable(Type.String()),
  mode,
  times: Type.Integer(),
  left: Type.Integer(),
  delay_ms: nullable(Type.Integer()),
})
export type InboxFault = Static<typeof InboxFault>

export const NewOutcome = closed({
  type: oneOf('sent', 'delivered', 'failed', 'bounced', 'complained'),
  event_id: Type.Optional(text(100)),
  occurred_at: Type.Optional(text(40)),
  signature: Type.Optional(oneOf('good', 'bad', 'old')),
})
export const Reported = Type.Object({ status: Type.Integer() })
export type Reported = Static<typeof Reported>

export const PushSubscription = Type.Object({
  endpoint: Type.String(),
  keys: Type.Object({ p256dh: Type.String(), auth: Type.String() }),
})
export type PushSubscription = Static<typeof PushSubscription>
