/** The settings of notifications: name, default, unit and one sentence each. */
import { faultsIn, refusals, setting } from '#dodeca/kernel'
import type { Deployment, KernelOf, SettingTable } from '#dodeca/kernel'
import {
  mailRelays,
  readServiceAccount,
  reportWebhooks,
  smsVendors,
} from './providers/read-relays.ts'

// prettier-ignore
export const settings = {
  'notifications.email_providers': setting.secret('Mail relays in their order, as name=URL: relay1=smtps://user:password@host:465,relay2=smtp://…; none: no mail is sent. Production requires one of them'),
  'notifications.sms_providers': setting.secret('SMS vendors in their order, as name=URL: main=twilio+https://sid:token@api.twilio.com?from=+15550100'),
  'notifications.outcome_webhooks': setting.secret('Who reports what became of messages, as name=scheme:secret, such as relay1=standard:whsec_…'),
  'notifications.mail_from': setting.text('Sender of mails', 'Dodeca <no-reply@dodeca.localhost>'),
  'notifications.dkim_domain': setting.text('Domain that signs mails; none: mails are not signed', ''),
  'notifications.dkim_selector': setting.text('Selector of the DKIM key', 'dodeca'),
  'notifications.dkim_private_key': setting.secret('DKIM private key as PEM'),
  'notifications.vapid_subject': setting.text('Contact that push services see, as mailto: or https:', 'mailto:operator@dodeca.localhost'),
  'notifications.vapid_public_key': setting.optional('Public key of Web Push (VAPID)'),
  'notifications.vapid_private_key': setting.secret('Private key of Web Push (VAPID)'),
  'notifications.push_hosts': setting.list('Hosts of push services that browsers may name, *.example.com for all below it; none: those of the large browsers'),
  'notifications.fcm_service_account': setting.secret('Service account of Firebase as JSON, or the path of a file that holds it'),
  'notifications.fcm_base_url': setting.address('Address of FCM, where it is not https://fcm.googleapis.com'),
  'notifications.sms_countries': setting.list('Countries that verification codes are sent to by SMS (DE,FR); none: no codes by SMS'),
  'notifications.default_locale': setting.text('Language of people who named none', 'en'),
  'notifications.sender_enabled': setting.flag(true, 'Whether worker processes send notifications'),
  'notifications.in_flight': setting.count(256, 'messages', 'Messages under way in one process', 8, 10_000),
  'notifications.connections': setting.count(20, 'connections', 'Connections of one process to one provider', 1, 1000),
  'notifications.bulk_share': setting.count(0.7, 'share', 'Largest share of the connections that bulk messages take', 0.05, 0.95),
  'notifications.domain_per_second': setting.count(50, 'mails/s', 'Mails to one recipient domain in a second, over all processes', 0.1, 1e6),
  'notifications.tenant_per_second': setting.count(200, 'messages/s', 'Messages of one tenant in a second, over all processes; the critical lane and in-app do not count', 1, 1e6),
  'notifications.lease_seconds': setting.count(90, 's', 'How long a sender holds messages without a sign of life', 10, 900),
  'notifications.unknown_mail_seconds': setting.count(900, 's', 'Wait for a report on a mail whose sending ended in doubt', 1, 86_400),
  'notifications.unknown_other_seconds': setting.count(300, 's', 'Wait for a report on another message whose sending ended in doubt', 1, 86_400),
  'notifications.schedule_max_seconds': setting.count(90 * 86_400, 's', 'How far ahead a notification may be scheduled', 60),
  'notifications.data_bytes': setting.count(64 * 1024, 'bytes', 'Largest data of one notification', 1024, 1024 * 1024),
  'notifications.batch_recipients': setting.count(100_000, 'recipients', 'Recipients of one batch', 1, 1_000_000),
  'notifications.batch_bytes': setting.count(64 * 1024 * 1024, 'bytes', 'Largest body of one batch', 1024 * 1024, 2 ** 30),
  'notifications.destinations_per_user': setting.count(20, 'destinations', 'Destinations of one user and channel', 1, 1000),
  'notifications.codes_per_day': setting.count(5, 'codes', 'Verification codes of one account in a day', 1, 1000),
  'notifications.codes_per_destination_per_day': setting.count(3, 'codes', 'Verification codes to one address in a day, over all tenants', 1, 1000),
  'notifications.codes_per_tenant_per_hour': setting.count(100, 'codes', 'Verification codes of one tenant in an hour', 1, 100_000),
  'notifications.streams_per_user': setting.count(4, 'streams', 'Open inbox streams of one user in one process; a fifth closes the oldest', 1, 100),
  'notifications.inputs_retention_days': setting.count(30, 'days', 'How long the data of notifications is kept', 1, 3650),
  'notifications.intents_retention_days': setting.count(180, 'days', 'How long notifications and their attempts are kept', 7, 3650),
  'notifications.provider_events_retention_days': setting.count(400, 'days', 'How long reports of providers are remembered', 30, 3650),
  'notifications.inbox_retention_days': setting.count(90, 'days', 'How long items of the in-app inbox are kept', 1, 3650),
} as const satisfies SettingTable

/** The kernel as this surface sees it: with the kernel's settings and its own. */
export type Kernel = KernelOf<typeof settings>

/** Returns a sentence for each value and each combination of settings that cannot work. */
export function settingFaults(
  settings: Kernel['settings'],
  { profile }: Pick<Deployment, 'profile'>,
): string[] {
  const mail = settings['notifications.email_providers']
  const production = profile === 'production'
  const rules = faultsIn([
    // Without a relay people would wait for mails that never arrive.
    [
      production && mail === null,
      'Production requires a mail server: set NOTIFICATIONS_EMAIL_PROVIDERS=relay=smtps://user:password@host:465, or NOTIFICATIONS_EMAIL_PROVIDERS=none to send no mail.',
    ],
    // The defaults are addresses for development. Real mailboxes and push services refuse them.
    [
      production &&
        mail !== null &&
        mail !== 'none' &&
        isLocal(settings['notifications.mail_from']),
      'Production requires the sender of its mails: set NOTIFICATIONS_MAIL_FROM="Example <no-reply@example.com>", an address that the mail server may send from.',
    ],
    [
      production &&
        settings['notifications.vapid_private_key'] !== null &&
        isLocal(settings['notifications.vapid_subject']),
      'Web Push requires a contact: set NOTIFICATIONS_VAPID_SUBJECT=mailto:operator@example.com, or an https address.',
    ],
  ])
  const fcm = settings['notifications.fcm_service_account']
  const read = refusals({
    NOTIFICATIONS_EMAIL_PROVIDERS: () => mailRelays(mail),
    NOTIFICATIONS_SMS_PROVIDERS: () => smsVendors(settings['notifications.sms_providers']),
    NOTIFICATIONS_FCM_SERVICE_ACCOUNT: () => fcm !== null && readServiceAccount(fcm),
    NOTIFICATIONS_OUTCOME_WEBHOOKS: () =>
      reportWebhooks(settings['notifications.outcome_webhooks']),
  })
  return [...rules, ...read]
}

const isLocal = (address: string) => /[@/.]localhost\b/.test(address)
