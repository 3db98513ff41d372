/**
 * The HTTP server and its interceptors. Interceptors run before the pipeline. A surface may reply
 * to a request itself, for a fraction of the pipeline's cost, or pass it on unchanged. The limits of
 * the server hold for both.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { newId } from '../../ids.ts'
import { isUnavailable } from '../../database/failures.ts'
import { logOutage } from '../../observability/outage-log.ts'
import type { Log } from '../../observability/log.ts'
import { problemOf, rateHeaders, securityHeaders } from './send-reply.ts'
import { problem, renderProblem, type Problem } from '../../errors/problem.ts'
import type { Connections } from './connections.ts'
import { markExpecting } from './incoming-body.ts'

export type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** Replies, now or later, or calls `pass` with its arguments. It must not throw. */
export type Front = (request: IncomingMessage, response: ServerResponse, pass: Handler) => void

/** Decides which requests become WebSockets. */
export type Upgrades = {
  readonly paths: readonly string[]
  takes(request: IncomingMessage): boolean
  upgrade(request: IncomingMessage, connection: Duplex, head: Buffer): void
}

/** The refusal of a request to the address of a WebSocket if the request is not a handshake. */
export function notUpgraded(method: string): Problem {
  return method === 'GET'
    ? problem('websocket_upgrade_required', { headers: { upgrade: 'websocket' } })
    : problem('method_not_allowed', { headers: { allow: 'GET' } })
}

export type ServerDeps = {
  readonly fronts: readonly Front[]
  readonly stopping: AbortSignal
  readonly connections: Connections
  readonly sockets: Upgrades
  readonly public_url: string
  readonly log: Log
  readonly limits: ServerLimits
}

export type ServerLimits = {
  readonly header_bytes: number
  readonly headers_ms: number
  /** Each body has its own time limit. This limit is for bodies that no code waits for. */
  readonly request_ms: number
  /** The time that a connection without requests stays open. */
  readonly idle_ms: number
}

/**
 * The interceptors are called in order until one of them does not pass: it replies. The pipeline
 * handles requests that all interceptors pass.
 */
export function serverBehind(
  { fronts, stopping, connections, sockets, limits, ...rest }: ServerDeps,
  pipeline: Handler,
): Server {
  const handle = fronts.reduceRight<Handler>(
    (pass, front) => (request, response) => front(request, response, pass),
    // Runs after the interceptors. To stay fast, the interceptors do not check all headers.
    (request, response) => {
      if (isWithoutHost(request)) sendRefusal(rest, request, response, hostless)
      else pipeline(request, response)
    },
  )
  const open: Handler = (request, response) => {
    connections.seen(request, response)
    // A kept-alive connection would delay the stopping process.
    if (stopping.aborted) response.shouldKeepAlive = false
    if (!request.url?.startsWith('/')) request.url = originForm(request.url)
    handle(request, response)
  }
  const server = createServer(
    {
      maxHeaderSize: limits.header_bytes,
      headersTimeout: limits.headers_ms,
      requestTimeout: limits.request_ms,
      keepAliveTimeout: limits.idle_ms,
      connectionsCheckingInterval: 1000,
      requireHostHeader: false,
      // A request without a body has no stream events then, and nothing here waits for one.
      optimizeEmptyRequests: true,
      // Any other upgrade is handled like an ordinary request.
      shouldUpgradeCallback: request => sockets.takes(request),
    },
    open,
  )
  connections.watch(server)
  server.on('upgrade', sockets.upgrade)
  server.on('clientError', (error, socket) => connections.refuse(error, socket as Socket))
  // An unknown expectation may be ignored. Otherwise the server would refuse it without a problem
  // document.
  server.on('checkExpectation', open)
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    markExpecting(request)
    open(request, response)
  })
  return server
}

const hostless = problem('malformed_request', { detail: 'The request must have a Host header.' })

/**
 * RFC 9112 requires a Host header in HTTP/1.1. Otherwise the server would refuse the request
 * without a problem document.
 */
function isWithoutHost({ headers, httpVersion }: IncomingMessage): boolean {
  return headers.host === undefined && httpVersion === '1.1'
}

/** Proxies use the absolute form of a URL, which contains a host. This host is not checked here. */
function originForm(url = '/'): string {
  return /^https?:\/\/[^/?]*(.*)$/i.exec(url)?.[1]?.replace(/^(?!\/)/, '/') ?? url
}

/**
 * For an interceptor that failed to reply. Refuses in the same form as the pipeline. Returns the
 * status.
 */
export function sendRefusal(
  { public_url, log }: { readonly public_url: string; readonly log: Log },
  { method, url = '/' }: IncomingMessage,
  response: ServerResponse,
  error: unknown,
): number {
  const refusal = problemOf(error)
  const request_id = newId()
  const fields = { request_id, err: error }
  if (isUnavailable(error)) logOutage(log, fields, 'the database is not available')
  else if (refusal.status >= 500) log.error(fields, refusal.code)
  const path = url.split('?', 1)[0] ?? '/'
  const body = renderProblem(refusal, { public_url, path, request_id })
  const { headers, retry_after } = refusal.details
  const reply_headers: Record<string, string> = {
    ...securityHeaders,
    ...(refusal.code === 'rate_limited' ? rateHeaders(refusal) : headers),
    'content-type': 'application/problem+json',
    'content-length': String(Buffer.byteLength(body)),
    'x-request-id': request_id,
  }
  if (retry_after !== undefined) reply_headers['retry-after'] = String(retry_after)
  response.writeHead(refusal.status, reply_headers)
  response.end(method === 'HEAD' ? undefined : body)
  return refusal.status
}
