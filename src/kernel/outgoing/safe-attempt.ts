/**
 * One request to one checked target: resolve the name, check every address, connect to a checked
 * address (or reuse a connection to one that the name still has), exchange. It follows no redirect.
 */
import type { Buffer } from 'node:buffer'
import type { AddressRules } from './allowed-addresses.ts'
import { exchange, ExchangeFailure, type Exchange, type RequestHeaders } from './exchange.ts'
import {
  ConnectFailure,
  type Pin,
  type PinnedConnection,
  type PinnedConnections,
} from './pinned-connections.ts'
import type { Resolver } from './resolver.ts'
import type { Course, SafeFetchFailure, SafeFetchReason } from './safe-outcome.ts'
import { judgeAll, originOf, type SafeTarget } from './safe-target.ts'

export type Tools = {
  readonly rules: AddressRules
  readonly resolver: Resolver
  readonly connections: PinnedConnections
}

export type SafeRequest = {
  readonly method: string
  readonly headers: RequestHeaders
  readonly body: Buffer | string | null
  /** Whether sending the request twice does no harm. */
  readonly repeatable: boolean
  readonly limits: {
    readonly dns_ms: number
    readonly connect_ms: number
    readonly tls_ms: number
    readonly write_ms: number
    readonly first_byte_ms: number
    readonly body_ms: number
  }
}

export type Answered = { readonly connection: PinnedConnection; readonly answer: Exchange }

/** If a name has very many addresses, only a few are tried. */
const addresses_tried_max = 4

export async function attempt(
  tools: Tools,
  target: SafeTarget,
  request: SafeRequest,
  course: Course,
): Promise<Answered> {
  const addresses = await judgedAddresses(tools, target, request.limits.dns_ms, course)
  const pins = addresses.map(address => pinOf(target, address))
  return (
    (await onIdleConnection(tools, pins, target, request, course)) ??
    (await onFreshConnection(tools, pins, target, request, course))
  )
}

export async function judgedAddresses(
  { rules, resolver }: Tools,
  { host, port }: SafeTarget,
  dns_ms: number,
  course: Course,
): Promise<readonly string[]> {
  const addresses = await course.measure('dns_ms', resolve(resolver, host, dns_ms, course))
  const verdict = judgeAll(rules, addresses, port)
  if (verdict !== 'ok') throw course.failure(verdict)
  return addresses
}

async function resolve(resolver: Resolver, host: string, dns_ms: number, course: Course) {
  const limit = course.limit('dns', dns_ms)
  const { promise: ended, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => reject(course.failure('timeout', { phase: limit.phase })),
    limit.ms,
  )
  const onAbort = () => reject(course.failure('aborted', { cause: course.signal.reason }))
  course.signal.addEventListener('abort', onAbort, { once: true })
  if (course.signal.aborted) onAbort()
  const looked_up = resolver.addressesOf(host).catch((error: unknown) => {
    const slow = (error as { code?: string }).code === 'ETIMEOUT'
    if (slow) throw course.failure('timeout', { phase: 'dns', cause: error })
    throw course.failure('dns_failed', { cause: error })
  })
  try {
    return await Promise.race([looked_up, ended])
  } finally {
    clearTimeout(timer)
    course.signal.removeEventListener('abort', onAbort)
  }
}

function pinOf(target: SafeTarget, address: string): Pin {
  const { secure, host, port } = target
  return { origin: originOf(target), secure, host, address, port }
}

async function onIdleConnection(
  { connections }: Tools,
  pins: readonly Pin[],
  target: SafeTarget,
  request: SafeRequest,
  course: Course,
): Promise<Answered | null> {
  for (const pin of pins) {
    const connection = connections.idle(pin)
    if (!connection) continue
    try {
      return await onConnection(connections, connection, target, request, course)
    } catch (error) {
      // The server had closed the connection meanwhile. That is not a failure of this request.
      const stale =
        error instanceof ExchangeFailure &&
        error.fault === 'broken' &&
        (!error.sent || request.repeatable)
      if (!stale) throw toSafe(error, course)
      break
    }
  }
  return null
}

async function onFreshConnection(
  { connections }: Tools,
  pins: readonly Pin[],
  target: SafeTarget,
  request: SafeRequest,
  course: Course,
): Promise<Answered> {
  const candidates = pins.slice(0, addresses_tried_max)
  const connecting_until = performance.now() + request.limits.connect_ms
  for (const [index, pin] of candidates.entries()) {
    const share_ms = (connecting_until - performance.now()) / (candidates.length - index)
    try {
      const connection = await connect(connections, pin, share_ms, request.limits.tls_ms, course)
      return await onConnection(connections, connection, target, request, course)
    } catch (error) {
      const elsewhere =
        error instanceof ConnectFailure &&
        error.phase === 'connect' &&
        index + 1 < candidates.length &&
        !course.signal.aborted &&
        course.leftMs() > 0
      if (!elsewhere) throw toSafe(error, course)
    }
  }
  throw course.failure('connect_failed')
}

async function connect(
  connections: PinnedConnections,
  pin: Pin,
  connect_ms: number,
  tls_ms: number,
  course: Course,
): Promise<PinnedConnection> {
  course.address = pin.address
  const started = performance.now()
  const left_ms = course.leftMs()
  try {
    const connected = await connections.connect(pin, {
      connect_ms: Math.min(connect_ms, left_ms),
      tls_ms: Math.min(tls_ms, left_ms),
      signal: course.signal,
    })
    course.spend('connect_ms', connected.connect_ms)
    course.spend('tls_ms', connected.tls_ms)
    return connected.connection
  } catch (error) {
    if (error instanceof ConnectFailure) {
      course.spend(`${error.phase}_ms`, performance.now() - started)
    }
    throw error
  }
}

async function onConnection(
  connections: PinnedConnections,
  connection: PinnedConnection,
  { url }: SafeTarget,
  request: SafeRequest,
  course: Course,
): Promise<Answered> {
  const { write_ms, first_byte_ms, body_ms } = request.limits
  course.address = connection.pin.address
  try {
    const running = exchange(connection.client, {
      method: request.method,
      path: `${url.pathname}${url.search}`,
      headers: request.headers,
      body: request.body,
      limits: { total_ms: course.leftMs(), write_ms, first_byte_ms, body_ms },
      signal: course.signal,
      socket: connection.socket,
    })
    return { connection, answer: await course.measure('first_byte_ms', running) }
  } catch (error) {
    connections.drop(connection)
    throw error
  }
}

const reasons = {
  broken: 'reset',
  protocol: 'invalid_response',
  refused: 'invalid_request',
  aborted: 'aborted',
} as const satisfies Record<string, SafeFetchReason>

/**
 * Maps failures of the lower layers to reasons of this layer. Any other error is a bug and is
 * rethrown.
 */
export function toSafe(error: unknown, course: Course): unknown {
  if (error instanceof ConnectFailure) return ofConnect(error, course)
  if (!(error instanceof ExchangeFailure)) return error
  if (error.fault === 'total') return course.failure('timeout', { phase: 'total', cause: error })
  if (error.fault === 'timeout') {
    return course.failure('timeout', { phase: error.phase, cause: error })
  }
  return course.failure(reasons[error.fault], { cause: error })
}

function ofConnect(error: ConnectFailure, course: Course): SafeFetchFailure {
  if (course.signal.aborted) return course.failure('aborted', { cause: course.signal.reason })
  if (!error.timed_out) return course.failure(`${error.phase}_failed`, { cause: error })
  const phase = course.leftMs() > 0 ? error.phase : 'total'
  return course.failure('timeout', { phase, cause: error })
}
