/**
 * The client for one provider: one connection pool, one circuit breaker and one retry budget. A
 * call is retried only if it is idempotent, only after failures that may be temporary, and only
 * while its deadline leaves time. A failure says whether any attempt may have had an effect.
 * Redirects are not followed.
 */
import type { Buffer } from 'node:buffer'
import { setTimeout as wait } from 'node:timers/promises'
import type { AddressRules } from './allowed-addresses.ts'
import { checkedLookup } from './checked-lookup.ts'
import { jitter } from '../ids.ts'
import {
  circuit_defaults,
  openCircuit,
  type Admission,
  type CircuitOptions,
  type CircuitState,
  type Weight,
} from './circuit.ts'
import {
  ExchangeFailure,
  type Exchange,
  type ExchangeRequest,
  type RequestHeaders,
  type ResponseHeaders,
} from './exchange.ts'
import { openRetryBudget, type RetryBudget } from './retry-budget.ts'
import { undici } from './undici.ts'
import { attempt, readWhole, reasonOf, type Line } from './upstream-attempt.ts'
import { UpstreamFailure, type UpstreamResponse } from './upstream-failure.ts'

export { problemCodeOf, UpstreamFailure } from './upstream-failure.ts'
export type { UpstreamResponse } from './upstream-failure.ts'

export type UpstreamOptions = {
  readonly name: string
  /** The URL with the path that all calls have in common, such as `https://api.example.com/v1`. */
  readonly base_url: string
  readonly attempt_timeout_ms?: number
  readonly connect_timeout_ms?: number
  readonly retries?: number
  readonly connections?: number
  readonly max_body_bytes?: number
  readonly circuit?: Partial<CircuitOptions>
  /** The weight of a 429 in the circuit. The weight of a failure is 1. */
  readonly rate_limited_weight?: number
  readonly random?: () => number
  /** For a server that a user has chosen: a connection is made only to addresses of these rules. */
  readonly addresses?: Pick<AddressRules, 'check'>
}

export type UpstreamCall = {
  readonly method: string
  /** The path below `base_url`, with its query. */
  readonly path: string
  readonly headers?: RequestHeaders
  readonly body?: Buffer | string | null
  /** Sent as `Idempotency-Key`. It is the same on every attempt. */
  readonly operation_id?: string
  /**
   * Whether repeating the call changes nothing, either by the nature of the call or because the
   * provider knows the key.
   */
  readonly idempotent: boolean
  /** The remaining time of the request or job that makes the call. */
  readonly deadline_ms: number
  readonly signal?: AbortSignal
  /**
   * The maximum number of retries, if it is lower than the upstream's. It is 0 for an SDK that
   * retries by itself.
   */
  readonly retries?: number
}

export type UpstreamStreamCall = UpstreamCall & {
  /** Longest idle time between body chunks. */
  readonly idle_timeout_ms?: number
  /**
   * The caller reports how the stream counts in the circuit, because only the caller knows whether
   * the body was complete. It must call `settle` once for every stream that it got.
   */
  readonly settles_later?: true
}

export type UpstreamStream = {
  readonly status: number
  readonly headers: ResponseHeaders
  /**
   * If the caller stops reading early, the connection closes. If the body breaks off or is late,
   * reading throws an UpstreamFailure.
   */
  readonly body: AsyncIterable<Buffer>
  abort(): void
  /** It has no effect if the call is not `settles_later`. */
  settle(weight: Weight): void
}

export type Upstream = {
  call(call: UpstreamCall): Promise<UpstreamResponse>
  stream(call: UpstreamStreamCall): Promise<UpstreamStream>
  /** For an SDK that retries by itself: takes one retry from the budget, or forbids the retry. */
  takeRetry(): boolean
  circuit(): CircuitState
  close(): Promise<void>
}

type Persistence = {
  readonly line: Line
  readonly prefix: string
  readonly budget: RetryBudget
  readonly retries: number
  readonly random: () => number
}

type LimitsAt = (left_ms: number) => ExchangeRequest['limits']

const first_wait_ms = 200
const longest_wait_ms = 5000
/** A longer Retry-After is left to the caller. */
const longest_retry_after_ms = 60_000
/** If less time is left, no response can arrive in time. Timers may also fire this much early. */
const least_left_ms = 10

