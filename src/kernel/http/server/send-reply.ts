/**
 * Sends the result of a request: an outcome with its exact bytes, a stream, or a problem document.
 * Every reply has the request id and the security headers. No header names the server software.
 */
import type { OutgoingHttpHeaders } from 'node:http'
import { StoreUnavailable } from '../../objects/objects.ts'
import { finished, Readable } from 'node:stream'
import { codeOf } from '../../errors/error-code.ts'
import { DatabaseBusy, isRetryable, isUnavailable } from '../../database/failures.ts'
import type { Log } from '../../observability/log.ts'
import { logOutage } from '../../observability/outage-log.ts'
import { UpstreamFailure, problemCodeOf } from '../../outgoing/upstream.ts'
import type { CompiledRoute } from './compile-route.ts'
import { isNotModified } from '../contract/etag.ts'
import type { Exchange, Refused } from './exchange.ts'
import type { Answer } from './request-steps.ts'
import type { Rendered } from '../contract/reply.ts'
import { Problem, problem, renderProblem } from '../../errors/problem.ts'
import { deprecationHeaders } from '../contract/deprecation.ts'

export const securityHeaders: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
}

/** `fail` gets the error of a body that fails before its first byte was sent. */
export function sendOutcome(
  { route }: CompiledRoute,
  exchange: Exchange,
  { result }: Extract<Answer, { kind: 'outcome' }>,
  fail: (error: unknown) => void,
): void {
  const headers: OutgoingHttpHeaders = { ...exchange.reply_headers, ...route.headers }
  if (result.replayed) headers['idempotent-replayed'] = 'true'
  if (route.deprecated) Object.assign(headers, deprecationHeaders(route.deprecated))
  sendRendered(exchange, headers, result.outcome, fail)
}

/** Sends these headers and the outcome's own. */
export function sendRendered(
  exchange: Exchange,
  headers: OutgoingHttpHeaders,
  outcome: Rendered,
  fail: (error: unknown) => void,
): void {
  Object.assign(headers, outcome.headers)
  const { status, body } = outcome
  if (isUnchanged(exchange, outcome)) {
    delete headers['content-type']
    if (body instanceof Readable) body.on('error', () => {}).destroy()
    return write(exchange, 304, headers, null)
  }
  if (body instanceof Readable) return writeStream(exchange, status, headers, body, fail)
  // A refusal that was recorded for an Idempotency-Key is an outcome with the bytes of its document.
  const is_problem = String(headers['content-type']).startsWith('application/problem+json')
  if (is_problem && typeof body === 'string') exchange.refused = JSON.parse(body) as Refused
  write(exchange, status, headers, body)
}

/** Throws if a header cannot be sent. Then nothing was sent yet. */
export function write(
  { incoming, response }: Exchange,
  status: number,
  headers: OutgoingHttpHeaders,
  body: string | Uint8Array | null,
  close = false,
): void {
  incoming?.leave(close)
  const bytes = body === null ? 0 : Buffer.byteLength(body)
  if (body !== null || (status !== 204 && status !== 304)) headers['content-length'] = bytes
  response.writeHead(status, headers)
  if (body === null) response.end()
  // Text of ASCII alone is the same in Latin-1, which is cheaper to write.
  else response.end(body, bytes === body.length ? 'latin1' : 'utf8')
}

/** The headers are sent with the first bytes, so that a file that cannot be read is a problem. */
function writeStream(
  { incoming, method, response }: Exchange,
  status: number,
  headers: OutgoingHttpHeaders,
  body: Readable,
  fail: (error: unknown) => void,
): void {
  incoming?.leave(false)
  if (method === 'HEAD') {
    body.on('error', () => {}).destroy()
    response.writeHead(status, headers).end()
    return
  }
  response.statusCode = status
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) response.setHeader(name, value)
  }
  finished(body, { writable: false }, error => {
    if (!error) return
    if (response.headersSent || response.destroyed) return void response.destroy()
    for (const name of response.getHeaderNames()) response.removeHeader(name)
    fail(error)
  })
  response.once('close', () => body.destroy())
  body.pipe(response)
}

function isUnchanged({ method, headers }: Exchange, outcome: Rendered): boolean {
  return (
    outcome.status === 200 &&
    (method === 'GET' || method === 'HEAD') &&
    isNotModified(headers['if-none-match'], outcome.headers['etag'] as string | undefined)
  )
}

const turned_away = new Set(['overloaded', 'shutting_down'])

export type ProblemDeps = {
  readonly public_url: string
  readonly log: Log
  /** Where applications read how they get a token for this API; null if nothing gives tokens. */
  metadataOf(resource: string): string | null
  /** In development and tests a code that the route does not declare is a failure. */
  readonly strict: boolean
}

