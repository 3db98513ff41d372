/** Of several preferences the most specific one counts, as a whole. */
import { expect, test } from 'vitest'
import { wishFor, type Preference } from '../resolve.ts'

const night = { start: '22:00', end: '07:00' }
const preference = (category: string, channel: string, more: Partial<Preference>): Preference => ({
  category,
  channel,
  enabled: true,
  quiet_hours: null,
  timezone: null,
  ...more,
})
const set = {
  timezone: 'Europe/Berlin',
  locale: null,
  preferences: [
    preference('*', '*', { quiet_hours: night }),
    preference('*', 'sms', { enabled: false, quiet_hours: night }),
    preference('chat.message', '*', {}),
    preference('chat.message', 'push', { quiet_hours: night, timezone: 'Asia/Tokyo' }),
  ],
}

test.each([
  ['order.updates', 'push', true, night, 'Europe/Berlin'],
  ['order.updates', 'sms', false, night, 'Europe/Berlin'],
  // Its own preference says nothing of quiet hours, so there are none.
  ['chat.message', 'email', true, null, 'Europe/Berlin'],
  ['chat.message', 'sms', true, null, 'Europe/Berlin'],
  ['chat.message', 'push', true, night, 'Asia/Tokyo'],
])('%s by %s', (category, channel, enabled, quiet_hours, timezone) => {
  expect(wishFor(set, category, channel)).toEqual({ enabled, quiet_hours, timezone })
})

test('without preferences everything is sent at any time', () => {
  expect(wishFor(undefined, 'order.updates', 'email')).toEqual({
    enabled: true,
    quiet_hours: null,
    timezone: 'UTC',
  })
})
