/** Reads mail relays and SMS vendors from the settings. */
import { StartError } from '../../../kernel/errors/start-error.ts'
import type { Channel } from '../schemas.ts'
import type { Kernel } from '../settings.ts'

/**
 * If no relay is configured, people wait for mails that never arrive. So this requires an explicit
 * setting.
 */
export function requireMail({ settings, profile }: Pick<Kernel, 'settings' | 'profile'>): void {
  const given = settings['notifications.email_providers']
  readRelays('NOTIFICATIONS_EMAIL_PROVIDERS', given, /^smtps?:$/)
  if (profile === 'development') return
  if (given) return requireSenders(settings)
  throw new StartError(
    'Production requires a mail server: set NOTIFICATIONS_EMAIL_PROVIDERS=relay=smtps://user:password@host:465, or NOTIFICATIONS_EMAIL_PROVIDERS=none to send no mail.',
  )
}

/** The defaults are addresses for development. Real mailboxes and push services refuse them. */
function requireSenders(settings: Kernel['settings']): void {
  const from = settings['notifications.mail_from']
  if (settings['notifications.email_providers'] !== 'none' && isLocal(from)) {
    throw new StartError(
      'Production requires the sender of its mails: set NOTIFICATIONS_MAIL_FROM="Example <no-reply@example.com>", an address that the mail server may send from.',
    )
  }
  if (
    settings['notifications.vapid_private_key'] &&
    isLocal(settings['notifications.vapid_subject'])
  ) {
    throw new StartError(
      'Web Push requires a contact: set NOTIFICATIONS_VAPID_SUBJECT=mailto:operator@example.com, or an https address.',
    )
  }
}

const isLocal = (address: string) => /[@/.]localhost\b/.test(address)

/**
 * Channels that have no provider. Their messages are skipped, so that none waits until it expires.
 */
export function unservedChannels({ settings, profile }: Pick<Kernel, 'settings' | 'profile'>) {
  const { 'notifications.email_providers': mail, 'notifications.sms_providers': sms } = settings
  const production = profile === 'production'
  const push =
    settings['notifications.vapid_private_key'] ?? settings['notifications.fcm_service_account']
  return new Set<Channel>([
    ...(mail === 'none' ? (['email'] as const) : []),
    ...(sms === 'none' || (production && sms === null) ? (['sms'] as const) : []),
    ...(production && push === null ? (['push'] as const) : []),
  ])
}

export function adviceOnMail(kernel: Pick<Kernel, 'settings' | 'profile'>): string[] {
  if (!unservedChannels(kernel).has('email')) return []
  return [
    'No mail is sent (NOTIFICATIONS_EMAIL_PROVIDERS=none): verifications, resets and invitations do not arrive, and are recorded as skipped with the reason no_provider.',
  ]
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
