/** What a start says about mail: production sends it, or says that it does not. */
import { expect, test } from 'vitest'
import { loadConfig } from '../../../../settings.ts'
import type { Kernel } from '../../settings.ts'
import { requireMail } from '../read-relays.ts'

function start(profile: 'development' | 'production', relays?: string) {
  const given = relays === undefined ? {} : { NOTIFICATIONS_EMAIL_PROVIDERS: relays }
  const { settings } = loadConfig({}, { PROFILE: profile, ...given })
  return () => requireMail({ profile, settings: settings as Kernel['settings'] })
}

test('production requires a relay, or `none` by name', () => {
  expect(start('production')).toThrow('set NOTIFICATIONS_EMAIL_PROVIDERS=relay=smtps://')
  expect(start('production', 'relay=smtps://user:secret@mail.test:465')).not.toThrow()
  expect(start('production', 'none')).not.toThrow()
  expect(start('development')).not.toThrow()
})

test('a relay that is not understood stops the start, and its password is not shown', () => {
  const broken = start('production', 'relay=https://user:secret@mail.test')
  expect(broken).toThrow('NOTIFICATIONS_EMAIL_PROVIDERS is not understood')
  expect(broken).not.toThrow('secret')
})
