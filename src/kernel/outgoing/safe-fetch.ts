/**
 * Requests to URLs from users (webhooks, connectors). On every attempt and every redirect we
 * resolve the name again and check all its addresses. The connection is made only to a checked
 * address. So a DNS reply that changes between check and connect has no effect. No packet is sent
 * to a refused address. Proxies of the environment are not used. Body and time are limited.
 */
import { Buffer } from 'node:buffer'
import { openAddressRules, type Port } from './allowed-addresses.ts'
import type { Exchange, RequestHeaders } from './exchange.ts'
import { openPinnedConnections } from './pinned-connections.ts'
import { openResolver } from './resolver.ts'
import { attempt, judgedAddresses, toSafe, type SafeRequest, type Tools } from './safe-attempt.ts'
import { Course, type SafeResponse } from './safe-outcome.ts'
import { parseTarget, type SafeTarget, type Scheme } from './safe-target.ts'

export { SafeFetchFailure } from './safe-outcome.ts'
export type { SafeResponse } from './safe-outcome.ts'

export type SafeFetchOptions = {
  readonly method?: string
  readonly headers?: RequestHeaders
  readonly body?: Buffer | string | null
  /** The limit for the whole call, redirects included. */
  readonly deadline_ms?: number
  readonly dns_timeout_ms?: number
  readonly connect_timeout_ms?: number
  readonly tls_timeout_ms?: number
  readonly write_timeout_ms?: number
  /** The limit from the last byte of the request to the headers of the response. */
  readonly headers_timeout_ms?: number
  /** The limit for the whole body, even if it arrives steadily. */
  readonly body_timeout_ms?: number
  readonly max_body_bytes?: number
  /**
   * Whether a failed attempt on a reused connection may be repeated on a fresh connection, if there
   * was no response: the server had probably closed the connection. By default this holds only for
   * idempotent methods.
   */
  readonly repeatable?: boolean
  /** A longer body is cut and the connection closed, or the call fails with `too_large`. */
  readonly over_limit?: 'truncate' | 'fail'
  /** 0 to 3; with 0 a redirect is returned like any other response. */
  readonly max_redirects?: number
  readonly signal?: AbortSignal
}

export type SafeFetch = {
  (url: string, options?: SafeFetchOptions): Promise<SafeResponse>
  /** The same check without a request, for a URL that is only stored. */
  inspect(url: string): Promise<Inspected>
  close(): void
}

export type Inspected = {
  readonly host: string
  readonly port: number
  readonly is_literal: boolean
  readonly addresses: readonly string[]
}

const defaults = {
  deadline_ms: 20_000,
  dns_ms: 2000,
  connect_ms: 3000,
  tls_ms: 3000,
  write_ms: 5000,
  first_byte_ms: 10_000,
  body_ms: 5000,
  max_body_bytes: 64 * 1024,
}
const redirects_max = 3
const idempotent_methods = ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']
/** Headers that are meant only for the origin for which they were given. */
const origin_only = ['authorization', 'cookie', 'proxy-authorization']

