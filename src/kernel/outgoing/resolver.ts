/**
 * Names to addresses, by our own DNS client: not the system's resolver, whose few threads one slow zone
 * can occupy, nor its hosts file. Every answer is the whole set of A and AAAA records; nothing is cached
 * here, so that a caller always judges what is true now, and look-ups of one name at one time share one query.
 */
import { promises as dns } from 'node:dns'
import { isIP } from 'node:net'

export type Resolver = {
  /** At least one address, IPv4 first; the error of the DNS otherwise. */
  addressesOf(host: string): Promise<readonly string[]>
  close(): void
}

/** Of one query to one server; there are two. The caller's own limit may be shorter. */
const try_ms = 1000
const tries = 2

export function openResolver(options: { servers: readonly string[] }): Resolver {
  const client = new dns.Resolver({ timeout: try_ms, tries })
  if (options.servers.length > 0) client.setServers(options.servers)
  const running = new Map<string, Promise<readonly string[]>>()
  return {
    addressesOf: async host => {
      if (isIP(host) !== 0) return [host]
      // RFC 6761: never asked of a server, which could say anything.
      if (host === 'localhost' || host.endsWith('.localhost')) return ['127.0.0.1']
      const shared = running.get(host)
      if (shared) return shared
      const query = bothFamilies(client, host).finally(() => running.delete(host))
      running.set(host, query)
      return query
    },
    close: () => client.cancel(),
  }
}

async function bothFamilies(client: dns.Resolver, host: string): Promise<readonly string[]> {
  const [ipv4, ipv6] = await Promise.allSettled([client.resolve4(host), client.resolve6(host)])
  const found = [ipv4, ipv6].flatMap(one => (one.status === 'fulfilled' ? one.value : []))
  if (found.length > 0) return found
  // One family without records is ordinary: the other's error is the one that tells something.
  const refusals = [ipv4, ipv6].flatMap(one =>
    one.status === 'rejected' ? [one.reason as NodeJS.ErrnoException] : [],
  )
  const telling = refusals.find(({ code }) => code !== 'ENODATA')
  throw telling ?? refusals[0] ?? new Error(`${host} has no address`)
}
