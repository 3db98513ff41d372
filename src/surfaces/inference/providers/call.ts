/**
 * One call to a provider: its attempts with their rows in the ledger, its time limit, and the cause
 * of a failure.
 */
import type { Weight } from '#dodeca/kernel'
import { failureOf, timedOut, weightOf } from './failures.ts'
import {
  ProviderFailure,
  type AttemptState,
  type CallOptions,
  type RefusalFacts,
} from './provider.ts'

export type Limits = {
  readonly attempt_timeout_ms: number
  readonly max_retries: number
  readonly first_event_ms: number
  readonly idle_ms: number
  readonly stream_max_ms: number
}

type Attempt = {
  readonly number: number
  readonly began_ms: number
  provider_request_id?: string
  /** Ends the attempt once it has its headers; until then the outgoing client watches it. */
  timer?: NodeJS.Timeout
  settle(weight: Weight): void
}

export class Call {
  readonly options: CallOptions
  readonly limits: Limits
  /** Aborted by the caller, by a watchdog, or when no further attempt may be made. */
  readonly controller = new AbortController()
  made = 0
  /** The facts of the last refused attempt. */
  refusal: RefusalFacts | null = null
  /** Whether the provider may have carried out an attempt without a reply. */
  ambiguous = false
  /** Set by a reader with watchdogs: an attempt got its headers after so many milliseconds. */
  onAnswer: (waited_ms: number) => void = () => {}
  onEnd: () => void = () => {}
  /** The reason why this call ends. Only the first reason counts. */
  failure: ProviderFailure | null = null
  /** An error of our own, such as a lost database. It does not count against the provider. */
  #broken: { readonly error: unknown } | null = null
  #current: Attempt | null = null
  readonly #before: number
  readonly #nowMs: () => number
  readonly #leave: () => void

  constructor(
    options: CallOptions,
    more: { limits: Limits; attempts_before: number; nowMs: () => number },
  ) {
    this.options = options
    this.limits = more.limits
    this.#before = more.attempts_before
    this.#nowMs = more.nowMs
    const { signal } = options
    const leave = () => this.controller.abort()
    this.#leave = () => signal.removeEventListener('abort', leave)
    signal.addEventListener('abort', leave, { once: true })
    if (signal.aborted) leave()
  }

  leftMs(): number {
    return this.options.deadline.getTime() - this.#nowMs()
  }

  /** Commits the row of the next attempt. */
  async begin(): Promise<void> {
    const number = this.#before + this.made + 1
    const allowed = await this.own(() => this.options.ledger.begin(number))
    if (!allowed) {
      this.fail(this.failure ?? refused())
      throw this.stopped()
    }
    this.made++
    this.refusal = null
    this.#current = { number, began_ms: performance.now(), settle: () => {} }
  }

  /** The headers of the current attempt have arrived. */
  answered(settle: Attempt['settle'], provider_request_id: string | undefined): void {
    if (!this.#current) return
    this.#current.settle = settle
    const waited_ms = performance.now() - this.#current.began_ms
    const { attempt_ms = this.limits.attempt_timeout_ms } = this.options
    const late = () => this.fail(timedOut('attempt', true))
    this.#current.timer = setTimeout(late, Math.max(0, attempt_ms - waited_ms))
    this.onAnswer(waited_ms)
    if (provider_request_id !== undefined) {
      this.#current.provider_request_id = provider_request_id.slice(0, 200)
    }
  }

  /** Ends the current attempt, if one has begun and not ended. */
  async end(state: AttemptState, error_code?: string, weight: Weight = null): Promise<void> {
    const attempt = this.#current
    if (!attempt) return
    this.#current = null
    clearTimeout(attempt.timer)
    this.onEnd()
    attempt.settle(weight)
    if (state === 'ambiguous') this.ambiguous = true
    const { number, began_ms, provider_request_id } = attempt
    await this.own(() =>
      this.options.ledger.end(number, state, {
        latency_ms: Math.round(performance.now() - began_ms),
        ...(provider_request_id === undefined ? {} : { provider_request_id }),
        ...(error_code === undefined ? {} : { error_code }),
      }),
    )
  }

  /** Ends the current attempt with the result of the whole call. */
  async endBy(failure: ProviderFailure): Promise<void> {
    const state = failure.code === 'aborted' ? 'aborted' : 'failed'
    await this.end(failure.ambiguous ? 'ambiguous' : state, failure.reason, weightOf(failure))
  }

  /** Stops the call for this reason, unless it already has one. */
  fail(failure: ProviderFailure): void {
    this.failure ??= failure
    this.controller.abort()
  }

  /** The reason is `failure`. */
  stopped(): Error {
    return new DOMException('The call was stopped.', 'AbortError')
  }

  /** The reason why the call ended, if something was thrown. */
  verdict(error: unknown): ProviderFailure {
    if (this.#broken) throw this.#broken.error
    return this.failure ?? this.#aborted() ?? failureOf(error, this.#current !== null)
  }

  /** The error for the caller: ambiguous if any attempt was. */
  thrown({ code, retryable, blocked, reason }: ProviderFailure): ProviderFailure {
    const { ambiguous, refusal } = this
    const options = {
      retryable,
      ambiguous,
      reason,
      ...(blocked ? { blocked } : {}),
      ...(refusal ? { refusal } : {}),
    }
    return new ProviderFailure(code, options)
  }

  #aborted(): ProviderFailure | null {
    if (!this.options.signal.aborted) return null
    return new ProviderFailure('aborted', { ambiguous: this.#current !== null })
  }

  /** An error of the ledger is not a failure of the provider, and ends the call. */
  async own<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      this.#broken ??= { error }
      this.controller.abort()
      throw error
    }
  }

  close(): void {
    this.#leave()
  }
}

function refused(): ProviderFailure {
  return new ProviderFailure('service_unavailable', { reason: 'attempt_refused' })
}
