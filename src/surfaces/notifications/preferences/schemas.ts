/** Preferences in requests and replies. */
import { Type, type Static } from 'typebox'
import { closed, count, Id, nullable, oneOf, Time } from '#dodeca/kernel'
import { CategoryName, channels, Locale, Zone } from '../schemas.ts'

const Clock = Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', maxLength: 5 })
const QuietHours = closed({
  start: Clock,
  end: Clock,
  days: Type.Optional(Type.Array(count(1, 7), { minItems: 1, maxItems: 7, uniqueItems: true })),
})

const Preference = closed({
  category: Type.Union([CategoryName, Type.Literal('*')]),
  channel: oneOf(...channels, '*'),
  enabled: Type.Boolean(),
  quiet_hours: Type.Optional(nullable(QuietHours)),
  timezone: Type.Optional(nullable(Zone)),
})

export const PutPreferences = closed(
  {
    timezone: Zone,
    locale: Type.Optional(nullable(Locale)),
    preferences: Type.Array(Preference, { maxItems: 500 }),
  },
  { title: 'PutNotificationPreferences' },
)
export type PutPreferences = Static<typeof PutPreferences>

export const PreferencesView = Type.Object(
  {
    user_id: Id,
    timezone: Type.String(),
    locale: nullable(Type.String()),
    preferences: Type.Array(
      Type.Object({
        user_id: Id,
        category: Type.String(),
        channel: Type.String(),
        enabled: Type.Boolean(),
        quiet_hours: nullable(Type.Object(QuietHours.properties)),
        timezone: nullable(Type.String()),
      }),
    ),
    updated_at: nullable(Time),
  },
  { title: 'NotificationPreferences' },
)
export type PreferencesView = Static<typeof PreferencesView>
