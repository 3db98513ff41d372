/**
 * Sends one request to a provider, and sends it again after temporary failures. Every attempt uses
 * the outgoing client of its deployment (pool, circuit, retry budget) and has a row in the ledger.
 */
import { Buffer } from 'node:buffer'
import { setTimeout as wait } from 'node:timers/promises'
import { jitter, retryAfterSeconds, UpstreamFailure } from '#dodeca/kernel'
import type { RequestHeaders, ResponseHeaders, Upstream, UpstreamStreamCall } from '#dodeca/kernel'
import type { Prove } from './auth.ts'
import type { Call } from './call.ts'
import { aborted, failureOf, failureOfStatus, isGateway, timedOut } from './failures.ts'
import { ProviderFailure } from './provider.ts'
import { refusalFacts } from './refusal-facts.ts'

/** With less time left, no reply could arrive. */
const least_left_ms = 20
/** A longer wait is left to the caller. */
const longest_wait_ms = 60_000
const refusal_bytes = 64 * 1024

export type ProviderCall = {
  readonly method: 'GET' | 'POST'
  /** Below the address of the provider. */
  readonly path: string
  readonly headers?: RequestHeaders
  readonly body?: object
  /** Sent as `Idempotency-Key`; null for a read. */
  readonly provider_key: string | null
}

/** Returns the body of the first successful response as it arrives. */
export async function sendRequest(
  upstream: Upstream,
  prove: Prove,
  call: Call,
  { method, path, headers: more, body: given, provider_key }: ProviderCall,
): Promise<AsyncIterable<Buffer>> {
  const common = {
    accept: 'application/json',
    'user-agent': 'dodeca/1',
    ...more,
    ...(given && { 'content-type': 'application/json' }),
    ...(provider_key && { 'idempotency-key': provider_key }),
  }
  const body = given ? JSON.stringify(given) : null
  for (;;) {
    await refuseLate(call, upstream)
    // Before the row of the attempt, because a signature may fail.
    const headers = { ...common, ...(await prove({ method, path, body })) }
    await call.begin()
    const attempted = await attempt(call, upstream, { method, path, headers, body })
    if ('body' in attempted) return attempted.body
    const { failure, wait_ms } = attempted
    if (wait_ms === null || !mayRetry(call, upstream, wait_ms)) throw failure
    await wait(wait_ms, undefined, { signal: call.controller.signal })
  }
}

/** The body of a success; else the failure, and the wait after which a retry may help. */
type Attempted =
  | { readonly body: AsyncIterable<Buffer> }
  | { readonly failure: ProviderFailure; readonly wait_ms: number | null }

async function attempt(
  call: Call,
  upstream: Upstream,
  request: Pick<UpstreamStreamCall, 'method' | 'path' | 'headers' | 'body'>,
): Promise<Attempted> {
  try {
    const stream = await upstream.stream({
      ...request,
      idempotent: true,
      retries: 0,
      deadline_ms: call.leftMs(),
      settles_later: true,
      signal: call.controller.signal,
    })
    const { status, headers, body } = stream
    call.answered(stream.settle, requestIdIn(headers))
    if (status < 300) return { body }
    return await refusal(call, { status, headers, body: await readSome(body) })
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error
    if (error.response) return await refusal(call, error.response)
    const failure = call.options.signal.aborted ? aborted(error.ambiguous) : failureOf(error, true)
    await call.endBy(failure)
    return { failure, wait_ms: failure.code === 'aborted' ? null : backoffMs(call) }
  }
}

async function refuseLate(call: Call, upstream: Upstream): Promise<void> {
  if (call.controller.signal.aborted) throw call.stopped()
  if (upstream.circuit() === 'open') {
    const options = { retryable: true, reason: 'circuit_open' }
    call.fail(new ProviderFailure('service_unavailable', options))
    throw call.stopped()
  }
  if (call.leftMs() > least_left_ms) return
  call.fail(timedOut('deadline', false))
  throw call.stopped()
}

type Refused = { readonly status: number; readonly headers: ResponseHeaders; readonly body: Buffer }

async function refusal(call: Call, refused: Refused): Promise<Attempted> {
  const { status, headers, body } = refused
  const state = isGateway(status) ? 'ambiguous' : 'failed'
  const temporary = status === 408 || status === 409 || status === 429 || status >= 500
  // The outgoing client has already counted its own failures for the circuit.
  const facts = refusalFacts(status, body, requestIdIn(headers))
  call.refusal = facts
  await call.end(state, facts.provider_code ?? `http_${status}`, null)
  const allowed = temporary && textOf(headers, 'x-should-retry') !== 'false'
  const wait_ms = allowed ? (askedWaitMs(headers) ?? backoffMs(call)) : null
  return { failure: failureOfStatus(status, body), wait_ms }
}

function mayRetry(call: Call, upstream: Upstream, wait_ms: number): boolean {
  if (call.made > call.limits.max_retries || wait_ms > longest_wait_ms) return false
  return call.leftMs() - wait_ms > least_left_ms && upstream.takeRetry()
}

function backoffMs({ made }: Call): number {
  return Math.min(8000, 500 * 2 ** (made - 1)) * (1 - jitter() / 4)
}

function askedWaitMs(headers: ResponseHeaders): number | null {
  const ms = textOf(headers, 'retry-after-ms')
  if (ms !== undefined && Number(ms) >= 0) return Number(ms)
  const seconds = retryAfterSeconds(headers)
  return seconds === null ? null : seconds * 1000
}

async function readSome(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > refusal_bytes) break
  }
  return Buffer.concat(chunks).subarray(0, refusal_bytes)
}

function requestIdIn(headers: ResponseHeaders): string | undefined {
  const names = ['x-request-id', 'request-id', 'x-amzn-requestid', 'apim-request-id']
  return names.map(name => textOf(headers, name)).find(id => id !== undefined)
}

function textOf(headers: ResponseHeaders, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' ? value : undefined
}
