/**
 * Maps a failure of the provider to the code for the client, and to whether another call or
 * deployment may succeed. No text of the provider is kept, because it may contain a key or the
 * prompt of another user.
 */
import { APIConnectionError, APIError } from 'openai/core/error'
import { UpstreamFailure } from '../../../kernel/outgoing/upstream.ts'
import type { Weight } from '../../../kernel/outgoing/circuit.ts'
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
}

/** The failure in an event or a response. */
export function failureOfCode(given: unknown): ProviderFailure {
  const reason = nameOf(given)
  const [code, options] = meanings[reason] ?? unavailable
  return new ProviderFailure(code, { ...options, reason })
}

/**
 * Maps anything that the SDK or the outgoing client threw. `sent` means that an attempt may have
 * been carried out.
 */
export function failureOf(error: unknown, sent: boolean): ProviderFailure {
  if (error instanceof ProviderFailure) return error
  if (error instanceof UpstreamFailure) return failureOfUpstream(error)
  if (error instanceof APIConnectionError) {
    const options = { retryable: true, ambiguous: sent, reason: 'connection' }
    return new ProviderFailure('upstream_timeout', options)
  }
  if (error instanceof APIError) return failureOfStatus(error as Refusal)
  if (error instanceof SyntaxError) return invalid('malformed_json', sent)
  throw error
}

export function invalid(reason: string, ambiguous: boolean): ProviderFailure {
  return new ProviderFailure('upstream_invalid_response', { retryable: true, ambiguous, reason })
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

type Refusal = { readonly status: unknown; readonly code: unknown; readonly error: unknown }

function failureOfStatus(error: Refusal): ProviderFailure {
  const { status, error: body } = error
  const named = nameOf(error.code)
  const is_json = typeof body === 'object' && body !== null
  // An error without a status is an event of a stream.
  if (typeof status !== 'number') return failureOfCode(error.code)
  const reason = error.code ? named : `http_${status}`
  const known = meanings[named]
  if (known && status < 500) return new ProviderFailure(known[0], { ...known[1], reason })
  // An error page of a gateway instead of the provider's reply.
  if (!is_json && status >= 500) return invalid(`http_${status}`, isGateway(status))
  if (status === 400 || status === 422) {
    return new ProviderFailure('upstream_invalid_response', { reason })
  }
  const ambiguous = isGateway(status)
  return new ProviderFailure('service_unavailable', { retryable: true, ambiguous, reason })
}

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