export function openSafeFetch(options: {
  readonly ports?: readonly Port[]
  /** Exact `address:port` pairs, or nets, that we may connect to although they are not public. */
  readonly allow?: readonly string[]
  readonly schemes?: readonly Scheme[]
  /** If empty, the DNS servers of the system are used. */
  readonly dns_servers?: readonly string[]
  readonly keep_alive_ms?: number
  readonly idle_connections_max?: number
}): SafeFetch {
  const { ports = [443, 80, 8443], allow = [], schemes = ['https:', 'http:'] } = options
  const tools: Tools = {
    rules: openAddressRules({ ports, allow }),
    resolver: openResolver({ servers: options.dns_servers ?? [] }),
    connections: openPinnedConnections({
      keep_alive_ms: options.keep_alive_ms ?? 30_000,
      idle_max: options.idle_connections_max ?? 2000,
    }),
  }
  const targetOf = (url: string, base: URL | null, course: Course): SafeTarget => {
    const target = parseTarget(url, base, tools.rules, schemes)
    if (typeof target === 'string') throw course.failure(target)
    return target
  }
  const safeFetch = async (url: string, wanted: SafeFetchOptions = {}): Promise<SafeResponse> => {
    const course = courseOf(wanted)
    const hops = Math.min(wanted.max_redirects ?? redirects_max, redirects_max)
    let target = targetOf(url, null, course)
    let request = requestOf(wanted, course)
    for (let followed = 0; ; followed++) {
      const { connection, answer } = await attempt(tools, target, request, course)
      const location = hops > 0 ? redirectOf(answer, request.method) : null
      if (location === null) {
        try {
          const read = await readBody(answer, wanted, course)
          if (read.truncated) tools.connections.drop(connection)
          else tools.connections.keep(connection)
          return responseOf(answer, read, target, connection.pin.address, course)
        } catch (error) {
          tools.connections.drop(connection)
          throw toSafe(error, course)
        }
      }
      tools.connections.drop(connection)
      if (followed === hops) throw course.failure('too_many_redirects')
      const next = targetOf(location, target.url, course)
      if (target.secure && !next.secure) throw course.failure('blocked_redirect')
      if (next.url.origin !== target.url.origin) request = withoutCredentials(request)
      target = next
    }
  }
  return Object.assign(safeFetch, {
    inspect: async (url: string): Promise<Inspected> => {
      const course = courseOf({})
      const target = targetOf(url, null, course)
      const { host, port, is_literal } = target
      const addresses = await judgedAddresses(tools, target, defaults.dns_ms, course)
      return { host, port, is_literal, addresses }
    },
    close: () => {
      tools.resolver.close()
      tools.connections.close()
    },
  })
}

function courseOf({ deadline_ms, signal }: SafeFetchOptions): Course {
  return new Course(deadline_ms ?? defaults.deadline_ms, signal ?? new AbortController().signal)
}

function requestOf(wanted: SafeFetchOptions, course: Course): SafeRequest {
  const headers = Object.fromEntries(
    Object.entries(wanted.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  )
  // Host is always the name that was checked.
  if ('host' in headers) throw course.failure('invalid_request')
  const method = wanted.method ?? 'GET'
  return {
    method,
    headers,
    repeatable: wanted.repeatable ?? idempotent_methods.includes(method),
    body: wanted.body ?? null,
    limits: {
      dns_ms: wanted.dns_timeout_ms ?? defaults.dns_ms,
      connect_ms: wanted.connect_timeout_ms ?? defaults.connect_ms,
      tls_ms: wanted.tls_timeout_ms ?? defaults.tls_ms,
      write_ms: wanted.write_timeout_ms ?? defaults.write_ms,
      first_byte_ms: wanted.headers_timeout_ms ?? defaults.first_byte_ms,
      body_ms: wanted.body_timeout_ms ?? defaults.body_ms,
    },
  }
}

/**
 * Returns the target of a redirect, or null. A redirect of 301 to 303 would turn a POST into a
 * different request.
 */
function redirectOf({ status, headers }: Exchange, method: string): string | null {
  const reading = method === 'GET' || method === 'HEAD'
  const followed = reading ? [301, 302, 303, 307, 308] : [307, 308]
  const { location } = headers
  return followed.includes(status) && typeof location === 'string' ? location : null
}

function withoutCredentials(request: SafeRequest): SafeRequest {
  const kept = Object.entries(request.headers).filter(([name]) => !origin_only.includes(name))
  return { ...request, headers: Object.fromEntries(kept) }
}

type ReadBody = { readonly body: Buffer; readonly truncated: boolean }

async function readBody(
  { headers, body }: Exchange,
  { max_body_bytes = defaults.max_body_bytes, over_limit = 'truncate' }: SafeFetchOptions,
  course: Course,
): Promise<ReadBody> {
  const fails = over_limit === 'fail'
  if (fails && Number(headers['content-length'] ?? 0) > max_body_bytes) {
    throw course.failure('too_large')
  }
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    if (size <= max_body_bytes) continue
    if (fails) throw course.failure('too_large')
    return { body: Buffer.concat(chunks).subarray(0, max_body_bytes), truncated: true }
  }
  return { body: Buffer.concat(chunks), truncated: false }
}

function responseOf(
  { status, headers }: Exchange,
  { body, truncated }: ReadBody,
  { url }: SafeTarget,
  address: string,
  course: Course,
): SafeResponse {
  return {
    status,
    headers,
    body,
    truncated,
    timings: course.timings(),
    url: url.href,
    address,
  }
}
