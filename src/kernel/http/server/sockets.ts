/**
 * WebSockets of surfaces. A handshake must pass the same checks as a request (draining, rate,
 * caller). It is refused with a problem document before the upgrade. A request to another path, or
 * without a valid handshake, stays an ordinary request. Compression is off, because it would cost
 * more memory than the sockets themselves.
 */
import { ServerResponse, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocketServer, type WebSocket } from 'ws'
import type { ClientAddress } from '../../access/client-address.ts'
import { openLocalRate } from '../../access/local-rate.ts'
import { isLoopback, networkOf } from '../../access/rate.ts'
import type { Log } from '../../observability/log.ts'
import type { Overload } from '../../observability/overload.ts'
import { problem } from '../../errors/problem.ts'
import type { Connections } from './connections.ts'
import { sendRefusal, type Upgrades } from './request-interceptor.ts'

/** A handshake before its reply. */
export type Handshake = {
  readonly query: URLSearchParams
  readonly headers: IncomingMessage['headers']
  /** The subprotocols that the client offers. */
  readonly protocols: readonly string[]
}

/** The socket, and the connection under it, for writes that should be sent together. */
export type OpenSocket = { readonly socket: WebSocket; readonly connection: Socket }

export type SocketRoute = {
  readonly path: string
  /** The subprotocols that the server speaks. A client that offers none of them gets none. */
  readonly protocols: readonly string[]
  readonly frame_bytes: number
  /** The limit for one process. */
  readonly sockets_max: number
  /** The limit for one network. */
  readonly handshakes_per_minute: number
  /**
   * Identifies the caller, or throws a problem. The returned function runs as soon as the socket is
   * open. It must attach its listeners immediately, because the first frames may have arrived
   * already.
   */
  admit(handshake: Handshake): Promise<(opened: OpenSocket) => void>
  /**
   * Called when the process stops. The function finishes the running work and closes its sockets.
   */
  drain(): Promise<void>
}

export type Sockets = Upgrades & {
  drain(): Promise<void>
}

export type SocketsNeeds = {
  readonly routes: readonly SocketRoute[]
  readonly refusal: Overload['refusal']
  readonly addressOf: ClientAddress
  readonly throttle_loopback: boolean
  readonly rate_factor: number
  limited(): void
  readonly connections: Connections
  readonly public_url: string
  readonly log: Log
}

const admit_ms = 5000
const drain_ms = 5000

type Served = {
  readonly route: SocketRoute
  readonly server: WebSocketServer
  readonly count: (network: string) => number
}

/**
 * Before the upgrade there is no other listener, and without a listener an error would end the
 * process. A function that is made for each socket would keep its request in memory.
 */
const ignore = () => {}

export function openSockets(needs: SocketsNeeds): Sockets {
  const served = new Map(needs.routes.map(route => [route.path, serve(needs, route)]))
  return {
    paths: [...served.keys()],
    takes: ({ method, headers, url = '' }) =>
      method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket' && served.has(pathOf(url)),
    upgrade: (request, connection, head) => {
      const one = served.get(pathOf(request.url ?? ''))
      needs.connections.upgraded(connection)
      connection.on('error', ignore)
      if (!one) return void connection.destroy()
      shake(needs, one, request, connection, head).catch((error: unknown) =>
        refuse(needs, request, connection, error),
      )
    },
    drain: async () => {
      await Promise.all(
        [...served.values()].map(async ({ route, server }) => {
          await within(drain_ms, route.drain())
          for (const socket of server.clients) socket.terminate()
        }),
      )
    },
  }
}

function serve(needs: SocketsNeeds, route: SocketRoute): Served {
  const server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: route.frame_bytes,
    handleProtocols: offered => route.protocols.find(name => offered.has(name)) ?? false,
  })
  server.on('wsClientError', (cause, connection, request) => {
    const detail = 'The request is not a handshake of a WebSocket of version 13.'
    refuse(needs, request, connection, problem('malformed_request', { detail }, { cause }))
  })
  const many = route.handshakes_per_minute * needs.rate_factor
  const { take } = openLocalRate({ many, per_ms: 60_000 })
  return { route, server, count: take }
}

async function shake(
  needs: SocketsNeeds,
  { route, server, count }: Served,
  request: IncomingMessage,
  connection: Duplex,
  head: Buffer,
): Promise<void> {
  const refusal = needs.refusal('socket', performance.now())
  if (refusal) throw refusal
  const peer = (connection as Socket).remoteAddress ?? ''
  const ip = needs.addressOf(peer, request.headers['x-forwarded-for'])
  if (needs.throttle_loopback || !isLoopback(ip)) {
    const wait_ms = count(networkOf(ip))
    if (wait_ms > 0) {
      needs.limited()
      throw problem('rate_limited', { retry_after: Math.ceil(wait_ms / 1000) })
    }
  }
  const isFull = () => server.clients.size >= route.sockets_max
  if (isFull()) throw problem('overloaded', { retry_after: 5 })
  const open = await within(admit_ms, route.admit(handshakeOf(request)))
  // Other sockets may have been admitted meanwhile.
  if (!open || isFull()) throw problem('overloaded', { retry_after: 5 })
  if (connection.destroyed) return
  server.handleUpgrade(request, connection, head, socket =>
    open({ socket, connection: connection as Socket }),
  )
}

function handshakeOf({ headers, url = '' }: IncomingMessage): Handshake {
  const start = url.indexOf('?')
  const offered = headers['sec-websocket-protocol'] ?? ''
  return {
    query: new URLSearchParams(start === -1 ? '' : url.slice(start)),
    headers,
    protocols: offered.split(',').map(name => name.trim()),
  }
}

function refuse(needs: SocketsNeeds, request: IncomingMessage, connection: Duplex, error: unknown) {
  if (connection.destroyed || !connection.writable) return void connection.destroy()
  const response = new ServerResponse(request)
  response.shouldKeepAlive = false
  response.assignSocket(connection as Socket)
  response.once('finish', () => connection.end())
  sendRefusal(needs, request, response, error)
}

function pathOf(url: string): string {
  const end = url.indexOf('?')
  return end === -1 ? url : url.slice(0, end)
}

/** Returns undefined if the work takes longer. */
async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>(resolve => {
    timer = setTimeout(() => resolve(undefined), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
