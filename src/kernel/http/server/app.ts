/**
 * The HTTP server with all routes. All routes share one pipeline: `admit-caller.ts`, body, `request-steps.ts`,
 * reply. Each failure becomes a problem document.
 */
import type { OutgoingHttpHeaders, Server } from 'node:http'
import { completeDenial } from '../../access/permission-denied.ts'
import type { Principal } from '../../access/principal.ts'
import type { Clock } from '../../clock.ts'
import type { Metrics } from '../../observability/metrics.ts'
import { noTelemetry, type Telemetry } from '../../observability/telemetry.ts'
import { after } from '../contract/after.ts'
import type { Connections } from './connections.ts'
import type { CompiledRoute } from './compile-route.ts'
import { allowAnyOrigin, allowOrigin, type OtherOrigins } from './cors.ts'
import { Exchange } from './exchange.ts'
import { guard, type GuardDeps } from './admit-caller.ts'
import { handleRequest, type Answer, type RequestDeps } from './request-steps.ts'
import { Problem, problem } from '../../errors/problem.ts'
import { notUpgraded, serverBehind, type Front, type Upgrades } from './request-interceptor.ts'
import type { Route } from '../contract/route.ts'
import { announcesBody, IncomingBody } from './incoming-body.ts'
import { logRequest, type RequestLogs } from './log-request.ts'
import { readBody } from './read-body.ts'
import { openRouter, type Found, type Router, type WebPage } from './router.ts'
import {
  securityHeaders,
  sendOutcome,
  sendProblem,
  sendRendered,
  write,
  type ProblemDeps,
} from './send-reply.ts'
import { sseHeaders, writeEvents } from '../streams/sse.ts'
import { limit } from '../../limits.ts'

export type AppOptions = GuardDeps &
  RequestDeps &
  RequestLogs & {
    readonly routes: readonly CompiledRoute[]
    /** In development and tests a code that the route does not declare is a failure. */
    readonly strict: boolean
    readonly clock: Pick<Clock, 'nowSeconds'>
    readonly pages: readonly WebPage[]
    readonly metrics: Metrics
    readonly telemetry: Telemetry
    /** Time for a body to arrive, if the route sets no other time. */
    readonly body_seconds: number
    readonly headers_seconds: number
    /** The time that a connection without requests stays open. */
    readonly idle_seconds: number
    readonly connections: Connections
    readonly sockets: Upgrades
    readonly heartbeat_ms: number
    readonly stall_ms: number
    readonly secure: boolean
    readonly origins: OtherOrigins
    readonly metadataOf: ProblemDeps['metadataOf']
    /** Interceptors that surfaces register. They run before the pipeline. */
    readonly fronts: readonly Front[]
  }

const url_bytes_max = limit('kernel.url_bytes', 8 * 1024, 'bytes', 'Longest URL')
const header_bytes_max = 16 * 1024
const tooLong = problem('malformed_request', {
  detail: `The URL has more than ${url_bytes_max} bytes. Send less in the query.`,
})

