/**
 * The `fetch` below the SDK. Every request uses the outgoing client of its deployment (pool,
 * circuit, retry budget) and has a row in the ledger. If no further attempt is allowed, the
 * response tells the SDK (`x-should-retry: false`), or the call is stopped.
 */
import { Buffer } from 'node:buffer'
import type { ResponseHeaders } from '../../../kernel/outgoing/exchange.ts'
import {
  UpstreamFailure,
  type Upstream,
  type UpstreamStream,
} from '../../../kernel/outgoing/upstream.ts'
import { calls, type Call } from './call.ts'
import { aborted, failureOf, invalid, isGateway, timedOut } from './failures.ts'
import { ProviderFailure } from './provider.ts'
import { refusalFacts } from './refusal-facts.ts'

/** With less time left, no reply could arrive. */
const least_left_ms = 20
/** A longer wait is left to the caller, because the SDK would shorten it. */
const longest_wait_ms = 60_000
const refusal_bytes = 64 * 1024
/** 2,048 embeddings of 3,072 numbers have 34 MB as base64, and 130 MB as text. */
const reply_bytes = 256 * 1024 * 1024

export function ledgerFetch(upstream: Upstream, prefix: string) {
  return async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const call = calls.getStore()
    if (!call) throw new Error('a request to a provider belongs to a call')
    const url = new URL(input instanceof Request ? input.url : input)
    await refuseLate(call, upstream)
    await call.begin()
    try {
      const stream = await upstream.stream({
        method: init.method ?? 'GET',
        path: url.pathname.slice(prefix.length) + url.search,
        headers: Object.fromEntries(new Headers(init.headers)),
        body: typeof init.body === 'string' ? init.body : null,
        idempotent: true,
        retries: 0,
        deadline_ms: call.leftMs(),
        settles_later: true,
        // Follows the SDK's own signal until the headers arrive.
        signal: call.controller.signal,
      })
      call.answered(stream.settle, textOf(stream.headers, 'x-request-id'))
      return await replyOf(call, upstream, stream)
    } catch (error) {
      if (!(error instanceof UpstreamFailure)) throw error
      return await replyToFailure(call, upstream, error)
    }
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

/**
 * A successful response is passed on as it arrives. An error response is read and ends the attempt.
 */
async function replyOf(call: Call, upstream: Upstream, stream: UpstreamStream): Promise<Response> {
  const { status, headers, body } = stream
  if (status < 300 && call.keeps_body) {
    call.body = body
    return new Response(null, { status: 200, headers: headersOf(headers) })
  }
  if (status < 300) {
    return new Response(ReadableStream.from(atMost(body)), { status, headers: headersOf(headers) })
  }
  return await refusal(call, upstream, { status, headers, body: await readSome(body) })
}

async function replyToFailure(
  call: Call,
  upstream: Upstream,
  failure: UpstreamFailure,
): Promise<Response> {
  const { response } = failure
  if (response) return await refusal(call, upstream, response)
  const meaning = call.options.signal.aborted
    ? aborted(failure.ambiguous)
    : failureOf(failure, true)
  await call.endBy(meaning)
  if (meaning.code === 'aborted' || !mayRetry(call, upstream, backoffMs(call))) {
    call.fail(meaning)
    throw call.stopped()
  }
  throw failure
}

type Refused = { readonly status: number; readonly headers: ResponseHeaders; readonly body: Buffer }

async function refusal(call: Call, upstream: Upstream, refused: Refused): Promise<Response> {
  const { status, body } = refused
  const state = isGateway(status) ? 'ambiguous' : 'failed'
  const temporary = status === 408 || status === 409 || status === 429 || status >= 500
  // The outgoing client has already counted its own failures for the circuit.
  const facts = refusalFacts(status, body, textOf(refused.headers, 'x-request-id'))
  call.refusal = facts
  await call.end(state, facts.provider_code ?? `http_${status}`, null)
  const headers = headersOf(refused.headers)
  const wait_ms = askedWaitMs(refused.headers) ?? backoffMs(call)
  const allowed = temporary && headers.get('x-should-retry') !== 'false'
  if (!allowed || !mayRetry(call, upstream, wait_ms)) headers.set('x-should-retry', 'false')
  return new Response(new Uint8Array(body), { status, headers })
}

function mayRetry(call: Call, upstream: Upstream, wait_ms: number): boolean {
  if (call.made > call.limits.max_retries || wait_ms > longest_wait_ms) return false
  return call.leftMs() - wait_ms > least_left_ms && upstream.takeRetry()
}

/** The longest time that the SDK waits before its next attempt. */
function backoffMs({ made }: Call): number {
  return Math.min(8000, 500 * 2 ** (made - 1))
}

function askedWaitMs(headers: ResponseHeaders): number | null {
  const ms = Number(textOf(headers, 'retry-after-ms') ?? Number.NaN)
  if (Number.isFinite(ms)) return ms
  const seconds = Number(textOf(headers, 'retry-after') ?? Number.NaN)
  return Number.isFinite(seconds) ? seconds * 1000 : null
}

/** The SDK reads the whole body. */
async function* atMost(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > reply_bytes) throw invalid('body_too_long', true)
    yield chunk
  }
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

function headersOf(headers: ResponseHeaders): Headers {
  const made = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) made.set(name, Array.isArray(value) ? value.join(', ') : value)
  }
  return made
}

function textOf(headers: ResponseHeaders, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' ? value : undefined
}
