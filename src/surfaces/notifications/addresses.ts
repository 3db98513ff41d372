/**
 * Normalizes, compares and masks addresses of people. All spellings of one address have the same
 * hash. The hash is keyed by the tenant, so that it has no meaning in another tenant. A message is
 * sent to the address in its original spelling. Only the hash uses the lower-cased form.
 */
import { createRequire } from 'node:module'
import { domainToASCII } from 'node:url'
import type * as PhoneNumbers from 'google-libphonenumber'
import type { Keyring } from '#dodeca/kernel'

const require = createRequire(import.meta.url)

export type OutsideChannel = 'email' | 'sms' | 'push'

export type Address = {
  readonly channel: OutsideChannel
  /** The address that messages are sent to; for a browser, its subscription as JSON. */
  readonly address: string
  /** The normalized form, equal for all spellings. */
  readonly normalized: string
  readonly masked: string
}

const mailbox =
  /^([^\s@<>()[\]\\,;:"\p{Cc}\p{Cf}\p{Zl}\p{Zp}]{1,64})@([^\s@\p{Cc}\p{Zl}\p{Zp}]{1,253})$/u

/** Only lower-case letters and dots: `domainToASCII` would not change it. */
const plain_domain = /^[a-z]+(\.[a-z]+)+$/

/** Returns null if it is not an email address. */
export function parseEmail(text: string): Address | null {
  const [, local = '', domain = ''] = mailbox.exec(text.trim().normalize('NFC')) ?? []
  const ascii = plain_domain.test(domain) ? domain : domainToASCII(domain)
  const fits = local !== '' && /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(ascii) && ascii.length <= 253
  if (!fits || local.startsWith('.') || local.endsWith('.')) return null
  const address = `${local}@${ascii}`
  if (address.length > 320) return null
  return {
    channel: 'email',
    address,
    normalized: `${local.toLowerCase()}@${ascii}`,
    masked: `${Array.from(local)[0]}***@${ascii}`,
  }
}

/** Returns the number in E.164; null if it is not a number with a country code. */
export function parsePhone(text: string): (Address & { country: string }) | null {
  const { PhoneNumberUtil, PhoneNumberFormat } = phoneNumbers()
  const plans = PhoneNumberUtil.getInstance()
  const phone = parsed(plans, text)
  if (!phone || plans.isPossibleNumberWithReason(phone) !== is_possible) return null
  const number = plans.format(phone, PhoneNumberFormat.E164)
  if (!/^\+\d{6,15}$/.test(number)) return null
  const region: string | undefined = plans.getRegionCodeForNumber(phone)
  const country = region && region !== no_country ? region : ''
  return {
    channel: 'sms',
    address: number,
    normalized: number,
    masked: `${number.slice(0, 3)}***${number.slice(-2)}`,
    country,
  }
}

/** Google's `IS_POSSIBLE`. A number that is possible only without its area code has another value. */
const is_possible = 0
/** The region of numbers that belong to no country, such as +800. */
const no_country = '001'

function parsed(plans: PhoneNumbers.PhoneNumberUtil, text: string) {
  try {
    return plans.parse(text)
  } catch {
    return null
  }
}

/** The numbering plans of all countries take 6 MB. They are loaded at the first phone number. */
function phoneNumbers(): typeof PhoneNumbers {
  return require('google-libphonenumber') as typeof PhoneNumbers
}

/** A device token, or the subscription of a browser. The endpoint identifies a subscription. */
export function pushAddress(provider: 'fcm' | 'webpush', address: string, id: string): Address {
  return {
    channel: 'push',
    address,
    normalized: `${provider}:${id}`,
    masked: `${provider} …${id.slice(-4)}`,
  }
}

export function destinationHash(
  keys: Pick<Keyring, 'fingerprint'>,
  tenant_id: string,
  { channel, normalized }: Pick<Address, 'channel' | 'normalized'>,
): Buffer {
  return keys.fingerprint('notifications.destinations', `${tenant_id}\n${channel}\n${normalized}`)
}

export function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1)
}
