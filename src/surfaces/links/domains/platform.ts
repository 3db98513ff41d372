/**
 * The platform's own host as a domain of links. It has no owner and no row. Its id is fixed, its
 * names are configured, and it cannot be claimed, suspended or removed.
 */
import type { Kernel } from '../settings.ts'

export const platform_domain_id = '01900000-0000-7000-8000-00000000000a'

export type PlatformDomain = {
  /** The host in short URLs. */
  readonly hostname: string
  /** Every host that serves the platform's links, without a port. */
  readonly hosts: ReadonlySet<string>
  /**
   * Returns whether the host is a platform host or a name below a platform host. Such a host cannot
   * be claimed.
   */
  owns(hostname: string): boolean
  shortUrl(code: string): string
}

const loopback = ['localhost', '127.0.0.1', '[::1]']

export function openPlatformDomain({
  public_url,
  settings,
  profile,
}: Pick<Kernel, 'public_url' | 'settings' | 'profile'>): PlatformDomain {
  const own = new URL(public_url)
  const configured = settings['links.short_hosts'].map(plainHost)
  const [first] = configured
  const base = first === undefined ? public_url : `${own.protocol}//${first}`
  const hosts = new Set([
    own.hostname,
    ...configured,
    // Developers reach the same machine by several names.
    ...(profile === 'development' ? loopback : []),
  ])
  return {
    hostname: first ?? own.hostname,
    hosts,
    owns: hostname => hosts.has(hostname) || [...hosts].some(host => hostname.endsWith(`.${host}`)),
    shortUrl: code => `${base}/${code}`,
  }
}

/** The name in lower case. A Host header may add a port and a trailing dot, which are removed. */
export function plainHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/:\d{1,5}$/, '')
    .replace(/\.$/, '')
}
