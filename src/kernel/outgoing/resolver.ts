/**
 * Resolves names with our own DNS client. It does not use the system's resolver, because one slow
 * zone can block its few threads. It does not read the hosts file. Every result is the whole set of
 * A and AAAA records. Nothing is cached here, so that a caller always checks the current state.
 * Simultaneous look-ups of one name share one query.
 */
import { promises as dns } from 'node:dns'
import { isIP } from 'node:net'
import { StartError } from '../errors/start-error.ts'

export type Resolver = {
  /** Returns at least one address, IPv4 first. Otherwise it throws the DNS error. */
  addressesOf(host: string): Promise<readonly string[]>
  close(): void
}

/**
 * The limit of one query to one server. We try two servers. The caller's own limit may be shorter.
 */
const try_ms = 1000
const tries = 2

/** Throws if a DNS server of the settings is not an address. */
export function checkServers(servers: readonly string[]): void {
  try {
    new dns.Resolver().setServers(servers)
  } catch (error) {
    throw new StartError(`Write addresses such as 9.9.9.9 or 127.0.0.1:5353 (${String(error)}).`)
  }
}

export function openResolver(options: { servers: readonly string[] }): Resolver {
  const client = new dns.Resolver({ timeout: try_ms, tries })
  if (options.servers.length > 0) client.setServers(options.servers)
  const running = new Map<string, Promise<readonly string[]>>()
  return {
    addressesOf: async host => {
      if (isIP(host) !== 0) return [host]
      // These names (RFC 6761) are never sent to a server, because a server could return any
      // address for them.
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
  // It is normal that one family has no records. In that case the error of the other family is
  // reported.
  const refusals = [ipv4, ipv6].flatMap(one =>
    one.status === 'rejected' ? [one.reason as NodeJS.ErrnoException] : [],
  )
  const telling = refusals.find(({ code }) => code !== 'ENODATA')
  throw telling ?? refusals[0] ?? new Error(`${host} has no address`)
}
