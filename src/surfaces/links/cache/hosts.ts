/**
 * Finds the domain of a host name. The platform's own hosts are configured. A custom host is valid
 * while its domain is active. Results are cached like links, and the same changes drop them. A host
 * is looked up by its normalized name, so that a caller cannot fill the memory with ports and
 * capital letters.
 */
import { Type, type Static } from 'typebox'
import { boundedCache, gather, sql } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import { plainHost, platform_domain_id, type PlatformDomain } from '../domains/platform.ts'

export type Host = {
  readonly domain_id: string
  readonly hostname: string
  /** Null on the platform's own hosts, because they do not serve links only. */
  readonly custom: { readonly root_url: string | null } | null
  /** The prefix of the cache keys of the host's links. */
  readonly prefix: string
  /** A monotonic time. */
  readonly until_ms: number
}

const Row = Type.Object({
  hostname: Type.String(),
  id: Type.String(),
  root_url: Type.Union([Type.String(), Type.Null()]),
})
type Row = Static<typeof Row>

const active_ms = 60_000
const unknown_ms = 5000
const spellings_max = 64
const shared = { flights_max: 2, items_max: 500 }

type Unknown = { readonly until_ms: number }

export class Hosts {
  private readonly kernel: Kernel
  private readonly isOutlasting: () => boolean
  private readonly platform: PlatformDomain
  private readonly own: Host
  private readonly spelled = new Map<string, Host>()
  private readonly active = boundedCache<Host>(20_000)
  private readonly unknown = boundedCache<Unknown>(20_000)
  private readonly read = gather<string, Host | null>(shared, names => this.readHosts(names))
  private drops = 0

  /** `isOutlasting`: a result may be used although it is old, because nothing newer can be read. */
  constructor(kernel: Kernel, platform: PlatformDomain, isOutlasting: () => boolean) {
    this.kernel = kernel
    this.isOutlasting = isOutlasting
    this.platform = platform
    this.own = {
      domain_id: platform_domain_id,
      hostname: platform.hostname,
      custom: null,
      prefix: prefixOf(platform_domain_id),
      until_ms: Infinity,
    }
  }

  /**
   * Null means that the host serves the API and no links. `unknown` means that no active domain had
   * this name at the look-up, so nothing is served. Undefined means that the name was not looked up
   * yet. Except for null and the platform's own hosts, a result is valid only while this process
   * holds the lease.
   */
  get(header: string): Host | 'unknown' | null | undefined {
    const spelled = this.spelled.get(header)
    if (spelled) return spelled
    const hostname = plainHost(header)
    if (this.platform.hosts.has(hostname)) {
      if (this.spelled.size < spellings_max) this.spelled.set(header, this.own)
      return this.own
    }
    if (!canBeCustom(hostname) || this.platform.owns(hostname)) return null
    const now_ms = performance.now()
    const active = this.active.get(hostname)
    if (active && (now_ms < active.until_ms || this.isOutlasting())) return active
    const unknown = this.unknown.get(hostname)
    return unknown && now_ms < unknown.until_ms ? 'unknown' : undefined
  }

  /** Queries the database. Simultaneous callers share one statement. */
  async find(header: string): Promise<Host | null> {
    const known = this.get(header)
    if (known !== undefined) return known === 'unknown' ? null : known
    const hostname = plainHost(header)
    for (;;) {
      const drops = this.drops
      const found = await this.read(hostname)
      // A domain changed during this read.
      if (drops !== this.drops) continue
      if (found) this.active.set(hostname, found)
      else this.unknown.set(hostname, { until_ms: performance.now() + unknown_ms })
      return found
    }
  }

  /** This domain has changed. A host that was unknown may belong to the domain now. */
  drop(domain_id: string): void {
    this.drops++
    this.unknown.clear()
    for (const [hostname, host] of this.active) {
      if (host.domain_id === domain_id) this.active.delete(hostname)
    }
  }

  clear(): void {
    this.drops++
    this.active.clear()
    this.unknown.clear()
  }

  private async readHosts(names: readonly string[]): Promise<(Host | null)[]> {
    const until_ms = performance.now() + active_ms
    const rows = await this.kernel.db.many(
      Row,
      sql`
        -- any tenant: a host name is one for all of them
        select hostname, id, root_url from links.domains
        where hostname = any(${names}::text[]) and state = 'active'`,
    )
    const found = new Map(rows.map(row => [row.hostname, hostOf(row, until_ms)]))
    return names.map(hostname => found.get(hostname) ?? null)
  }
}

function hostOf({ hostname, id, root_url }: Row, until_ms: number): Host {
  return { domain_id: id, hostname, custom: { root_url }, prefix: prefixOf(id), until_ms }
}

/**
 * The prefix of `/code` in the cache. It is empty for the platform's own hosts, so that a path is
 * its own key.
 */
export function prefixOf(domain_id: string): string {
  return domain_id === platform_domain_id ? '' : domain_id
}

/**
 * An IP address or a single label is never a link host. Health probes use such names, and they need
 * no query.
 */
function canBeCustom(hostname: string): boolean {
  if (hostname.length > 253 || !hostname.includes('.') || hostname.startsWith('[')) return false
  return !/^[\d.]+$/.test(hostname)
}
