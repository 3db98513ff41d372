/**
 * Mounts the list of routes on the HTTP server. All routes share one pipeline. An unknown path is
 * 404, and a known path with another method is 405 with Allow. Every refusal of the framework
 * becomes a problem document. Closing the server ends streams first.
 */
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import findMyWay from 'find-my-way'
import { completeDenial } from '../access/permission-denied.ts'
import { newId } from '../ids.ts'
import { traceOfRequest } from '../observability/context.ts'
import type { Log } from '../observability/log.ts'
import type { Metrics } from '../observability/metrics.ts'
import { noTelemetry, type Telemetry } from '../observability/telemetry.ts'
import { securityHeaders, sendOutcome, sendProblem } from './send-reply.ts'
import type { Connections } from './connections.ts'
import { parsers } from './body-parsers.ts'
import { compileRoute, type CompiledRoute } from './compile-route.ts'
import { allowOrigin } from './cors.ts'
import { guard, type GuardDeps, type Passed } from './guard.ts'
import { handleRequest, type Answer, type RequestDeps } from './handle-request.ts'
import { isPathOf, openNearPaths } from './near-path.ts'
import { problem, type Catalog } from '../errors/problem.ts'
import { notUpgraded, serverBehind, type Front, type Upgrades } from './request-interceptor.ts'
import { onlyReads, type Route, consumesOf } from './route.ts'
import { announcesBody, IncomingBody } from './incoming-body.ts'
import { logRequest, type Refused } from './log-request.ts'
import { sseHeaders, writeEvents } from './sse.ts'

export type AppOptions = GuardDeps &
  RequestDeps & {
    readonly routes: readonly Route[]
    readonly log: Log
    readonly metrics: Metrics
    readonly telemetry: Telemetry
    readonly body_limit_bytes: number
    /** Time for a body to arrive, if the route sets no other time. */
    readonly body_seconds: number
    readonly headers_seconds: number
    readonly slow_request_ms: number
    /** The time that a connection without requests stays open. */
    readonly idle_seconds: number
    readonly connections: Connections
    readonly sockets: Upgrades
    readonly heartbeat_ms: number
    readonly stall_ms: number
    readonly strict: boolean
    readonly catalog: Catalog
    readonly secure: boolean
    readonly cors_origins: readonly string[]
    /** Interceptors that surfaces register. They run before the framework handles the request. */
    readonly fronts: readonly Front[]
  }

/** The server with all routes mounted. */
export type App = FastifyInstance

declare module 'fastify' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface can be merged
  interface FastifyRequest {
    passed: Passed | null
    /** The body while it arrives, or null if the request announces no body. */
    incoming: IncomingBody | null
    /** Why the request was refused, for the log. */
    refused: Refused | null
  }
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface can be merged
  interface FastifyContextConfig {
    compiled?: CompiledRoute
  }
}

const url_bytes_max = 8 * 1024
const header_bytes_max = 16 * 1024
const tooLong = problem('malformed_request', {
  detail: `The URL has more than ${url_bytes_max} bytes. Send less in the query.`,
})

