/**
 * Resolves names with our own DNS client: not with the system's resolver, whose few threads one
 * slow zone can block, nor with its hosts file. Every result is the whole set of A and AAAA
 * records. Nothing is cached here, so that a caller always checks the current state; simultaneous
 * look-ups of one name share one query.
 */
import { promises as dns } from 'node:dns'
import { isIP } from 'node:net'

export type Resolver = {
  /** Returns at least one address, IPv4 first; otherwise throws the error of the DNS. */
  addressesOf(host: string): Promise<readonly string[]>
  close(): void
}

/** The limit of one query to one server; there are two. The caller's own limit may be shorter. */
const try_ms = 1000
const tries = 2

export function openResolver(options: { servers: readonly string[] }): Resolver {
  const client = new dns.Resolver({ timeout: try_ms, tries })
  if (options.servers.length > 0) client.setServers(options.servers)
  const running = new Map<string, Promise<readonly string[]>>()
  return {
    addressesOf: async host => {
      if (isIP(host) !== 0) return [host]
      // RFC 6761: never sent to a server, which could return anything.
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
  // It is normal that one family has no records; the error of the other one is reported.
  const refusals = [ipv4, ipv6].flatMap(one =>
    one.status === 'rejected' ? [one.reason as NodeJS.ErrnoException] : [],
  )
  const telling = refusals.find(({ code }) => code !== 'ENODATA')
  throw telling ?? refusals[0] ?? new Error(`${host} has no address`)
}
