/**
 * Finds the address of the caller. Usually this is the address of the socket's peer. If the peer is
 * one of our own proxies, it is the last address in X-Forwarded-For that is not one of our proxies.
 * The header is ignored when any other peer sends it.
 */
import { BlockList, isIP } from 'node:net'
import { StartError } from '../errors/start-error.ts'

export type ClientAddress = (peer: string, forwarded: string | string[] | undefined) => string

/** Whether a peer is one of our own proxies. Only their forwarding headers are trusted. */
export function proxyCheck(trusted: readonly string[]): (peer: string) => boolean {
  const proxies = new BlockList()
  for (const entry of trusted) {
    const [, address = '', prefix] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(entry) ?? []
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    const bits = family === 'ipv6' ? 128 : 32
    if (isIP(address) === 0 || Number(prefix ?? 0) > bits) throw unusable(entry)
    proxies.addSubnet(address, Number(prefix ?? bits), family)
  }
  return peer => {
    const address = plain(peer)
    return proxies.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
  }
}

function unusable(entry: string): StartError {
  return new StartError(
    `"${entry}" in KERNEL_TRUSTED_PROXIES is not an address. Write 10.0.0.5, or a net such as 10.0.0.0/24 or fd00::/8.`,
  )
}

export function clientAddress(trusted: readonly string[]): ClientAddress {
  const isOurs = proxyCheck(trusted)
  return (peer, forwarded) => {
    const direct = plain(peer)
    if (trusted.length === 0 || forwarded === undefined || !isOurs(direct)) return direct
    const hops = (Array.isArray(forwarded) ? forwarded.join(',') : forwarded)
      .split(',')
      .map(hop => plain(hop.trim()))
    let last = direct
    while (hops.length > 0 && isOurs(last)) {
      const hop = hops.pop() ?? ''
      if (isIP(hop) === 0) break
      last = hop
    }
    return last
  }
}

/** `::ffff:127.0.0.1` becomes 127.0.0.1, so that one caller has one bucket. */
function plain(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address
}