export function openUpstream(options: UpstreamOptions): Upstream {
  const { name, attempt_timeout_ms = 30_000, max_body_bytes = 16 * 1024 * 1024 } = options
  const { addresses } = options
  const base = new URL(options.base_url)
  const port = Number(base.port || (base.protocol === 'https:' ? 443 : 80))
  const { Pool } = undici()
  const pool = new Pool(base.origin, {
    connections: options.connections ?? 64,
    connect: {
      timeout: options.connect_timeout_ms ?? 5000,
      ...(addresses ? { lookup: checkedLookup(addresses, port) } : {}),
    },
    allowH2: false,
  })
  const circuit = openCircuit({ ...circuit_defaults, ...options.circuit }, monotonic)
  const rate_limited_weight = options.rate_limited_weight ?? 1
  const line: Line = { name, pool, circuit, rate_limited_weight }
  const budget = openRetryBudget(monotonic)
  const persistence: Persistence = {
    line,
    prefix: base.pathname.replace(/\/$/, ''),
    budget,
    retries: options.retries ?? 2,
    random: options.random ?? jitter,
  }
  return {
    call: call =>
      persist(
        persistence,
        call,
        left_ms => ({ total_ms: Math.min(attempt_timeout_ms, left_ms) }),
        answer => readWhole(name, answer, max_body_bytes),
      ),
    stream: call =>
      persist(
        persistence,
        call,
        left_ms => ({
          total_ms: left_ms,
          headers_ms: Math.min(attempt_timeout_ms, left_ms),
          ...(call.idle_timeout_ms === undefined ? {} : { idle_ms: call.idle_timeout_ms }),
        }),
        (answer, admission) =>
          Promise.resolve(streamOf(line, answer, call.settles_later && admission)),
        call.settles_later,
      ),
    takeRetry: () => circuit.state() === 'closed' && budget.take(),
    circuit: circuit.state,
    close: () => pool.destroy(),
  }
}

function monotonic(): number {
  return performance.now()
}

/**
 * Tries until one attempt succeeds or no retry is allowed; fails with the last attempt's failure.
 */
async function persist<T>(
  { line, prefix, budget, retries, random }: Persistence,
  call: UpstreamCall,
  limitsAt: LimitsAt,
  read: (answer: Exchange, admission: Admission) => Promise<T>,
  settles_later?: true,
): Promise<T> {
  const until = monotonic() + call.deadline_ms
  const attempts_max = 1 + (call.idempotent ? (call.retries ?? retries) : 0)
  let last: UpstreamFailure | null = null
  let ambiguous = false
  budget.called()
  for (let made = 1; ; made++) {
    const request = requestOf(call, prefix, limitsAt(until - monotonic()))
    const attempted = await attempt(line, request, read, settles_later)
    if (attempted.answered) return attempted.value
    const { failure, retryable } = attempted
    if (failure.reason === 'circuit_open') throw last ?? failure
    ambiguous ||= failure.ambiguous
    last = failure.after(made, ambiguous)
    const wait_ms = waitOf(failure, made, random)
    const left_ms = until - monotonic() - wait_ms
    const in_time = wait_ms <= longest_retry_after_ms && left_ms >= least_left_ms
    if (!retryable || made === attempts_max || !in_time || !budget.take()) throw last
    if (!(await waited(wait_ms, call.signal))) throw last
  }
}

/**
 * Exponential backoff with full jitter. The wait is never shorter than the provider's Retry-After.
 */
function waitOf(failure: UpstreamFailure, made: number, random: () => number): number {
  const ceiling_ms = Math.min(longest_wait_ms, first_wait_ms * 2 ** (made - 1))
  return Math.max(random() * ceiling_ms, (failure.retry_after_seconds ?? 0) * 1000)
}

async function waited(wait_ms: number, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    await wait(wait_ms, undefined, signal ? { signal } : {})
    return true
  } catch {
    return false
  }
}

function requestOf(
  call: UpstreamCall,
  prefix: string,
  limits: ExchangeRequest['limits'],
): ExchangeRequest {
  const { method, path, headers = {}, body = null, operation_id, signal } = call
  if (!path.startsWith('/')) throw new Error(`the path ${path} must begin with a slash`)
  const key = operation_id === undefined ? {} : { 'idempotency-key': operation_id }
  return { method, path: prefix + path, headers: { ...headers, ...key }, body, limits, signal }
}

function streamOf(line: Line, answer: Exchange, admission: Admission | undefined): UpstreamStream {
  const { status, headers, body } = answer
  return {
    status,
    headers,
    body: pieces(line, body, admission !== undefined),
    abort: () => void body.destroy(),
    settle: weight => admission?.settle(weight),
  }
}

async function* pieces(
  line: Line,
  body: AsyncIterable<Buffer>,
  settles_later: boolean,
): AsyncGenerator<Buffer> {
  try {
    yield* body
  } catch (error) {
    if (!(error instanceof ExchangeFailure)) throw error
    const reason = reasonOf(error)
    // The call counted as a success when its headers arrived. Without the rest it is a failure.
    if (reason !== 'aborted' && !settles_later) line.circuit.admit()?.settle(1)
    throw new UpstreamFailure(line.name, reason, { ambiguous: true, cause: error })
  }
}
