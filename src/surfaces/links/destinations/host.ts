/**
 * Properties of a host name itself: its public suffix, and the reversed spelling for searches by
 * prefix.
 */
import { publicSuffixes } from '#dodeca/kernel'

const label = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/

// Suffixes of the list that do not belong to the public web, such as those of home networks.
const special = /\.(?:arpa|onion)$/

/**
 * Returns whether the host is a name below a public suffix of the ICANN section, or below a suffix
 * that the deployment added.
 */
export function hasPublicSuffix(hostname: string, extra_suffixes: readonly string[]): boolean {
  if (hostname.length > 253 || !hostname.split('.').every(one => label.test(one))) return false
  if (extra_suffixes.some(suffix => hostname.endsWith(`.${suffix}`))) return true
  const { domain, isIcann } = publicSuffixes().parse(hostname, { extractHostname: false })
  return domain !== null && isIcann === true && !special.test(hostname)
}

/** The registered name without its suffix: `example` of `www.example.co.uk`. */
export function registeredLabel(hostname: string): string {
  return publicSuffixes().parse(hostname, { extractHostname: false }).domainWithoutSuffix ?? ''
}

/** `www.example.com` → `com.example.www.`. An IP address is not changed. */
export function reversedHost(hostname: string): string {
  if (hostname.startsWith('[') || /^[\d.]+$/.test(hostname)) return `${hostname}.`
  return `${hostname.split('.').reverse().join('.')}.`
}

/** The reversed names of a host and of all its parent domains. */
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
