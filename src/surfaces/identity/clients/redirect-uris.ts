/**
 * Where an application may lead people back. The code of a log-in is sent there, so it is an https
 * address. An application on the device of a person may also name this device, or a scheme of its
 * own (RFC 8252). In development every application may run on this machine.
 */
import type { Deployment } from '#dodeca/kernel'

type Profile = Deployment['profile']

/** It has the name of a domain in reverse, so that no two applications have the same. */
const own_scheme = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/
const loopback_hosts = ['localhost', '127.0.0.1', '[::1]']

/** What is wrong with it; null if nothing is. */
export function redirectFault(
  uri: string,
  type: 'web' | 'spa' | 'native',
  profile: Profile,
): string | null {
  const url = URL.parse(uri)
  if (!url) return 'is not an absolute URI'
  if (/[\s*\\]/.test(uri)) return 'has a wildcard, a space or a backslash'
  if (/[^\x21-\x7e]/.test(uri)) return 'has a character that is not ASCII. Write it encoded'
  if (uri.includes('#')) return 'has a fragment'
  if (url.username || url.password) return 'has a user name or a password'
  if (url.protocol === 'https:') return null
  if (isLoopbackRedirect(uri) && (type === 'native' || profile === 'development')) return null
  if (type !== 'native') return 'is not an https address'
  if (url.protocol === 'http:') return 'leads by http to another device'
  return own_scheme.test(url.protocol) ? null : 'has a scheme that is not like com.example.app:'
}

/** The port of such an address is chosen when the application starts. */
export function isLoopbackRedirect(uri: string): boolean {
  const url = URL.parse(uri)
  return url?.protocol === 'http:' && loopback_hosts.includes(url.hostname)
}