export function buildApp(options: AppOptions): App {
  const app = Fastify({
    logger: false,
    genReqId: newId,
    bodyLimit: options.body_limit_bytes,
    routerOptions: { maxParamLength: 512 },
    http: {
      maxHeaderSize: header_bytes_max,
      headersTimeout: options.headers_seconds * 1000,
      connectionsCheckingInterval: 1000,
    },
    // Each body has its own time limit. This limit is for bodies that no code waits for.
    requestTimeout: longest_request_ms(options),
    serverFactory: serverBehind(options),
    keepAliveTimeout: options.idle_seconds * 1000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) =>
      void sendProblem(options, undefined, request, reply.headers(common), error),
    clientErrorHandler: (error, socket) => options.connections.refuse(error, socket),
  })
  const common: Record<string, string> = {
    ...securityHeaders,
    ...(options.secure ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  }
  const absent = notFound(options)
  for (const name of ['passed', 'incoming', 'refused']) app.decorateRequest(name, null)
  app.addHook('onRequest', (request, reply, done) => {
    void reply.headers(common).header('x-request-id', request.id)
    if (options.cors_origins.length > 0) allowOrigin(options.cors_origins, request, reply)
    if (request.url.length > url_bytes_max) return done(tooLong)
    if (announcesBody(request.raw)) request.incoming = incomingOf(options, request, reply)
    // Runs before the body is read. An unknown path is refused before any check of the body.
    if (request.is404) return void absent(request, reply)
    const compiled = request.routeOptions.config.compiled
    if (!compiled) return done()
    try {
      const pass = (found: Passed): void => {
        request.passed = found
        if (request.incoming) askForBody(compiled.route, request, request.incoming)
        done()
      }
      const passed = guard(options, compiled, request, reply)
      if (!(passed instanceof Promise)) return pass(passed)
      passed.then(pass).catch((error: unknown) => done(error as Error))
    } catch (error) {
      done(error as Error)
    }
  })
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.config.compiled?.route.path ?? 'none'
    options.metrics.requests.observe(
      { method: request.method, route, status: reply.statusCode },
      reply.elapsedTime / 1000,
    )
    logRequest(options.log, options.slow_request_ms, request, reply)
    done()
  })
  app.setErrorHandler((error, request, reply) => refuse(options, error, request, reply))
  mount(app, options)
  return app
}

function refuse(options: AppOptions, error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const { compiled } = request.routeOptions.config
  const send = (refusal: unknown) => sendProblem(options, compiled, request, reply, refusal)
  return completeDenial(options, request.passed?.principal, error)?.then(send, send) ?? send(error)
}

function incomingOf(
  options: AppOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): IncomingBody {
  const { compiled } = request.routeOptions.config
  return new IncomingBody(request.raw, reply.raw, {
    seconds: compiled?.route.body_seconds ?? options.body_seconds,
    pending: options.connections.pending,
    refuse: refusal => void sendProblem(options, compiled, request, reply, refusal),
  })
}

function askForBody(route: Route, request: FastifyRequest, incoming: IncomingBody): void {
  if (consumesOf(route) !== 'json' || route.method === 'GET') return // `100 Continue` comes later
  if ((incoming.declared_bytes ?? 0) > request.routeOptions.bodyLimit) {
    throw problem('content_too_large')
  }
  incoming.goOn()
}

function longest_request_ms({ routes, headers_seconds, body_seconds }: AppOptions): number {
  const bodies = routes.map(route => route.body_seconds ?? 0)
  return (headers_seconds + Math.max(body_seconds, ...bodies)) * 1000
}

function mount(app: FastifyInstance, options: AppOptions): void {
  const compiled = options.routes.map(route => compileRoute(route, options))
  parsers.json(app)
  for (const one of compiled) if (consumesOf(one.route) === 'json') addRoute(app, options, one)
  for (const kind of ['raw', 'stream'] as const) {
    void app.register((scope, _options, done) => {
      parsers[kind](scope)
      for (const one of compiled) if (one.route.consumes === kind) addRoute(scope, options, one)
      done()
    })
  }
}

function addRoute(app: FastifyInstance, options: AppOptions, compiled: CompiledRoute): void {
  const { route } = compiled
  app.route({
    method: route.method,
    url: routerPath(route.path),
    exposeHeadRoute: onlyReads(route),
    config: { compiled },
    ...(route.body_limit_bytes ? { bodyLimit: route.body_limit_bytes } : {}),
    handler: (request, reply) => {
      const { passed } = request
      if (!passed) throw new Error('a request reached its handler without its guard')
      if (options.telemetry !== noTelemetry) trace(options.telemetry, compiled, passed, reply)
      // Events, jobs and webhooks of this request can be found by its id.
      passed.facts.traceparent ??= traceOfRequest(passed.facts.id)
      options.deprecatedCalls.count(compiled, request, reply, passed.principal)
      const answer = handleRequest(options, compiled, request, passed)
      const tell = (found: Answer): unknown =>
        found.kind === 'outcome'
          ? sendOutcome(compiled, request, reply, found)
          : sendStream(options, compiled, reply, passed, found)
      return answer instanceof Promise ? answer.then(tell) : tell(answer)
    },
  })
}

