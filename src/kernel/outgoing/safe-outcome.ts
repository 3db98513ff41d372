/**
 * The outcome of a request to a user's URL: a response with a limited body, or a failure with a
 * stable reason. Both contain the duration of each phase. `Course` records these durations and the
 * overall deadline.
 */
import type { Buffer } from 'node:buffer'
import type { ResponseHeaders } from './exchange.ts'
import type { TargetRefusal } from './safe-target.ts'

/**
 * Summed over redirects. A phase that did not happen took 0, for example connecting on a reused
 * connection.
 */
export type SafeFetchTimings = {
  readonly dns_ms: number
  readonly connect_ms: number
  readonly tls_ms: number
  readonly first_byte_ms: number
  readonly total_ms: number
}

export type SafeResponse = {
  readonly status: number
  readonly headers: ResponseHeaders
  readonly body: Buffer
  readonly truncated: boolean
  readonly timings: SafeFetchTimings
  /** The last URL after redirects, and the address of the connection. */
  readonly url: string
  readonly address: string
}

export type SafeFetchPhase = 'dns' | 'connect' | 'tls' | 'write' | 'first_byte' | 'body' | 'total'

export type SafeFetchReason =
  | TargetRefusal
  | 'blocked_address'
  | 'blocked_redirect'
  | 'too_many_redirects'
  | 'invalid_request'
  | 'dns_failed'
  | 'connect_failed'
  | 'tls_failed'
  | 'reset'
  | 'invalid_response'
  | 'timeout'
  | 'too_large'
  | 'aborted'

type Circumstances = {
  readonly phase?: SafeFetchPhase
  readonly cause?: unknown
}

export class SafeFetchFailure extends Error {
  override readonly name = 'SafeFetchFailure'
  readonly reason: SafeFetchReason
  /** The limit that was exceeded, if the reason is `timeout`. */
  readonly phase: SafeFetchPhase | null
  readonly timings: SafeFetchTimings
  /** The address to which the attempt connected, if the attempt chose an address. */
  readonly address: string | null

  constructor(
    reason: SafeFetchReason,
    timings: SafeFetchTimings,
    address: string | null,
    { phase, cause }: Circumstances,
  ) {
    super(phase ? `${reason} (${phase})` : reason, { cause })
    this.reason = reason
    this.phase = phase ?? null
    this.timings = timings
    this.address = address
  }
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10
}

type Measured = Exclude<keyof SafeFetchTimings, 'total_ms'>

/** The record of one call: its deadline, its phases and its latest address. */
export class Course {
  address: string | null = null
  readonly signal: AbortSignal
  readonly #started = performance.now()
  readonly #deadline_ms: number
  readonly #spent = { dns_ms: 0, connect_ms: 0, tls_ms: 0, first_byte_ms: 0 }

  constructor(deadline_ms: number, signal: AbortSignal) {
    this.#deadline_ms = deadline_ms
    this.signal = signal
  }

  leftMs(): number {
    return Math.max(0, this.#deadline_ms - (performance.now() - this.#started))
  }

  /**
   * Returns a phase's limit, and the name of the limit that would be exceeded: the deadline may
   * come before the phase's own limit.
   */
  limit(phase: SafeFetchPhase, phase_ms: number): { ms: number; phase: SafeFetchPhase } {
    const left_ms = this.leftMs()
    return left_ms < phase_ms ? { ms: left_ms, phase: 'total' } : { ms: phase_ms, phase }
  }

  spend(name: Measured, ms: number): void {
    this.#spent[name] += ms
  }

  async measure<T>(name: Measured, work: Promise<T>): Promise<T> {
    const started = performance.now()
    try {
      return await work
    } finally {
      this.spend(name, performance.now() - started)
    }
  }

  timings(): SafeFetchTimings {
    const { dns_ms, connect_ms, tls_ms, first_byte_ms } = this.#spent
    return {
      dns_ms: rounded(dns_ms),
      connect_ms: rounded(connect_ms),
      tls_ms: rounded(tls_ms),
      first_byte_ms: rounded(first_byte_ms),
      total_ms: rounded(performance.now() - this.#started),
    }
  }

  failure(reason: SafeFetchReason, circumstances: Circumstances = {}): SafeFetchFailure {
    return new SafeFetchFailure(reason, this.timings(), this.address, circumstances)
  }
}
