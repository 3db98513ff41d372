/**
 * Sends the result of a request: an outcome with its exact bytes, a stream, or a problem document.
 * Every reply has the request id and the security headers. No header names the server software.
 */
import type { OutgoingHttpHeaders } from 'node:http'
import { StoreUnavailable } from '../objects/objects.ts'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { codeOf } from '../errors/error-code.ts'
import { DatabaseBusy, isRetryable, isUnavailable } from '../database/failures.ts'
import type { Log } from '../observability/log.ts'
import { logOutage } from '../observability/outage-log.ts'
import { UpstreamFailure, problemCodeOf } from '../outgoing/upstream.ts'
import { unsupported } from './body-parsers.ts'
import type { CompiledRoute } from './compile-route.ts'
import { isNotModified } from './etag.ts'
import { pathOf } from './request-context.ts'
import type { Answer } from './handle-request.ts'
import type { Refused } from './log-request.ts'
import type { Rendered } from './keyed-request.ts'
import { Problem, problem, renderProblem } from '../errors/problem.ts'
import { deprecationHeaders } from './deprecation.ts'

export const securityHeaders: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
}

/**
 * Writes the outcome directly, not through the framework. Its status, headers and bytes are final
 * here, so another check of each would only cost time (1.5 of 22 µs a request).
 */
export function sendOutcome(
  compiled: CompiledRoute,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Extract<Answer, { kind: 'outcome' }>,
): FastifyReply | undefined {
  request.incoming?.leave(false)
  const { outcome, replayed } = answer.result
  const { route } = compiled
  const { raw } = reply
  const unchanged = isUnchanged(request, outcome)
  const status = unchanged ? 304 : outcome.status
  const headers = reply.getHeaders() as OutgoingHttpHeaders
  Object.assign(headers, route.headers, outcome.headers)
  if (answer.ignored) headers['x-ignored-fields'] = answer.ignored
  if (replayed) headers['idempotent-replayed'] = 'true'
  if (route.deprecated) Object.assign(headers, deprecationHeaders(route.deprecated))
  const body = unchanged ? null : outcome.body
  // A refusal that was recorded for an Idempotency-Key is an outcome with the bytes of its document.
  const is_problem = String(headers['content-type']).startsWith('application/problem+json')
  if (is_problem && typeof body === 'string') request.refused = JSON.parse(body) as Refused
  if (unchanged) delete headers['content-type']
  // Tells the framework to wait for the stream. Otherwise the framework would end a reply whose
  // headers were not sent yet.
  else if (body instanceof Readable) return reply.code(status).headers(headers).send(body)
  else if (body !== null) headers['content-length'] = Buffer.byteLength(body)
  else if (status !== 204) headers['content-length'] = 0
  // Sets the headers first. If a header cannot be sent, the reply is still a problem document.
  raw.writeHead(status, headers)
  reply.hijack()
  if (body === null) raw.end()
  else raw.end(body)
  return undefined
}

function isUnchanged(request: FastifyRequest, outcome: Rendered): boolean {
  return (
    outcome.status === 200 &&
    (request.method === 'GET' || request.method === 'HEAD') &&
    isNotModified(request.headers['if-none-match'], outcome.headers['etag'] as string | undefined)
  )
}

const turned_away = new Set(['overloaded', 'shutting_down'])

export type ProblemDeps = {
  readonly public_url: string
  readonly log: Log
  /** In development and tests a code that the route does not declare is a failure. */
  readonly strict: boolean
  readonly body_limit_bytes: number
}

