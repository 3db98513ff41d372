/**
 * The reason why a provider gave no usable response, as a value that callers check. If `ambiguous`
 * is true, the request may have had its effect. Code that moves money depends on this property. The
 * provider's reply is kept for adapters, but not as a property that a log would print. No part of
 * the reply reaches a client.
 */
import type { Buffer } from 'node:buffer'
import type { ResponseHeaders } from './exchange.ts'

export type UpstreamReason =
  | 'timeout'
  | 'connect'
  | 'rate_limited'
  | 'unavailable'
  | 'circuit_open'
  | 'invalid_response'
  | 'aborted'

export type UpstreamResponse = {
  readonly kind: 'response'
  readonly status: number
  readonly headers: ResponseHeaders
  readonly body: Buffer
}

export class UpstreamFailure extends Error {
  override readonly name = 'UpstreamFailure'
  readonly upstream: string
  readonly reason: UpstreamReason
  readonly ambiguous: boolean
  readonly status: number | null
  readonly retry_after_seconds: number | null
  readonly attempts: number
  readonly #response: UpstreamResponse | null

  constructor(
    upstream: string,
    reason: UpstreamReason,
    more: {
      ambiguous: boolean
      attempts?: number
      response?: UpstreamResponse | null
      retry_after_seconds?: number | null
      cause?: unknown
    },
  ) {
    super(`${upstream}: ${reason}`, { cause: more.cause })
    this.upstream = upstream
    this.reason = reason
    this.ambiguous = more.ambiguous
    this.attempts = more.attempts ?? 1
    this.status = more.response?.status ?? null
    this.retry_after_seconds = more.retry_after_seconds ?? null
    this.#response = more.response ?? null
  }

  /** The same, for all attempts together. */
  after(attempts: number, ambiguous: boolean): UpstreamFailure {
    const { upstream, reason, cause, retry_after_seconds } = this
    const response = this.#response
    const more = { ambiguous, attempts, response, retry_after_seconds, cause }
    return new UpstreamFailure(upstream, reason, more)
  }

  /** The last response, if there was one. Its body is cut. */
  get response(): UpstreamResponse | null {
    return this.#response
  }
}

const problem_codes = {
  timeout: 'upstream_timeout',
  connect: 'upstream_timeout',
  rate_limited: 'service_unavailable',
  unavailable: 'service_unavailable',
  circuit_open: 'service_unavailable',
  aborted: 'service_unavailable',
  invalid_response: 'upstream_invalid_response',
} as const satisfies Record<UpstreamReason, string>

export type UpstreamProblem = (typeof problem_codes)[UpstreamReason]

/** The code that a client sees. No other part of the failure is shown. */
export function problemCodeOf(failure: { readonly reason: UpstreamReason }): UpstreamProblem {
  return problem_codes[failure.reason]
}
