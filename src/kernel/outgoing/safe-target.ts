/**
 * Checks a URL from a user before anything is sent: scheme, credentials, port, name and every
 * address behind the name. WHATWG parsing turns decimal, octal, hexadecimal and short forms of an
 * IPv4 address into one form, and we check that form.
 */
import { isIP } from 'node:net'
import type { AddressRules } from './allowed-addresses.ts'

export type SafeTarget = {
  readonly url: URL
  readonly secure: boolean
  /** Lower case, ASCII, without brackets and trailing dot. */
  readonly host: string
  readonly port: number
  readonly is_literal: boolean
}

export type TargetRefusal =
  'invalid_url' | 'blocked_scheme' | 'blocked_credentials' | 'blocked_port' | 'blocked_host'

export type Scheme = 'https:' | 'http:'

const longest_url = 8192
const longest_host = 253
const longest_label = 63
/** Names that have a meaning only inside a network. */
const inner_names = ['.local', '.internal', '.home.arpa']

export function parseTarget(
  given: string,
  base: URL | null,
  rules: AddressRules,
  schemes: readonly Scheme[],
): SafeTarget | TargetRefusal {
  const url = given.length <= longest_url ? URL.parse(given, base?.href) : null
  if (!url) return 'invalid_url'
  const secure = url.protocol === 'https:'
  if (!schemes.some(scheme => scheme === url.protocol)) return 'blocked_scheme'
  if (url.username !== '' || url.password !== '') return 'blocked_credentials'
  const host = url.hostname.replaceAll(/^\[|\]$|\.$/g, '')
  const is_literal = isIP(host) !== 0
  if (!is_literal && !isName(host)) return 'invalid_url'
  const port = Number(url.port || (secure ? 443 : 80))
  if (!rules.portMayBeUsed(port)) return 'blocked_port'
  const inner = inner_names.some(ending => host.endsWith(ending))
  if (inner && !rules.opensName(host)) return 'blocked_host'
  return { url, secure, host, port, is_literal }
}

function isName(host: string): boolean {
  const labels = host.split('.')
  return (
    host.length <= longest_host &&
    labels.every(label => label.length > 0 && label.length <= longest_label)
  )
}

/**
 * Every address of the name must be allowed, because the next attempt could connect to any of them.
 */
export function judgeAll(
  rules: Pick<AddressRules, 'check'>,
  addresses: readonly string[],
  port: number,
): 'ok' | 'blocked_address' | 'blocked_port' {
  for (const address of addresses) {
    const verdict = rules.check(address, port)
    if (verdict !== 'ok') return verdict
  }
  return addresses.length > 0 ? 'ok' : 'blocked_address'
}

export function originOf({ secure, host, port }: SafeTarget): string {
  const name = isIP(host) === 6 ? `[${host}]` : host
  return `${secure ? 'https' : 'http'}://${name}:${port}`
}
