/**
 * Reads mail relays, SMS vendors and accounts of providers from the settings. A mistake in them
 * stops the start with a sentence that shows no password.
 */
import { readFileSync } from 'node:fs'
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import { parseStandardSecret, StartError } from '#dodeca/kernel'
import type { Channel } from '../schemas.ts'

const ServiceAccount = Type.Object({
  project_id: Type.String(),
  client_email: Type.String(),
  private_key: Type.String(),
  token_uri: Type.String(),
})
export type ServiceAccount = Static<typeof ServiceAccount>

type Given = {
  readonly profile: 'development' | 'production'
  readonly settings: {
    readonly [
      name in
        | 'notifications.email_providers'
        | 'notifications.sms_providers'
        | 'notifications.vapid_private_key'
        | 'notifications.fcm_service_account'
    ]: string | null
  }
}

/**
 * Channels that have no provider. Their messages are skipped, so that none waits until it expires.
 */
export function unservedChannels({ settings, profile }: Given) {
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

export function adviceOnMail(kernel: Given): string[] {
  if (!unservedChannels(kernel).has('email')) return []
  return [
    'No mail is sent (NOTIFICATIONS_EMAIL_PROVIDERS=none): verifications, resets and invitations do not arrive, and are recorded as skipped with the reason no_provider.',
  ]
}

export function mailRelays(given: string | null) {
  return readRelays('NOTIFICATIONS_EMAIL_PROVIDERS', given, /^smtps?:$/)
}

export function smsVendors(given: string | null) {
  return readRelays('NOTIFICATIONS_SMS_PROVIDERS', given, /^https?:$/)
}

/** Who reports what became of messages. */
export function reportWebhooks(given: string | null) {
  return (given ?? '').split(',').flatMap(entry => {
    if (entry.trim() === '') return []
    const [, name = '', scheme, secret = ''] =
      /^\s*([a-z0-9_]{1,40})=(standard|twilio):(\S+)\s*$/.exec(entry) ?? []
    if (scheme === 'twilio' || (scheme === 'standard' && parseStandardSecret(secret))) {
      return [{ name, scheme, secret }]
    }
    throw new StartError(
      'NOTIFICATIONS_OUTCOME_WEBHOOKS is not understood. Write name=standard:whsec_… or name=twilio:<token>, several separated by commas.',
    )
  })
}

/** `given` is the account as JSON, or the path of a file with it. */
export function readServiceAccount(given: string): ServiceAccount {
  let account: unknown
  try {
    // oxlint-disable-next-line node/no-sync -- one small file, once
    account = JSON.parse(given.trimStart().startsWith('{') ? given : readFileSync(given, 'utf8'))
  } catch (cause) {
    throw new StartError('NOTIFICATIONS_FCM_SERVICE_ACCOUNT is neither JSON nor a file of it.', {
      cause,
    })
  }
  if (Value.Check(ServiceAccount, account)) return account
  throw new StartError(
    'NOTIFICATIONS_FCM_SERVICE_ACCOUNT lacks project_id, client_email, private_key or token_uri.',
  )
}

function readRelays(variable: string, given: string | null, schemes: RegExp) {
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
