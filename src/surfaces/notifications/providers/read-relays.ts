/** Mail relays and SMS vendors as the settings name them. */
import { StartError } from '../../../kernel/errors/start-error.ts'
import type { Kernel } from '../settings.ts'

/** Without a relay, people wait for mails that never come, so that must be asked for by name. */
export function requireMail({ settings, profile }: Pick<Kernel, 'settings' | 'profile'>): void {
  const given = settings['notifications.email_providers']
  readRelays('NOTIFICATIONS_EMAIL_PROVIDERS', given, /^smtps?:$/)
  if (given || profile === 'development') return
  throw new StartError(
    'Production requires a mail server: set NOTIFICATIONS_EMAIL_PROVIDERS=relay=smtps://user:password@host:465, or NOTIFICATIONS_EMAIL_PROVIDERS=none to send no mail.',
  )
}

export function readRelays(variable: string, given: string | null, schemes: RegExp) {
  if (!given || given === 'none') return []
  return given.split(',').map(entry => {
    const [, name = '', url = ''] = /^\s*([a-z0-9_]{1,40})=(?:twilio\+)?(\S+)\s*$/.exec(entry) ?? []
    if (name !== '' && URL.canParse(url) && schemes.test(new URL(url).protocol)) {
      return { name, url }
    }
    throw new StartError(
      `${variable} is not understood. Write name=URL, several separated by commas.`,
    )
  })
}
