/** Shapes that more than one folder uses: channels, priorities, names, texts of templates. */
import { Type, type Static } from 'typebox'
import { closed, map, oneOf, text } from '#dodeca/kernel'

export const channels = ['email', 'sms', 'push', 'in_app'] as const
export type Channel = (typeof channels)[number]
export const Channel = oneOf(...channels)

export const priorities = ['critical', 'high', 'normal', 'bulk'] as const
export type Priority = (typeof priorities)[number]
export const Priority = oneOf(...priorities)

/** The lane of a message is its priority. Lane 0 is sent first. */
export function laneOf(priority: Priority): number {
  return priorities.indexOf(priority)
}

export const CategoryName = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: '^[a-z0-9_]+(\\.[a-z0-9_]+)*$',
})
export const TemplateName = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: '^[a-z0-9]+([-_.][a-z0-9]+)*$',
})
export const Locale = Type.String({
  minLength: 2,
  maxLength: 35,
  pattern: '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$',
})
export const Zone = text(64)

/** Mails of other surfaces, which say address and words when they are sent. */
export const mail_kinds = ['order_mail'] as const
export type MailKind = (typeof mail_kinds)[number]

export const Data = map(text(100, 0), Type.Unknown(), 200)
export type Data = Static<typeof Data>

export const Metadata = map(text(40), Type.String({ maxLength: 500 }), 16)

export const states = [
  'scheduled',
  'queued',
  'held',
  'processing',
  'sent',
  'delivered',
  'failed',
  'suppressed',
  'cancelled',
  'expired',
] as const
export type IntentState = (typeof states)[number]
export const IntentState = oneOf(...states)

/** Exactly one of these properties is present. */
export const Recipient = closed(
  {
    user_id: Type.Optional(Type.String({ format: 'uuid', maxLength: 36 })),
    destination_id: Type.Optional(Type.String({ format: 'uuid', maxLength: 36 })),
    email: Type.Optional(text(320)),
    phone: Type.Optional(text(32)),
  },
  { title: 'Recipient' },
)
export type Recipient = Static<typeof Recipient>
