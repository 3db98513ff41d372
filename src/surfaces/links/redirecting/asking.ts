/**
 * Reads the values about the caller that a redirect needs: from the headers, and from our own
 * proxies.
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { clientAddress, proxyCheck } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import type { Visitor } from '../clicks/visitor.ts'
import { newSeen, readHeaders, type Seen } from './headers.ts'

const last = Symbol('last visitor')
const peer = Symbol('address of the peer')
type Connection = Socket & { [last]?: Visitor; [peer]?: string }

export class Asking {
  /** The values of the current request. */
  readonly seen: Seen = newSeen()
  private readonly country_header: string
  private readonly addressOf: ReturnType<typeof clientAddress>
  private readonly isProxy: ((peer: string) => boolean) | null

  constructor({ settings }: Pick<Kernel, 'settings'>) {
    const trusted = settings['kernel.trusted_proxies']
    this.country_header = settings['links.country_header'].toLowerCase()
    this.addressOf = clientAddress(trusted)
    this.isProxy = trusted.length > 0 ? proxyCheck(trusted) : null
  }

  read(request: IncomingMessage): Seen {
    readHeaders(request.rawHeaders, this.country_header, this.seen)
    return this.seen
  }

  /** The Host header, or the forwarded host if one of our own proxies sent the request. */
  host({ socket }: IncomingMessage): string {
    const { host, forwarded_host } = this.seen
    if (this.isProxy === null || forwarded_host === '') return host
    if (!this.isProxy(socket.remoteAddress ?? '')) return host
    return forwarded_host.slice(forwarded_host.lastIndexOf(',') + 1).trim()
  }

  /** If there are no proxies, the address is the same for all requests of a connection. */
  address(request: IncomingMessage): string {
    const socket: Connection = request.socket
    const { forwarded_for } = this.seen
    if (this.isProxy) return this.addressOf(socket.remoteAddress ?? '', forwarded_for || undefined)
    return (socket[peer] ??= this.addressOf(socket.remoteAddress ?? '', undefined))
  }

  /** Successive requests of a connection usually come from the same visitor. */
  visitor(request: IncomingMessage, query: string): Visitor {
    const { agent, referrer, language, country, private: quiet, prefetch } = this.seen
    const connection: Connection = request.socket
    const before = connection[last]
    const head = request.method === 'HEAD'
    const address = this.address(request)
    if (
      before &&
      before.agent === agent &&
      before.address === address &&
      before.query === query &&
      before.referrer === referrer &&
      before.language === language &&
      before.country === country &&
      before.private === quiet &&
      before.prefetch === prefetch &&
      before.head === head
    ) {
      return before
    }
    const traits = { agent, referrer, language, country, address, query }
    const visitor: Visitor = { ...traits, private: quiet, prefetch, head }
    connection[last] = visitor
    return visitor
  }
}
