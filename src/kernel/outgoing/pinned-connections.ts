/**
 * Each connection is made to one checked address. We open the socket here to the literal address,
 * and pass it to an undici client. That client can neither resolve names nor connect again.
 * Certificate, SNI and Host still use the name. An idle connection is reused only for the same
 * origin and address.
 */
import { isIP, connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Client } from 'undici'
import { canonicalAddress } from './allowed-addresses.ts'
import { undici } from './undici.ts'

export type Pin = {
  /** `https://name:port`, as undici expects it. */
  readonly origin: string
  readonly secure: boolean
  readonly host: string
  readonly address: string
  readonly port: number
}

export type PinnedConnection = {
  readonly pin: Pin
  readonly client: Client
  readonly socket: Socket
}

export type ConnectLimits = {
  readonly connect_ms: number
  readonly tls_ms: number
  readonly signal: AbortSignal
}

export type Connected = {
  readonly connection: PinnedConnection
  readonly connect_ms: number
  readonly tls_ms: number
}

export class ConnectFailure extends Error {
  override readonly name = 'ConnectFailure'
  readonly phase: 'connect' | 'tls'
  readonly timed_out: boolean

  constructor(phase: 'connect' | 'tls', timed_out: boolean, cause?: unknown) {
    super(`no connection: ${phase}`, { cause })
    this.phase = phase
    this.timed_out = timed_out
  }
}

export type PinnedConnections = {
  idle(pin: Pin): PinnedConnection | null
  connect(pin: Pin, limits: ConnectLimits): Promise<Connected>
  /** A connection is reused only after a response that was read to its end. */
  keep(connection: PinnedConnection): void
  drop(connection: PinnedConnection): void
  close(): void
}

export function openPinnedConnections(options: {
  keep_alive_ms: number
  idle_max: number
}): PinnedConnections {
  // The pin that was used least recently is first, because a Map keeps the order of insertion.
  const idle = new Map<string, PinnedConnection[]>()
  let count = 0

  const drop = (connection: PinnedConnection): void => {
    // The socket's request already reports all errors of a closed socket.
    connection.client.destroy().catch(() => {})
    connection.socket.destroy()
  }
  const forget = (connection: PinnedConnection): void => {
    const key = keyOf(connection.pin)
    const kept = idle.get(key)
    const at = kept?.indexOf(connection) ?? -1
    if (!kept || at < 0) return
    kept.splice(at, 1)
    if (kept.length === 0) idle.delete(key)
    count--
  }
  const evict = (): void => {
    const [oldest] = idle.values()
    const connection = oldest?.[0]
    if (!connection) return
    forget(connection)
    drop(connection)
  }

  return {
    idle: pin => {
      const connection = idle.get(keyOf(pin))?.at(-1)
      if (!connection) return null
      forget(connection)
      if (!connection.socket.destroyed) return connection
      drop(connection)
      return null
    },
    connect: async (pin, limits) => {
      const opened = await openSocket(pin, limits)
      const client = clientOn(opened.socket, pin, options.keep_alive_ms)
      const connection = { pin, client, socket: opened.socket }
      opened.socket.once('close', () => forget(connection))
      return { connection, connect_ms: opened.connect_ms, tls_ms: opened.tls_ms }
    },
    keep: connection => {
      if (connection.socket.destroyed) return drop(connection)
      const key = keyOf(connection.pin)
      const kept = idle.get(key) ?? []
      idle.delete(key)
      idle.set(key, [...kept, connection])
      count++
      if (count > options.idle_max) evict()
    },
    drop,
    close: () => {
      for (const connection of [...idle.values()].flat()) {
        forget(connection)
        drop(connection)
      }
    },
  }
}

function keyOf({ origin, address }: Pin): string {
  return `${origin} ${address}`
}

/**
 * The client gets this one socket. When the socket closes, its requests fail and the client does
 * not connect again.
 */
function clientOn(socket: Socket, { origin }: Pin, keep_alive_ms: number): Client {
  const { Client } = undici()
  let handed_over = false
  return new Client(origin, {
    connect: (_options, callback) => {
      const usable = !handed_over && !socket.destroyed
      handed_over = true
      // The callback runs asynchronously, as with a real connection, because the client ignores a
      // result within its own call.
      queueMicrotask(() => {
        if (usable) callback(null, socket)
        else callback(new Error('the connection is closed'), null)
      })
    },
    pipelining: 1,
    keepAliveTimeout: keep_alive_ms,
    keepAliveMaxTimeout: keep_alive_ms,
  })
}

async function openSocket(pin: Pin, limits: ConnectLimits) {
  const started = performance.now()
  const tcp = connectTcp({ host: pin.address, port: pin.port, noDelay: true })
  await until(tcp, 'connect', limits.connect_ms, limits.signal)
  const reached = tcp.remoteAddress
  if (reached === undefined || canonicalAddress(reached) !== canonicalAddress(pin.address)) {
    tcp.destroy()
    throw new ConnectFailure(
      'connect',
      false,
      new Error('connected to another address than the pinned one'),
    )
  }
  const connected = performance.now()
  if (!pin.secure) return { socket: tcp, connect_ms: connected - started, tls_ms: 0 }
  const tls = connectTls({
    socket: tcp,
    host: pin.host,
    // SNI supports names only. The certificate for a literal address is checked against the
    // address.
    servername: isIP(pin.host) === 0 ? pin.host : '',
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: true,
  })
  await until(tls, 'tls', limits.tls_ms, limits.signal)
  return {
    socket: tls,
    connect_ms: connected - started,
    tls_ms: performance.now() - connected,
  }
}

/**
 * Resolves when the socket is ready, or destroys the socket and rejects with the reason. The user
 * of the socket handles later errors.
 */
async function until(
  socket: Socket,
  phase: 'connect' | 'tls',
  limit_ms: number,
  signal: AbortSignal,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<true>()
  const fail = (timed_out: boolean, cause?: unknown) =>
    reject(new ConnectFailure(phase, timed_out, cause))
  const onAbort = () => fail(false, signal.reason)
  const timer = setTimeout(() => fail(true), Math.max(0, limit_ms))
  socket.once(phase === 'tls' ? 'secureConnect' : 'connect', () => resolve(true))
  socket.on('error', error => fail(false, error))
  socket.once('close', () => fail(false, new Error('closed')))
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  try {
    await promise
  } catch (error) {
    socket.destroy()
    throw error
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  }
}
