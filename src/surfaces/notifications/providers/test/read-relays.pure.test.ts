/** What a start says about mail: production sends it, or says that it does not. */
import { expect, test } from 'vitest'
import { loadConfig } from '../../../../settings.ts'
import { settingFaults, type Kernel } from '../../settings.ts'

const mail_from = { NOTIFICATIONS_MAIL_FROM: 'Shop <no-reply@shop.test>' }

function faults(
  profile: 'development' | 'production',
  relays?: string,
  more: Readonly<Record<string, string>> = mail_from,
) {
  const { settings } = loadConfig({}, {})
  const given = {
    ...settings,
    'notifications.email_providers': relays ?? null,
    ...Object.fromEntries(
      Object.entries(more).map(([name, value]) => [name.toLowerCase().replace('_', '.'), value]),
    ),
  }
  return settingFaults(given as unknown as Kernel['settings'], { profile }).join('\n')
}

test('production requires a relay, or `none` by name', () => {
  expect(faults('production')).toContain('set NOTIFICATIONS_EMAIL_PROVIDERS=relay=smtps://')
  expect(faults('production', 'relay=smtps://user:secret@mail.test:465')).toBe('')
  expect(faults('production', 'none')).toBe('')
  expect(faults('development')).toBe('')
})

test('production requires senders that mail servers and push services accept', () => {
  const relay = 'relay=smtps://user:secret@mail.test:465'
  expect(faults('production', relay, {})).toContain('set NOTIFICATIONS_MAIL_FROM=')
  expect(faults('production', 'none', {})).toBe('')
  expect(faults('development', relay, {})).toBe('')
  const push = { ...mail_from, NOTIFICATIONS_VAPID_PRIVATE_KEY: 'x' }
  expect(faults('production', relay, push)).toContain('set NOTIFICATIONS_VAPID_SUBJECT=')
  const subject = { NOTIFICATIONS_VAPID_SUBJECT: 'mailto:operator@shop.test' }
  expect(faults('production', relay, { ...push, ...subject })).toBe('')
})

test('a relay that is not understood stops the start, and its password is not shown', () => {
  const broken = faults('production', 'relay=https://user:secret@mail.test')
  expect(broken).toContain('NOTIFICATIONS_EMAIL_PROVIDERS is not understood')
  expect(broken).not.toContain('secret')
})