export function sendProblem(deps: ProblemDeps, exchange: Exchange, error: unknown): void {
  const { compiled, id, path } = exchange
  const refusal = brokeOff(exchange, error) ?? refusalFor(deps, compiled, id, error)
  exchange.refused = refusedBy(refusal)
  const { retry_after, headers } = refusal.details
  const reply_headers: OutgoingHttpHeaders = {
    ...exchange.reply_headers,
    ...(retry_after !== undefined && { 'retry-after': String(retry_after) }),
    ...(refusal.code === 'rate_limited' && rateHeaders(refusal)),
    ...(refusal.status === 401 && { 'www-authenticate': `Bearer error="${refusal.code}"` }),
    ...headers,
    'content-type': 'application/problem+json; charset=utf-8',
  }
  nameMetadata(deps, compiled, refusal.status, reply_headers)
  const { public_url } = deps
  const { problemAs } = compiled?.route ?? {}
  const body = renderProblem(refusal, { public_url, path, request_id: id, problemAs })
  // The unread rest of a too large body must not be read as the next request.
  write(
    exchange,
    refusal.status,
    reply_headers,
    body,
    refusal.status === 413 || refusal.status === 408,
  )
}

/** What the logs say of a refusal. */
export function refusedBy({ code, details: { errors, more } }: Problem): Refused {
  return { code, permission: more?.['permission'], errors }
}

/** The problem that a caller gets for an error of an operation. Failures are logged. */
export function refusalFor(
  deps: Pick<ProblemDeps, 'log' | 'strict'>,
  compiled: CompiledRoute | null,
  request_id: string,
  error: unknown,
): Problem {
  const refusal = declared(deps, compiled, refusalOf(compiled, error))
  // Refusing work is not a failure. A log line for each refusal would cost most when the process is
  // overloaded.
  const is_said = turned_away.has(refusal.code) || refusal.details.logged
  if (refusal.status >= 500 && !is_said) {
    const fields = { request_id, route: compiled?.operation, err: error }
    if (isUnavailable(error)) logOutage(deps.log, fields, 'the database is not available')
    else deps.log.error(fields, refusal.code)
  }
  return refusal
}

/**
 * RFC 9728, 5.1: an application without a token finds out where people log in. One of another API
 * than `/v1` also finds out where it gets more scope.
 */
function nameMetadata(
  { metadataOf }: ProblemDeps,
  compiled: CompiledRoute | null,
  status: number,
  reply_headers: OutgoingHttpHeaders,
): void {
  const resource = compiled?.route.resource
  if (status !== 401 && !(status === 403 && resource)) return
  const challenge = String(reply_headers['www-authenticate'])
  const metadata = challenge.startsWith('Bearer') ? metadataOf(resource ?? '/v1') : null
  if (metadata === null) return
  const separator = challenge === 'Bearer' ? ' ' : ', '
  reply_headers['www-authenticate'] = `${challenge}${separator}resource_metadata="${metadata}"`
}

/** A surface's own limit sends only Retry-After. The rates of the pipeline send more headers. */
export function rateHeaders({ details }: Problem): Record<string, string> {
  return { ratelimit: `"operation";r=0;t=${details.retry_after ?? 1}`, ...details.headers }
}

/**
 * A caller that disconnects during its body is not a failure, although the code of the error looks
 * like a database error.
 */
function brokeOff({ request }: Exchange, error: unknown): Problem | null {
  return codeOf(error) === 'ECONNRESET' && !request.complete ? problem('malformed_request') : null
}

/** Codes that the pipeline itself may return on any route. */
const common = new Set(
  `malformed_request malformed_json invalid_cursor invalid_header idempotency_key_missing
  idempotency_key_invalid authentication_required invalid_token permission_denied
  insufficient_scope mfa_enrollment_required step_up_required csrf_failed
  not_found method_not_allowed not_acceptable request_timeout idempotency_key_reused
  idempotency_in_progress content_too_large unsupported_media_type validation_failed
  unsupported_field invalid_character rate_limited internal_error upstream_invalid_response service_unavailable
  overloaded shutting_down storage_full storage_unavailable upstream_timeout`.split(/\s+/),
)

function declared(
  deps: Pick<ProblemDeps, 'log' | 'strict'>,
  compiled: CompiledRoute | null,
  refusal: Problem,
): Problem {
  if (!deps.strict || !compiled || common.has(refusal.code)) return refusal
  const { fails = [], absent } = compiled.route
  if (fails.includes(refusal.code) || refusal.code === absent) return refusal
  deps.log.error(
    { route: compiled.operation, code: refusal.code },
    'the route does not declare this code',
  )
  return problem('internal_error', {}, { cause: refusal })
}

/** A body that is too large for the route is refused with the limit. */
function refusalOf(compiled: CompiledRoute | null, error: unknown): Problem {
  const refusal = problemOf(error)
  if (refusal.code !== 'content_too_large' || refusal.details.detail || !compiled) return refusal
  const detail = `The body may have at most ${compiled.body_limit_bytes} bytes. Send less, or split it.`
  return problem('content_too_large', { ...refusal.details, detail })
}

/** Returns the problem that a caller gets for any error. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof UpstreamFailure) return problem(problemCodeOf(error), {}, { cause: error })
  if (error instanceof DatabaseBusy) {
    return problem('overloaded', { retry_after: 1 }, { cause: error })
  }
  if (error instanceof StoreUnavailable) {
    return problem('storage_unavailable', { retry_after: 1 }, { cause: error })
  }
  if (isRetryable(error) || isUnavailable(error)) {
    return problem('service_unavailable', { retry_after: 1 }, { cause: error })
  }
  const code = codeOf(error)
  if (code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE') {
    return problem('malformed_request')
  }
  return problem('internal_error', {}, { cause: error })
}
