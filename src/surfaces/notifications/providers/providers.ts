/**
 * The providers of this deployment, for each channel and in their order. The settings define them.
 * In development they are the sandbox's providers. Their addresses are read again each time,
 * because the sandbox may have restarted.
 */
import { createECDH } from 'node:crypto'
import { openOutsideWorld, openSafeFetch, type Addresses } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import { mailRelays, readServiceAccount, smsVendors } from './read-relays.ts'
import { openBreaker, type Breaker } from './breaker.ts'
import { openFcm } from './fcm.ts'
import type { Provider } from './outcome.ts'
import { openTwilio } from './twilio.ts'
import { openWebPush, type Vapid } from './web-push.ts'

export type Offered = { readonly provider: Provider; readonly breaker: Breaker }

export type Providers = {
  /** In their order. `reaches` is the kind of device for push, else empty. */
  for(channel: string, reaches: string): Promise<readonly Offered[]>
  /** The public key with which browsers subscribe, or null. */
  readonly push_key: string | null
  close(): Promise<void>
}

const again_ms = 5000

export function openProviders(kernel: Kernel): Providers {
  const sandboxed = kernel.profile === 'development'
  const outside = openOutsideWorld(kernel.data_dir)
  const vapid = vapidOf(kernel)
  let made: { key: string; at: number; all: readonly Offered[] } | null = null
  let making: Promise<readonly Offered[]> | null = null
  const make = async () => {
    const addresses = sandboxed ? await outside.addresses() : null
    const key = JSON.stringify(addresses)
    if (made?.key === key) {
      made.at = performance.now()
      return made.all
    }
    const before = made?.all ?? []
    const all = (await allOf(kernel, vapid, addresses)).map(provider => ({
      provider,
      breaker: openBreaker(provider, kernel),
    }))
    made = { key, at: performance.now(), all }
    for (const { provider } of before) await provider.close()
    return all
  }
  const current = async () => {
    const fresh = made && (!sandboxed || performance.now() - made.at < again_ms)
    if (made && fresh) return made.all
    return (making ??= make().finally(() => {
      making = null
    }))
  }
  return {
    push_key: vapid?.publicKey ?? null,
    for: async (channel, reaches) =>
      (await current()).filter(
        ({ provider }) => provider.channel === channel && provider.reaches === reaches,
      ),
    close: async () => {
      for (const { provider } of made?.all ?? []) await provider.close()
    },
  }
}

async function allOf(
  kernel: Kernel,
  vapid: Vapid | null,
  sandbox: Addresses | null,
): Promise<Provider[]> {
  const { settings, public_url } = kernel
  const connections = settings['notifications.connections']
  const host = new URL(public_url).hostname
  const from = settings['notifications.mail_from']
  const dkim = dkimOf(kernel)
  const mail = settings['notifications.email_providers'] ?? sandboxMail(sandbox)
  const sms = settings['notifications.sms_providers'] ?? sandboxSms(sandbox)
  const fcm = fcmOf(kernel, sandbox)
  const openSmtp = await smtpOpener()
  const push_place = sandbox?.['push']?.['api']
  return [
    ...mailRelays(mail).map(({ name, url }) =>
      openSmtp({ name, url, from, host, connections, dkim }),
    ),
    ...smsVendors(sms).map(({ name, url }) => openTwilio({ name, url, public_url, connections })),
    ...(vapid
      ? [openWebPush({ name: 'webpush', vapid, connections, fetch: pushFetch(push_place) })]
      : []),
    ...(fcm ? [openFcm({ ...fcm, name: 'fcm', connections })] : []),
  ]
}

/** nodemailer takes 5 MB. It is loaded when the first message is sent. */
async function smtpOpener() {
  return (await import('./smtp.ts')).openSmtp
}

/** On this machine, only the push service of the sandbox may be reached. */
function pushFetch(place: string | undefined) {
  if (place === undefined) return openSafeFetch({ ports: [443], schemes: ['https:'] })
  const { host, port } = new URL(place)
  return openSafeFetch({
    ports: [443, [Number(port), Number(port)]],
    allow: [host],
    schemes: ['https:', 'http:'],
  })
}

function sandboxMail(sandbox: Addresses | null): string | null {
  const { smtp, smtp2 } = sandbox?.['mail'] ?? {}
  return smtp && smtp2 ? `dev_mail=${smtp},dev_mail2=${smtp2}` : null
}

function sandboxSms(sandbox: Addresses | null): string | null {
  const { dev_sms, dev_sms2 } = sandbox?.['sms'] ?? {}
  return dev_sms && dev_sms2 ? `dev_sms=${dev_sms},dev_sms2=${dev_sms2}` : null
}

function dkimOf({ settings }: Kernel) {
  const privateKey = settings['notifications.dkim_private_key']
  const domainName = settings['notifications.dkim_domain']
  if (!privateKey || domainName === '') return null
  const keySelector = settings['notifications.dkim_selector']
  return { domainName, keySelector, privateKey: privateKey.replaceAll('\\n', '\n') }
}

function fcmOf({ settings }: Kernel, sandbox: Addresses | null) {
  const given = settings['notifications.fcm_service_account'] ?? sandbox?.['push']?.['fcm_account']
  if (!given) return null
  const base_url =
    settings['notifications.fcm_base_url'] ??
    sandbox?.['push']?.['fcm'] ??
    'https://fcm.googleapis.com'
  return { account: readServiceAccount(given), base_url }
}

/** In development the keys are derived from the keyring, so they stay the same without settings. */
function vapidOf({ settings, profile, keys }: Kernel): Vapid | null {
  const subject = settings['notifications.vapid_subject']
  const publicKey = settings['notifications.vapid_public_key']
  const privateKey = settings['notifications.vapid_private_key']
  if (publicKey && privateKey) return { subject, publicKey, privateKey }
  if (profile !== 'development') return null
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(keys.mac('notifications.vapid', Buffer.from('development')))
  return {
    subject,
    publicKey: pair.getPublicKey('base64url'),
    privateKey: pair.getPrivateKey('base64url'),
  }
}
