/**
 * Reads and validates an address: an email address, a number, or a device of a push service. A
 * person chose it, and the platform sends to it.
 */
import { problem } from '../errors.ts'
import { parseEmail, parsePhone, pushAddress, type Address } from '../addresses.ts'
import type { NewDestination } from './schemas.ts'

export type Named = {
  readonly address: Address
  readonly provider: string
  readonly country: string
}

const push_hosts = [
  'fcm.googleapis.com',
  '*.push.services.mozilla.com',
  '*.push.apple.com',
  '*.notify.windows.com',
]

export type PushHosts = { readonly hosts: readonly string[]; readonly sandbox: string | null }

export type Device = {
  readonly provider?: string | undefined
  readonly token?: string | undefined
  readonly subscription?: NewDestination['subscription'] | undefined
}
export type DeviceFault = 'provider' | 'endpoint' | 'host' | 'keys'

const device_faults = {
  provider: ['/provider', 'Give provider fcm with a token, or webpush with a subscription.'],
  endpoint: ['/subscription/endpoint', 'Give the endpoint as the browser gave it.'],
  keys: ['/subscription/keys', 'Give the keys as the browser gave them, in base64url.'],
} as const

export function readAddress(asked: NewDestination, allowed: PushHosts): Named {
  const { channel, address } = asked
  if (channel === 'email') {
    const found = parseEmail(address ?? '')
    if (found) return { address: found, provider: '', country: '' }
    throw invalid('/address', 'Give an address such as name@example.com.')
  }
  if (channel === 'sms') {
    const found = parsePhone(address ?? '')
    if (found) return { address: found, provider: '', country: found.country }
    throw invalid('/address', 'Give a number with its country code, such as +4930901820.')
  }
  const device = readDevice(asked, allowed)
  if (typeof device !== 'string') return device
  if (device !== 'host') throw invalid(device_faults[device][0], device_faults[device][1])
  throw problem('push_host_not_allowed', {
    detail: 'The endpoint is at none of the push services that this platform sends to.',
    errors: [{ location: 'body', pointer: '/subscription/endpoint', constraint: 'push_host' }],
  })
}

export function readDevice(device: Device, allowed: PushHosts): Named | DeviceFault {
  const { provider, token, subscription } = device
  if (provider === 'fcm' && token !== undefined && /^[\x21-\x7e]+$/.test(token)) {
    return { address: pushAddress('fcm', token, token), provider, country: '' }
  }
  if (provider !== 'webpush' || !subscription) return 'provider'
  const { endpoint, keys } = subscription
  const fault = faultOfEndpoint(endpoint, allowed)
  if (fault) return fault
  // An uncompressed point of P-256, and sixteen random bytes.
  const p256dh = Buffer.from(keys.p256dh, 'base64url')
  const auth = Buffer.from(keys.auth, 'base64url')
  if (p256dh.length !== 65 || p256dh[0] !== 4 || auth.length !== 16) return 'keys'
  const text = JSON.stringify({ endpoint, keys })
  return { address: pushAddress('webpush', text, endpoint), provider, country: '' }
}

function faultOfEndpoint(endpoint: string, { hosts, sandbox }: PushHosts): DeviceFault | null {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : null
  if (!url || url.username !== '' || url.password !== '') return 'endpoint'
  if (sandbox !== null && url.origin === new URL(sandbox).origin) return null
  const known = (hosts.length > 0 ? hosts : push_hosts).some(host =>
    host.startsWith('*.') ? url.hostname.endsWith(host.slice(1)) : url.hostname === host,
  )
  return known && url.protocol === 'https:' && url.port === '' ? null : 'host'
}

function invalid(pointer: string, detail: string) {
  return problem('invalid_destination', {
    detail,
    errors: [{ location: 'body', pointer, constraint: 'destination' }],
  })
}
