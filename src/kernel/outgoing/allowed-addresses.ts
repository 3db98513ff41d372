/**
 * Decides which addresses may be reached on behalf of a user: globally routable unicast and nothing
 * else, for both IPv4 and IPv6. For IPv6 the allowed range is 2000::/3 minus its special nets. So
 * loopback, private, link-local, mapped, translated and future ranges are refused without being
 * listed. A deployment may allow exact `address:port` pairs, whole nets, and names of its own
 * network.
 */
import { BlockList, isIP, SocketAddress } from 'node:net'
import { StartError } from '../errors/start-error.ts'

export type Port = number | readonly [from: number, to: number]

export type AddressRules = {
  check(address: string, port: number): 'ok' | 'blocked_address' | 'blocked_port'
  /**
   * Returns false for a port that no allowed address could have, so that we need not resolve the
   * name.
   */
  portMayBeUsed(port: number): boolean
  /**
   * A name that has a meaning only inside a network is used only if it is listed. Its addresses are
   * checked too.
   */
  opensName(host: string): boolean
}

type Net = readonly [network: string, prefix: number]

const special_ipv4: readonly Net[] = [
  ['0.0.0.0', 8], // this host
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // carrier-grade NAT
  ['127.0.0.0', 8], // loopback
  ['168.63.129.16', 32], // platform endpoint of a large cloud, reachable from its virtual machines
  ['169.254.0.0', 16], // link-local, metadata
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments, metadata
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarking
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
]

const special_ipv6: readonly Net[] = [
  ['2001::', 23], // protocol assignments: Teredo, ORCHID, benchmarking
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4
  ['3fff::', 20], // documentation
]

// There is one list for each family. A list with rules of both families would match mapped
// addresses of the other family.
const refused_ipv4 = listOf('ipv4', special_ipv4)
const refused_ipv6 = listOf('ipv6', special_ipv6)
const global_ipv6 = listOf('ipv6', [['2000::', 3]])

export function openAddressRules(options: {
  ports: readonly Port[]
  /** `127.0.0.1:8080`, `[::1]:8080`, `10.1.0.0/16`, `fd00::/8`, `hooks.corp.internal`, `.build.local`. */
  allow: readonly string[]
}): AddressRules {
  const pairs = new Set<string>()
  const pair_ports = new Set<number>()
  const nets = { ipv4: new BlockList(), ipv6: new BlockList() }
  const names: string[] = []
  for (const entry of options.allow) {
    const allowed = parseAllowed(entry)
    if ('name' in allowed) names.push(allowed.name)
    else if ('port' in allowed) {
      pairs.add(pairOf(allowed.address, allowed.port))
      pair_ports.add(allowed.port)
    } else {
      nets[allowed.family].addSubnet(allowed.network, allowed.prefix, allowed.family)
    }
  }
  const isOpen = (port: number) =>
    options.ports.some(one =>
      typeof one === 'number' ? one === port : port >= one[0] && port <= one[1],
    )
  return {
    opensName: host =>
      names.some(name => (name.startsWith('.') ? host.endsWith(name) : host === name)),
    portMayBeUsed: port => isOpen(port) || pair_ports.has(port),
    check: (address, port) => {
      if (isIP(address) === 0) return 'blocked_address'
      if (pairs.has(pairOf(address, port))) return 'ok'
      const family = familyOf(address)
      const reachable = nets[family].check(address, family) || isGlobalUnicast(address)
      if (!reachable) return 'blocked_address'
      return isOpen(port) ? 'ok' : 'blocked_port'
    },
  }
}

export function isGlobalUnicast(address: string): boolean {
  if (isIP(address) === 4) return !refused_ipv4.check(address, 'ipv4')
  if (isIP(address) !== 6) return false
  return global_ipv6.check(address, 'ipv6') && !refused_ipv6.check(address, 'ipv6')
}

/** Returns one spelling for each address, so that two addresses can be compared as text. */
export function canonicalAddress(address: string): string {
  return new SocketAddress({ address, family: familyOf(address) }).address
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6'
}

function listOf(family: 'ipv4' | 'ipv6', nets: readonly Net[]): BlockList {
  const list = new BlockList()
  for (const [network, prefix] of nets) list.addSubnet(network, prefix, family)
  return list
}

function pairOf(address: string, port: number): string {
  return `${canonicalAddress(address)} ${port}`
}

type Allowed =
  | { name: string }
  | { address: string; port: number }
  | { network: string; prefix: number; family: 'ipv4' | 'ipv6' }

function parseAllowed(entry: string): Allowed {
  const [, network = '', prefix = ''] = /^([^/%]+)\/(\d{1,3})$/.exec(entry) ?? []
  const bits = isIP(network) === 4 ? 32 : 128
  if (isIP(network) !== 0 && Number(prefix) <= bits) {
    return { network, prefix: Number(prefix), family: familyOf(network) }
  }
  const [, bare, bracketed, port = ''] =
    /^(?:([^:[\]]+)|\[([^\]%]+)\]):(\d{1,5})$/.exec(entry) ?? []
  const address = bare ?? bracketed ?? ''
  const expected = bare === undefined ? 6 : 4
  if (isIP(address) === expected && Number(port) >= 1 && Number(port) <= 65_535) {
    return { address, port: Number(port) }
  }
  // The last label must not be a number, because the name would then be an address.
  if (/^\.?(?:[a-z0-9_-]+\.)*[a-z0-9_-]*[a-z][a-z0-9_-]*$/i.test(entry)) {
    return { name: entry.toLowerCase() }
  }
  throw new StartError(
    `"${entry}" cannot be allowed. Write 127.0.0.1:8080, [::1]:8080, a net such as 10.1.0.0/16, or a name such as hooks.corp.internal.`,
  )
}
