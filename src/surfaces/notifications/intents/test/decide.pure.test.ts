/** Which rule decides about a channel, and for whom it does not hold. */
import { describe, expect, test } from 'vitest'
import { builtInCategories, type Category } from '../../categories/built-in.ts'
import { decide, type Facts, type Suppressed } from '../decide.ts'

const day_ms = 86_400_000
const now_ms = Date.UTC(2026, 0, 1, 23)
const security = builtInCategories.get('identity.security') as Category
const social = builtInCategories.get('social.activity') as Category

const suppressed = (reason: string, more: Partial<Suppressed> = {}): Suppressed => ({
  reason,
  category: '*',
  effective_at_ms: now_ms - 1000,
  retry_at_ms: null,
  ...more,
})

function decided(more: Partial<Facts>) {
  const { outcome, ...rest } = decide({
    now_ms,
    expires_at_ms: now_ms + day_ms,
    channel: 'email',
    category: social,
    priority: 'normal',
    wish: { enabled: true, quiet_hours: null, timezone: 'UTC' },
    sender_may: true,
    served: true,
    destination: 'present',
    suppressed: [],
    ...more,
  })
  return [outcome, 'reason' in rest ? rest.reason : rest.rule]
}

const off = { enabled: false, quiet_hours: null, timezone: 'UTC' }
const night = { ...off, enabled: true, quiet_hours: { start: '22:00', end: '07:00' } }

describe('a channel', () => {
  test.each([
    ['expired', { expires_at_ms: now_ms }, ['skip', 'expired']],
    ['of a sender without the right', { sender_may: false }, ['skip', 'sender_revoked']],
    [
      'of a sender without the right, critical',
      { sender_may: false, priority: 'critical' },
      ['skip', 'sender_revoked'],
    ],
    ['without a provider', { served: false }, ['skip', 'no_provider']],
    ['without a destination', { destination: 'absent' }, ['skip', 'no_destination']],
    ['switched off', { wish: off }, ['skip', 'preference_disabled']],
    ['switched off, critical', { wish: off, priority: 'critical' }, ['send', 'none']],
    ['quiet', { wish: night }, ['hold', 'quiet_hours']],
    ['quiet, in-app', { wish: night, channel: 'in_app' }, ['send', 'none']],
    [
      'quiet past its expiry',
      { wish: night, expires_at_ms: now_ms + 1000 },
      ['skip', 'quiet_hours_past_expiry'],
    ],
    ['quiet, class security', { wish: night, category: security }, ['send', 'none']],
  ] as const)('%s', (_, facts, expected) => {
    expect(decided(facts)).toEqual(expected)
  })
})

describe('a suppressed address', () => {
  test.each([
    [
      'unsubscribed from another category',
      social,
      suppressed('unsubscribe', { category: 'x' }),
      'none',
    ],
    ['unsubscribed', social, suppressed('unsubscribe', { category: social.name }), 'suppressed'],
    ['that complained, class security', security, suppressed('complaint'), 'none'],
    ['suppressed by hand, class security', security, suppressed('manual'), 'none'],
    ['suppressed by hand', social, suppressed('manual'), 'suppressed'],
    ['that complained', social, suppressed('complaint'), 'suppressed'],
    ['that said STOP, class security', security, suppressed('stop_keyword'), 'suppressed'],
    ['that bounced today, class security', security, suppressed('hard_bounce'), 'suppressed'],
    [
      'that bounced yesterday, class security',
      security,
      suppressed('hard_bounce', { effective_at_ms: now_ms - day_ms }),
      'suppression',
    ],
    [
      'that bounced long ago and was tried today, class security',
      security,
      suppressed('hard_bounce', { effective_at_ms: 0, retry_at_ms: now_ms + 1 }),
      'suppressed',
    ],
    [
      'that bounced long ago',
      social,
      suppressed('hard_bounce', { effective_at_ms: 0 }),
      'suppressed',
    ],
  ] as const)('%s', (_, category, one, expected) => {
    expect(decided({ category, suppressed: [one] })[1]).toBe(expected)
  })
})
