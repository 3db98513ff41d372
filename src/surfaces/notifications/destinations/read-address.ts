/**
 * Reads and validates the address in a request: an email address, a number, or a device of a push
 * service.
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

export function readAddress(
  asked: NewDestination,
  allowed: { readonly hosts: readonly string[]; readonly sandbox: string | null },
): Named {
  const { channel, address, provider, token, subscription } = asked
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
  if (provider === 'fcm' && token !== undefined && /^[\x21-\x7e]+$/.test(token)) {
    return { address: pushAddress('fcm', token, token), provider, country: '' }
  }
  if (provider !== 'webpush' || !subscription) {
    throw invalid('/provider', 'Give provider fcm with a token, or webpush with a subscription.')
  }
  const { endpoint, keys } = subscription
  checkHost(endpoint, allowed)
  // An uncompressed point of P-256, and sixteen random bytes.
  const p256dh = Buffer.from(keys.p256dh, 'base64url')
  const auth = Buffer.from(keys.auth, 'base64url')
  if (p256dh.length !== 65 || p256dh[0] !== 4 || auth.length !== 16) {
    throw invalid('/subscription/keys', 'Give the keys as the browser gave them, in base64url.')
  }
  const text = JSON.stringify({ endpoint, keys })
  return { address: pushAddress('webpush', text, endpoint), provider, country: '' }
}

function checkHost(
  endpoint: string,
  { hosts, sandbox }: { readonly hosts: readonly string[]; readonly sandbox: string | null },
): void {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : null
  if (!url || url.username !== '' || url.password !== '') {
    throw invalid('/subscription/endpoint', 'Give the endpoint as the browser gave it.')
  }
  if (sandbox !== null && url.origin === new URL(sandbox).origin) return
  const known = (hosts.length > 0 ? hosts : push_hosts).some(host =>
    host.startsWith('*.') ? url.hostname.endsWith(host.slice(1)) : url.hostname === host,
  )
  if (known && url.protocol === 'https:' && url.port === '') return
  throw problem('push_host_not_allowed', {
    detail: 'The endpoint is at none of the push services that this platform sends to.',
    errors: [{ location: 'body', pointer: '/subscription/endpoint', constraint: 'push_host' }],
  })
}

function invalid(pointer: string, detail: string) {
  return problem('invalid_destination', {
    detail,
    errors: [{ location: 'body', pointer, constraint: 'destination' }],
  })
}
