/**
 * What the development inbox shows and takes: the shapes of messages and of faults on their way.
 */
import { Type, type Static } from 'typebox'
import { closed, count, nullable, text } from '../../kernel/http/shapes.ts'

const Channel = Type.Literal('email')
const Provider = text(64)
const Recipient = text(320)

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
/** The single message also has what came over the wire. */
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
  cursor: Type.Optional(text(64)),
  limit: Type.Optional(count(1, 100)),
})
export const PageQuery = closed({
  to: Type.Optional(text(320, 0)),
  cursor: Type.Optional(text(64)),
})

const mode = Type.Union([
  Type.Literal('reject_temp'),
  Type.Literal('reject_perm'),
  Type.Literal('rate_limit'),
  Type.Literal('timeout_before_accept'),
  Type.Literal('timeout_after_accept'),
  Type.Literal('slow'),
  Type.Literal('drop_connection'),
])

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