export function sendProblem(
  deps: ProblemDeps,
  compiled: CompiledRoute | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
): FastifyReply {
  const refusal =
    brokeOff(request, error) ?? declared(deps, compiled, refusalOf(deps, compiled, request, error))
  // Refusing work is not a failure. A log line for each refusal would cost most when the process is
  // overloaded.
  const is_said = turned_away.has(refusal.code) || refusal.details.logged
  if (refusal.status >= 500 && !is_said) {
    const fields = { request_id: request.id, route: compiled?.operation, err: error }
    if (isUnavailable(error)) logOutage(deps.log, fields, 'the database is not available')
    else deps.log.error(fields, refusal.code)
  }
  request.refused = { code: refusal.code, permission: refusal.details.more?.['permission'] }
  const body = renderProblem(refusal, {
    public_url: deps.public_url,
    path: pathOf(request),
    request_id: request.id,
  })
  if (refusal.details.retry_after !== undefined) {
    void reply.header('retry-after', String(refusal.details.retry_after))
  }
  if (refusal.code === 'rate_limited') void reply.headers(rateHeaders(refusal))
  if (refusal.status === 401 && !refusal.details.headers?.['www-authenticate']) {
    void reply.header('www-authenticate', `Bearer error="${refusal.code}"`)
  }
  // The unread rest of a too large body must not be read as the next request.
  request.incoming?.leave(refusal.status === 413 || refusal.status === 408)
  return reply
    .code(refusal.status)
    .headers({
      ...refusal.details.headers,
      'content-type': 'application/problem+json',
      'x-request-id': request.id,
    })
    .send(body)
}

/** A surface's own limit sends only Retry-After. The rates of the pipeline send more headers. */
export function rateHeaders({ details }: Problem): Record<string, string> {
  return { ratelimit: `"operation";r=0;t=${details.retry_after ?? 1}`, ...details.headers }
}

/**
 * A caller that disconnects during its body is not a failure, although the code of the error looks
 * like a database error.
 */
function brokeOff({ raw }: FastifyRequest, error: unknown): Problem | null {
  return codeOf(error) === 'ECONNRESET' && !raw.complete ? problem('malformed_request') : null
}

/** Codes that the pipeline itself may return on any route. */
const common = new Set(
  `malformed_request malformed_json invalid_cursor invalid_header idempotency_key_missing
  idempotency_key_invalid authentication_required invalid_token permission_denied
  mfa_enrollment_required step_up_required csrf_failed
  not_found method_not_allowed not_acceptable request_timeout idempotency_key_reused
  idempotency_in_progress content_too_large unsupported_media_type validation_failed
  invalid_character rate_limited internal_error upstream_invalid_response service_unavailable
  overloaded shutting_down storage_full storage_unavailable upstream_timeout`.split(/\s+/),
)

function declared(
  deps: ProblemDeps,
  compiled: CompiledRoute | undefined,
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

/** Refusals of the framework state the limits of this route. */
function refusalOf(
  deps: ProblemDeps,
  compiled: CompiledRoute | undefined,
  request: FastifyRequest,
  error: unknown,
): Problem {
  const refusal = problemOf(error)
  if (refusal.details.detail) return refusal
  if (refusal.code === 'unsupported_media_type') {
    return unsupported(request.headers['content-type'], request.method)
  }
  if (refusal.code === 'content_too_large' && compiled) {
    const limit = compiled.route.body_limit_bytes ?? deps.body_limit_bytes
    const detail = `The body may have at most ${limit} bytes. Send less, or split it.`
    return problem('content_too_large', { ...refusal.details, detail })
  }
  return refusal
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
  return frameworkProblem(error) ?? problem('internal_error', {}, { cause: error })
}

/** The framework's own refusals, by its stable codes. */
function frameworkProblem(error: unknown): Problem | null {
  const code = (error as { code?: string } | null)?.code ?? ''
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return problem('unsupported_media_type')
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return problem('content_too_large')
  if (code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH') return problem('malformed_request')
  if (code === 'FST_ERR_BAD_URL' || code === 'FST_ERR_MAX_PARAM_LENGTH') {
    return problem('malformed_request', { detail: 'The URL is malformed.' })
  }
  if (code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE')
    return problem('malformed_request')
  return null
}
