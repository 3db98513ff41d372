/** Destinations in requests and replies. */
import { Type, type Static } from 'typebox'
import { closed, Id, nullable, oneOf, text, Time } from '#dodeca/kernel'

const Subscription = closed({
  endpoint: text(2000),
  keys: closed({ p256dh: text(200), auth: text(100) }),
})

export const NewDestination = closed(
  {
    channel: oneOf('email', 'sms', 'push'),
    /** For a push device. */
    provider: Type.Optional(oneOf('fcm', 'webpush')),
    address: Type.Optional(text(320)),
    token: Type.Optional(text(4096)),
    subscription: Type.Optional(Subscription),
  },
  { title: 'NewDestination' },
)
export type NewDestination = Static<typeof NewDestination>

export const DestinationView = Type.Object(
  {
    id: Id,
    user_id: Id,
    channel: Type.String(),
    provider: nullable(Type.String()),
    /** The masked address, never all of it. */
    destination: Type.String(),
    verified_at: nullable(Time),
    disabled_at: nullable(Time),
    created_at: Time,
  },
  { title: 'Destination' },
)
export const VerifyDestination = closed({
  code: Type.String({ pattern: '^[0-9]{6}$', maxLength: 6 }),
})
