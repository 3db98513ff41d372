/**
 * Which addresses a provider may have, and the calls to them. Only development may use http, and
 * only on this machine.
 */
import { isIP } from 'node:net'
import { openSafeFetch, type Deployment, type SafeFetch } from '#dodeca/kernel'

type Profile = Deployment['profile']

/** Null for a text that is not the address of a provider. */
export function providerUrl(address: string, profile: Profile): URL | null {
  const url = URL.parse(address)
  if (!url || url.hash || url.username || url.password) return null
  return url.protocol === 'https:' || isNear(url, profile) ? url : null
}

/** An address on this machine that development may call, also by http. */
function isNear({ protocol, hostname }: URL, profile: Profile): boolean {
  const web = protocol === 'http:' || protocol === 'https:'
  return web && profile === 'development' && isLoopbackHost(hostname)
}

export function isLoopbackHost(hostname: string): boolean {
  const host = hostname.replaceAll(/^\[|\]$/g, '')
  if (isIP(host) === 0) return host === 'localhost' || host.endsWith('.localhost')
  return host === '::1' || host.startsWith('127.')
}

export function portOf({ port, protocol }: URL): number {
  return Number(port || (protocol === 'https:' ? 443 : 80))
}

/** Calls reach public addresses only, besides what `allow` says and near addresses of these URLs. */
export function openCalls(
  urls: readonly URL[],
  profile: Profile,
  { allow = [], ports = [] }: { allow?: readonly string[]; ports?: readonly number[] } = {},
): SafeFetch {
  const near = urls.filter(url => isNear(url, profile))
  const near_ports = [...new Set(near.map(portOf))]
  const plain = near.some(({ protocol }) => protocol === 'http:')
  return openSafeFetch({
    ports: [443, 8443, ...ports, ...near_ports],
    allow: [...allow, ...near_ports.flatMap(port => [`127.0.0.1:${port}`, `[::1]:${port}`])],
    schemes: plain ? ['https:', 'http:'] : ['https:'],
    // Logins are rare, so no connection is kept open and none has to be closed.
    idle_connections_max: 0,
  })
}
