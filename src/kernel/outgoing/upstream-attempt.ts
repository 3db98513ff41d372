/**
 * One attempt at a provider and its meaning: a response, or a failure. A failure says whether the
 * request may have had an effect, whether a retry may help, and how it counts in the circuit. An
 * unknown outcome counts as an effect. Only a request that was never sent, and a 429, certainly had
 * no effect.
 */
import { Buffer } from 'node:buffer'
import type { Dispatcher } from 'undici'
import type { Admission, Circuit, Weight } from './circuit.ts'
import {
  exchange,
  ExchangeFailure,
  type Exchange,
  type ExchangeFault,
  type ExchangeRequest,
} from './exchange.ts'
import { retryAfterSeconds } from './retry-after.ts'
import { UpstreamFailure, type UpstreamReason, type UpstreamResponse } from './upstream-failure.ts'

export type Line = {
  readonly name: string
  readonly pool: Dispatcher
  readonly circuit: Circuit
  /** The weight of a 429 in the circuit. The weight of a failure is 1. */
  readonly rate_limited_weight: number
}

export type Attempted<T> =
  | { readonly answered: true; readonly value: T }
  | {
      readonly answered: false
      readonly failure: UpstreamFailure
      readonly retryable: boolean
      readonly weight: Weight
    }

type Failed = Extract<Attempted<never>, { answered: false }>

/** These statuses may be temporary. Other refusals are final. */
const transient = [408, 429, 502, 503, 504]
/** Stands for an admission when nothing waits for the outcome of the body. */
const settled: Admission = { settle: () => {} }
/** The number of bytes that are kept of a refusal's body. Only adapters see them. */
const refusal_bytes = 64 * 1024

/** With `settles_later`, the reader of the body settles the admission after the end of the body. */
export async function attempt<T>(
  line: Line,
  request: ExchangeRequest,
  read: (answer: Exchange, admission: Admission) => Promise<T>,
  settles_later = false,
): Promise<Attempted<T>> {
  const admission = line.circuit.admit()
  if (!admission) return circuitOpen(line)
  let weight: Weight = null
  let open = false
  try {
    const attempted = await answered(line, request, answer =>
      read(answer, settles_later ? admission : settled),
    )
    weight = attempted.answered ? 0 : attempted.weight
    open = settles_later && attempted.answered
    return attempted
  } finally {
    if (!open) admission.settle(weight)
  }
}

async function answered<T>(
  line: Line,
  request: ExchangeRequest,
  read: (answer: Exchange) => Promise<T>,
): Promise<Attempted<T>> {
  try {
    const answer = await exchange(line.pool, request)
    const refused = answer.status >= 500 || transient.includes(answer.status)
    return refused ? await refusal(line, answer) : { answered: true, value: await read(answer) }
  } catch (error) {
    if (error instanceof UpstreamFailure) {
      return { answered: false, failure: error, retryable: false, weight: 1 }
    }
    // A request that cannot be sent is our own bug and says nothing about the provider.
    if (!(error instanceof ExchangeFailure) || error.fault === 'refused') throw error
    return failed(line.name, error)
  }
}

function circuitOpen({ name }: Line): Failed {
  const failure = new UpstreamFailure(name, 'circuit_open', { ambiguous: false, attempts: 0 })
  return { answered: false, failure, retryable: false, weight: null }
}

async function refusal(line: Line, answer: Exchange): Promise<Failed> {
  const { status, headers } = answer
  const is_limit = status === 429
  // The status alone matters, even if the body breaks off.
  const { body } = await readUpTo(answer, refusal_bytes).catch(() => ({ body: Buffer.alloc(0) }))
  const failure = new UpstreamFailure(line.name, is_limit ? 'rate_limited' : 'unavailable', {
    ambiguous: !is_limit,
    response: { kind: 'response', status, headers, body },
    retry_after_seconds: retryAfterSeconds(headers),
  })
  return {
    answered: false,
    failure,
    retryable: transient.includes(status),
    weight: is_limit ? line.rate_limited_weight : 1,
  }
}

function failed(name: string, error: ExchangeFailure): Failed {
  const reason = reasonOf(error)
  const failure = new UpstreamFailure(name, reason, { ambiguous: error.sent, cause: error })
  const aborted = error.fault === 'aborted'
  return {
    answered: false,
    failure,
    retryable: !aborted && error.fault !== 'protocol',
    weight: aborted ? null : 1,
  }
}

const reasons = {
  timeout: 'timeout',
  total: 'timeout',
  aborted: 'aborted',
  broken: 'connect',
  protocol: 'invalid_response',
  refused: 'invalid_response',
} as const satisfies Record<ExchangeFault, UpstreamReason>

export function reasonOf({ fault, phase, cause }: ExchangeFailure): UpstreamReason {
  // A response that was cut off is a failure. A connection that failed before a response is a
  // failure too.
  if (fault === 'broken' && phase === 'body') return 'invalid_response'
  if (fault === 'aborted' && cause instanceof Error && cause.name === 'TimeoutError') {
    return 'timeout'
  }
  return reasons[fault]
}

/** Returns the whole body, or a failure if it is longer than the limit. */
export async function readWhole(
  name: string,
  answer: Exchange,
  max_bytes: number,
): Promise<UpstreamResponse> {
  const { body, whole } = await readUpTo(answer, max_bytes)
  const { status, headers } = answer
  if (!whole) throw new UpstreamFailure(name, 'invalid_response', { ambiguous: true })
  return { kind: 'response', status, headers, body }
}

async function readUpTo({ body }: Exchange, max_bytes: number) {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    if (size > max_bytes)
      return { body: Buffer.concat(chunks).subarray(0, max_bytes), whole: false }
  }
  return { body: Buffer.concat(chunks), whole: true }
}
