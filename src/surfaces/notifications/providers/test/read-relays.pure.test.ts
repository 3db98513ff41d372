/** What a start says about mail: production sends it, or says that it does not. */
import { expect, test } from 'vitest'
import { loadConfig } from '../../../../settings.ts'
import type { Kernel } from '../../settings.ts'
import { requireMail } from '../read-relays.ts'

const mail_from = { NOTIFICATIONS_MAIL_FROM: 'Shop <no-reply@shop.test>' }

function start(
  profile: 'development' | 'production',
  relays?: string,
  more: Readonly<Record<string, string>> = mail_from,
) {
  const given = relays === undefined ? {} : { NOTIFICATIONS_EMAIL_PROVIDERS: relays }
  const { settings } = loadConfig({}, { PROFILE: profile, ...given, ...more })
  return () => requireMail({ profile, settings: settings as Kernel['settings'] })
}

test('production requires a relay, or `none` by name', () => {
  expect(start('production')).toThrow('set NOTIFICATIONS_EMAIL_PROVIDERS=relay=smtps://')
  expect(start('production', 'relay=smtps://user:secret@mail.test:465')).not.toThrow()
  expect(start('production', 'none')).not.toThrow()
  expect(start('development')).not.toThrow()
})

test('production requires senders that mail servers and push services accept', () => {
  const relay = 'relay=smtps://user:secret@mail.test:465'
  expect(start('production', relay, {})).toThrow('set NOTIFICATIONS_MAIL_FROM=')
  expect(start('production', 'none', {})).not.toThrow()
  expect(start('development', relay, {})).not.toThrow()
  const push = { ...mail_from, NOTIFICATIONS_VAPID_PRIVATE_KEY: 'x' }
  expect(start('production', relay, push)).toThrow('set NOTIFICATIONS_VAPID_SUBJECT=')
  const subject = { NOTIFICATIONS_VAPID_SUBJECT: 'mailto:operator@shop.test' }
  expect(start('production', relay, { ...push, ...subject })).not.toThrow()
})

test('a relay that is not understood stops the start, and its password is not shown', () => {
  const broken = start('production', 'relay=https://user:secret@mail.test')
  expect(broken).toThrow('NOTIFICATIONS_EMAIL_PROVIDERS is not understood')
  expect(broken).not.toThrow('secret')
})