export function buildApp(options: AppOptions): Server {
  const router = openRouter(options.routes, options.pages)
  const { origins } = options
  const common: OutgoingHttpHeaders = {
    ...securityHeaders,
    ...(options.secure ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  }
  const limits = {
    header_bytes: header_bytes_max,
    headers_ms: options.headers_seconds * 1000,
    request_ms: longest_request_ms(options),
    idle_ms: options.idle_seconds * 1000,
  }
  return serverBehind({ ...options, limits }, (request, response) => {
    const { method = '', url = '' } = request
    const target = url.length > url_bytes_max ? tooLong : router.find(method, url)
    const found = target instanceof Problem ? null : target
    const exchange = new Exchange(request, response, found, { ...options, common })
    response.on('finish', () => finish(options, exchange))
    const told = isForAll(router, exchange)
      ? allowAnyOrigin(exchange)
      : allowOrigin(origins, options.access, exchange)
    if (announcesBody(request)) exchange.incoming = incomingOf(options, exchange)
    try {
      const served = after(told, () => {
        if (target instanceof Problem) throw target
        return serve(options, router, exchange, found)
      })
      if (served instanceof Promise) {
        served.catch((error: unknown) => refuse(options, exchange, error))
      }
    } catch (error) {
      refuse(options, exchange, error)
    }
  })
}

/** A preflight is for the route that the browser asks about. */
function isForAll(router: Router, { compiled, method, headers, request }: Exchange): boolean {
  if (method !== 'OPTIONS') return compiled?.route.any_origin === true
  const asked = router.find(headers['access-control-request-method'] ?? '', request.url ?? '')
  return asked !== null && !(asked instanceof Problem) && asked.compiled?.route.any_origin === true
}

function longest_request_ms({ routes, headers_seconds, body_seconds }: AppOptions): number {
  const bodies = routes.map(({ route }) => route.body_seconds ?? 0)
  return (headers_seconds + Math.max(body_seconds, ...bodies)) * 1000
}

function incomingOf(options: AppOptions, exchange: Exchange): IncomingBody {
  const { request, response, compiled } = exchange
  return new IncomingBody(request, response, {
    seconds: compiled?.route.body_seconds ?? options.body_seconds,
    pending: options.connections.pending,
    refuse: refusal => refuse(options, exchange, refusal),
  })
}

function finish(options: AppOptions, exchange: Exchange): void {
  const { method, compiled, response, began_ms } = exchange
  const elapsed_ms = performance.now() - began_ms
  const labels = { method, route: compiled?.route.path ?? 'none', status: response.statusCode }
  options.metrics.requests.observe(labels, elapsed_ms / 1000)
  logRequest(options, exchange, response.statusCode, elapsed_ms)
}

/** Returns a promise only if it must wait for something. */
function serve(
  options: AppOptions,
  router: Router,
  exchange: Exchange,
  found: Found | null,
): void | Promise<void> {
  const { compiled } = exchange
  if (found?.page) return showPage(options, exchange, found.page)
  if (!compiled) return absent(options, router, exchange)
  return after(guard(options, compiled, exchange), () =>
    after(readBody(compiled, exchange), body => {
      exchange.body = body
      return after(checkAgain(options, compiled, exchange), () =>
        answer(options, compiled, exchange),
      )
    }),
  )
}

const slow_body_ms = 1000

/** The session may have ended, or the key have been revoked, while a slow body arrived. */
function checkAgain(
  { access }: AppOptions,
  { route }: CompiledRoute,
  exchange: Exchange,
): void | Promise<void> {
  const { principal, began_ms } = exchange
  if (!principal || performance.now() - began_ms < slow_body_ms) return
  return after(access.stands(principal), stands => {
    if (stands) return
    if (route.permission !== 'public') throw endedMeanwhile
    exchange.principal = null
  })
}

const endedMeanwhile = problem('invalid_token', {
  detail: 'The session or the key of this token ended while the body arrived. Log in again.',
  headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
})

function answer(
  options: AppOptions,
  compiled: CompiledRoute,
  exchange: Exchange,
): void | Promise<void> {
  if (options.telemetry !== noTelemetry) trace(options.telemetry, compiled, exchange)
  options.deprecatedCalls.count(compiled, exchange)
  return after(handleRequest(options, compiled, exchange), found => {
    if (found.kind === 'stream') return sendStream(options, compiled, exchange, found)
    sendOutcome(compiled, exchange, found, error => refuse(options, exchange, error))
  })
}

async function showPage(options: AppOptions, exchange: Exchange, page: WebPage): Promise<void> {
  const shown = await page.read(exchange)
  sendRendered(exchange, { ...exchange.reply_headers }, shown, error =>
    refuse(options, exchange, error),
  )
}

function absent({ sockets }: AppOptions, router: Router, exchange: Exchange): void {
  const { path, method, reply_headers } = exchange
  if (sockets.paths.includes(path)) throw notUpgraded(method)
  const allow = router.methodsOf(path)
  if (allow instanceof Problem) throw allow
  if (method === 'OPTIONS') return write(exchange, 204, { ...reply_headers, allow }, null)
  throw problem('method_not_allowed', {
    detail: `This path accepts ${allow}, but not ${method}.`,
    headers: { allow },
  })
}

/** Sends the refusal, unless a reply was sent already. It must not throw. */
function refuse(options: AppOptions, exchange: Exchange, error: unknown): void {
  const { response, principal } = exchange
  const send = (refusal: unknown): void => {
    if (response.headersSent) {
      if (!response.writableEnded) response.destroy()
      return
    }
    try {
      sendProblem(options, exchange, refusal)
    } catch (error_) {
      // The refusal has a header that cannot be sent.
      sendProblem(options, exchange, error_)
    }
  }
  const complete = completeDenial(options, principal, error, exchange.method)
  if (complete instanceof Promise) complete.then(send, send)
  else if (complete) send(complete)
  else send(error)
}

async function sendStream(
  options: AppOptions,
  { route }: CompiledRoute,
  exchange: Exchange,
  { replayed, events }: Extract<Answer, { kind: 'stream' }>,
): Promise<void> {
  const { principal, response, reply_headers } = exchange
  exchange.lasts = true
  response.writeHead(200, {
    ...reply_headers,
    ...route.headers,
    ...sseHeaders,
    ...(replayed ? { 'idempotent-replayed': 'true' } : {}),
  })
  await writeEvents(response, events, {
    heartbeat_ms: options.heartbeat_ms,
    stall_ms: options.stall_ms,
    stands: principal ? () => mayGoOn(options, route, principal) : undefined,
    moved: principal ? () => options.tenants.isGone(principal) : undefined,
    stopping: options.stopping,
    may_be_quiet: route.watch !== undefined,
    abort: reason => exchange.abort(reason),
  })
}

/** A reply to one request may outlast its token. What is watched would go on without an end. */
function mayGoOn({ access, clock }: AppOptions, { watch }: Route, principal: Principal) {
  const { expires_at = Infinity } = principal
  return watch && clock.nowSeconds() >= expires_at ? false : access.stands(principal)
}

function trace(telemetry: Telemetry, { operation, route }: CompiledRoute, exchange: Exchange) {
  const span = telemetry.start(operation, exchange.given_trace, 'server')
  exchange.follow(span.traceparent)
  const { response } = exchange
  response.once('close', () => {
    const status = response.statusCode
    const attributes = {
      'http.route': route.path,
      'http.request.method': route.method,
      'http.response.status_code': status,
      'dodeca.request_id': exchange.id,
    }
    span.end(attributes, status >= 500)
  })
}
