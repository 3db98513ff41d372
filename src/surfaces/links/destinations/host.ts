/** What can be said of a host name by itself: its public suffix, and the spelling that prefixes search. */
import { parse } from 'tldts'

const label = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/

// On the list, and yet no part of the public web: into somebody's house, and into another network.
const special = /\.(?:arpa|onion)$/

/** A name below a public suffix of the ICANN section, or below a suffix that the deployment added. */
export function hasPublicSuffix(hostname: string, extra_suffixes: readonly string[]): boolean {
  if (hostname.length > 253 || !hostname.split('.').every(one => label.test(one))) return false
  if (extra_suffixes.some(suffix => hostname.endsWith(`.${suffix}`))) return true
  const { domain, isIcann } = parse(hostname, { extractHostname: false })
  return domain !== null && isIcann === true && !special.test(hostname)
}

/** The name that somebody registered, without its suffix: `example` of `www.example.co.uk`. */
export function registeredLabel(hostname: string): string {
  return parse(hostname, { extractHostname: false }).domainWithoutSuffix ?? ''
}

/** `www.example.com` → `com.example.www.`; an address stays as it is. */
export function reversedHost(hostname: string): string {
  if (hostname.startsWith('[') || /^[\d.]+$/.test(hostname)) return `${hostname}.`
  return `${hostname.split('.').reverse().join('.')}.`
}

/** The reversed names of a host and of everything that it is below. */
export function reversedParents(reversed_host: string): string[] {
  const labels = reversed_host.split('.').slice(0, -1)
  return labels.map((_label, at) => `${labels.slice(0, at + 1).join('.')}.`)
}

export function hostOf(reversed_host: string): string {
  if (reversed_host.startsWith('[') || /^[\d.]+$/.test(reversed_host)) {
    return reversed_host.slice(0, -1)
  }
  return reversed_host.split('.').slice(0, -1).reverse().join('.')
}
