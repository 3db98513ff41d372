/**
 * Maps a failure of the provider to the code for the client, and to whether another call or
 * deployment may succeed. No text of the provider is kept, because it may contain a key or the
 * prompt of another user.
 */
import type { Buffer } from 'node:buffer'
import { UpstreamFailure, type Weight } from '#dodeca/kernel'
import { ProviderFailure, type FailureCode, type ProviderFailureOptions } from './provider.ts'

type Meaning = readonly [code: FailureCode, options: ProviderFailureOptions]

const unavailable: Meaning = ['service_unavailable', { retryable: true }]
const unsupported: Meaning = ['model_capability_unsupported', {}]
const filtered: Meaning = ['content_blocked', { blocked: 'provider_content_filter' }]

/** By the provider's own code. Other codes are mapped by status. */
const meanings: Readonly<Record<string, Meaning>> = {
  context_length_exceeded: ['context_length_exceeded', {}],
  string_above_max_length: ['context_length_exceeded', {}],
  content_filter: filtered,
  content_policy_violation: filtered,
  invalid_prompt: filtered,
  unsupported_parameter: unsupported,
  unsupported_value: unsupported,
  invalid_json_schema: unsupported,
  request_too_large: ['context_length_exceeded', {}],
}

/** Two vendors tell only in words that an input is too long. */
const too_long = /prompt is too long|input token count .{0,40}exceeds/i

/** The failure in an event or a response. */
export function failureOfCode(given: unknown): ProviderFailure {
  const reason = nameOf(given)
  const [code, options] = meanings[reason] ?? unavailable
  return new ProviderFailure(code, { ...options, reason })
}

/** Maps anything that was thrown. `sent` means that an attempt may have been carried out. */
export function failureOf(error: unknown, sent: boolean): ProviderFailure {
  if (error instanceof ProviderFailure) return error
  if (error instanceof UpstreamFailure) return failureOfUpstream(error)
  if (error instanceof SyntaxError) return invalid('malformed_json', sent)
  throw error
}

export function invalid(reason: string, ambiguous: boolean): ProviderFailure {
  return new ProviderFailure('upstream_invalid_response', { retryable: true, ambiguous, reason })
}

/** The protocol has no word for a wish of the caller, and nothing is dropped. Nothing was sent. */
export function unable(reason: string): ProviderFailure {
  return new ProviderFailure('model_capability_unsupported', { reason })
}

export function timedOut(reason: string, ambiguous: boolean): ProviderFailure {
  return new ProviderFailure('upstream_timeout', { retryable: true, ambiguous, reason })
}

export function aborted(ambiguous: boolean): ProviderFailure {
  return new ProviderFailure('aborted', { ambiguous, reason: 'aborted' })
}

function failureOfUpstream(error: UpstreamFailure): ProviderFailure {
  const { reason, ambiguous } = error
  switch (reason) {
    case 'connect':
      return ambiguous ? timedOut(reason, true) : unreachable(error)
    case 'timeout':
      return timedOut(reason, ambiguous)
    case 'invalid_response':
      return invalid('broken_body', ambiguous)
    case 'aborted':
      return aborted(ambiguous)
    case 'circuit_open':
    case 'rate_limited':
    case 'unavailable':
      return new ProviderFailure('service_unavailable', { retryable: true, reason })
  }
}

/** No byte was sent: the address, the port or the network is wrong. */
function unreachable(error: UpstreamFailure): ProviderFailure {
  const { code } = deepest(error) as { code?: unknown }
  const reason = typeof code === 'string' && /^[A-Z_]{1,40}$/.test(code) ? code : 'connect'
  return new ProviderFailure('upstream_unreachable', { retryable: true, reason })
}

function deepest(error: Error): Error {
  return error.cause instanceof Error ? deepest(error.cause) : error
}

/** The `error` in the body of a refusal; null in the error page of a gateway. */
export function errorIn(body: Buffer): Readonly<Record<string, unknown>> | null {
  try {
    const { error } = (JSON.parse(body.toString('utf8')) ?? {}) as { error?: unknown }
    return typeof error === 'object' ? (error as Record<string, unknown> | null) : null
  } catch {
    return null
  }
}

/**
 * The vendor's name for an error: OpenAI's `code`, which may be null, Anthropic's `type`, Gemini's
 * `status` beside a code that is a number.
 */
export function codeOf(error: Readonly<Record<string, unknown>> | null): unknown {
  const { code, type, status, message } = error ?? {}
  if (typeof code !== 'string' && typeof message === 'string' && too_long.test(message)) {
    return 'context_length_exceeded'
  }
  if (code === undefined) return type
  return typeof code === 'number' && typeof status === 'string' ? status.toLowerCase() : code
}

export function failureOfStatus(status: number, body: Buffer): ProviderFailure {
  const error = errorIn(body)
  const code = codeOf(error)
  const named = nameOf(code)
  const reason = code ? named : `http_${status}`
  const known = meanings[named]
  if (known && status < 500) return new ProviderFailure(known[0], { ...known[1], reason })
  if (!error && status >= 500) return invalid(`http_${status}`, isGateway(status))
  if (status === 400 || status === 422) {
    return new ProviderFailure('upstream_invalid_response', { reason })
  }
  const ambiguous = isGateway(status)
  // Any other 4xx, such as a refused key, would be refused again.
  const retryable = status >= 500 || passing.has(status)
  return new ProviderFailure('service_unavailable', { retryable, ambiguous, reason })
}

const passing = new Set([408, 409, 425, 429])

/** A gateway that timed out does not know whether the provider did the work. */
export function isGateway(status: number): boolean {
  return status === 408 || status === 502 || status === 504
}

/** Only values that look like an error code are stored and logged. */
export function nameOf(code: unknown): string {
  return typeof code === 'string' && /^[a-z][a-z0-9_]{0,63}$/.test(code) ? code : 'unnamed'
}

/**
 * The weight of a failure in the circuit. A refused request says nothing about the health of the
 * provider.
 */
export function weightOf({ code, reason }: ProviderFailure): Weight {
  switch (code) {
    case 'upstream_timeout':
    case 'upstream_unreachable':
    case 'upstream_invalid_response':
      return reason === 'http_400' || reason === 'http_422' ? null : 1
    case 'service_unavailable':
      return reason === 'rate_limit_exceeded' ? 0.5 : 1
    case 'content_blocked':
      return 0
    case 'context_length_exceeded':
    case 'model_capability_unsupported':
    case 'aborted':
      return null
  }
}
