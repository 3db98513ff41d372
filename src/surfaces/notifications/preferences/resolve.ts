/**
 * Finds the preference of a user for one category and channel. The most specific one counts, as a
 * whole: (category, channel), (category, *), (*, channel), (*, *), and then the default. So a
 * preference without quiet hours has none, even if a less specific one has quiet hours. Otherwise no
 * preference could say that messages of one category come at night.
 */
import type { QuietHours } from './quiet-hours.ts'

export type Preference = {
  readonly category: string
  readonly channel: string
  readonly enabled: boolean
  readonly quiet_hours: QuietHours | null
  readonly timezone: string | null
}

export type PreferenceSet = {
  readonly timezone: string
  /** The language in which the user wants messages. */
  readonly locale: string | null
  readonly preferences: readonly Preference[]
}

export type Wish = {
  readonly enabled: boolean
  readonly quiet_hours: QuietHours | null
  readonly timezone: string
}

const nothing_said: Wish = { enabled: true, quiet_hours: null, timezone: 'UTC' }

export function wishFor(set: PreferenceSet | undefined, category: string, channel: string): Wish {
  if (!set) return nothing_said
  const places = [
    [category, channel],
    [category, '*'],
    ['*', channel],
    ['*', '*'],
  ]
  for (const [of_category, of_channel] of places) {
    const found = set.preferences.find(
      one => one.category === of_category && one.channel === of_channel,
    )
    if (found) {
      const { enabled, quiet_hours, timezone } = found
      return { enabled, quiet_hours, timezone: timezone ?? set.timezone }
    }
  }
  return { ...nothing_said, timezone: set.timezone }
}