async function sendStream(
  options: AppOptions,
  { route }: CompiledRoute,
  reply: FastifyReply,
  { facts, principal }: Passed,
  answer: Extract<Answer, { kind: 'stream' }>,
): Promise<void> {
  reply.hijack()
  const headers = { ...reply.getHeaders(), ...route.headers, ...sseHeaders, ...toldOf(answer) }
  reply.raw.writeHead(200, headers as Record<string, string>)
  await writeEvents(reply.raw, answer.events, {
    heartbeat_ms: options.heartbeat_ms,
    stall_ms: options.stall_ms,
    stands: principal ? () => options.access.stands(principal) : undefined,
    stopping: options.stopping,
    may_be_quiet: route.watch !== undefined,
    abort: reason => facts.abort(reason),
  })
}

function trace(
  telemetry: Telemetry,
  { operation, route }: CompiledRoute,
  { facts }: Passed,
  reply: FastifyReply,
): void {
  const span = telemetry.start(operation, facts.traceparent, 'server')
  facts.traceparent = span.traceparent
  reply.raw.once('close', () => {
    const status = reply.raw.statusCode
    const attributes = {
      'http.route': route.path,
      'http.request.method': route.method,
      'http.response.status_code': status,
      'dodeca.request_id': facts.id,
    }
    span.end(attributes, status >= 500)
  })
}

function toldOf({ ignored, replayed }: { ignored: string | null; replayed: boolean }) {
  return {
    ...(ignored ? { 'x-ignored-fields': ignored } : {}),
    ...(replayed ? { 'idempotent-replayed': 'true' } : {}),
  }
}

/** Turns `/v1/jobs/{job_id}` and `/v1/inferences:stream` into the syntax of the router. */
function routerPath(path: string): string {
  return path.replaceAll(':', '::').replaceAll(/\{([a-z_]+)\}/g, ':$1')
}

/** A known path with another method is 405 with Allow. Only an unknown path is 404. */
function notFound(options: AppOptions) {
  const methods = new Map<string, Set<string>>()
  for (const route of options.routes) {
    const { path, method } = route
    const known = methods.get(path) ?? new Set(['OPTIONS'])
    known.add(method)
    if (onlyReads(route)) known.add('HEAD')
    methods.set(path, known)
  }
  const near = openNearPaths(options.routes)
  const paths = findMyWay({ maxParamLength: 512 })
  for (const path of methods.keys()) {
    // `/v1/links/batches` also matches `/v1/links/{code}`, so Allow lists the methods of both.
    const here = [...methods].filter(([pattern]) => isPathOf(pattern, path))
    const allowed = new Set(here.flatMap(([, own]) => [...own]))
    paths.on('GET', routerPath(path), () => {}, [...allowed])
  }
  return (request: FastifyRequest, reply: FastifyReply) => {
    const end = request.url.indexOf('?')
    const path = end === -1 ? request.url : request.url.slice(0, end)
    if (options.sockets.paths.includes(path)) {
      return sendProblem(options, undefined, request, reply, notUpgraded(request.method))
    }
    const allowed = paths.find('GET', path)?.store as string[] | undefined
    const allow = allowed?.sort().join(', ')
    if (!allow) {
      const detail = `No operation has this path.${near(path)} All paths are in /openapi.json.`
      return sendProblem(options, undefined, request, reply, problem('not_found', { detail }))
    }
    if (request.method === 'OPTIONS') return reply.code(204).header('allow', allow).send()
    const refusal = problem('method_not_allowed', {
      detail: `This path accepts ${allow}, but not ${request.method}.`,
      headers: { allow },
    })
    return sendProblem(options, undefined, request, reply, refusal)
  }
}
