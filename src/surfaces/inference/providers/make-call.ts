/**
 * Makes calls on a line. The reply of a call is read either as a stream or as a whole.
 */
import type OpenAI from 'openai'
import { Call, calls } from './call.ts'
import type { Lines } from './lines.ts'
import type { CallOptions, ProviderEvent } from './provider.ts'
import { readEvents } from './read-events.ts'
import { readStream, type Read } from './read-stream.ts'

/** Passed to the SDK with every request. */
export type SdkOptions = {
  readonly signal: AbortSignal
  readonly headers: Readonly<Record<string, string>>
}

type Order = {
  readonly model: string
  /** Null for a read, because a read needs no key. */
  readonly provider_key: string | null
  readonly attempts_before?: number | undefined
  readonly options: CallOptions
}

/** The type in which the SDK would return events; we read the response ourselves. */
type Sent<E> = PromiseLike<AsyncIterable<E>> & { asResponse(): Promise<unknown> }

export async function* streamed<E>(
  lines: Lines,
  order: Order,
  send: (client: OpenAI, sdk: SdkOptions) => Sent<E>,
  read: (event: E) => Read,
): AsyncGenerator<ProviderEvent> {
  const { client } = await lines.lineFor(order.model)
  const call = callFor(lines, order, true)
  const open = async () => {
    await calls.run(call, () => send(client, sdkOptions(order, call)).asResponse())
    return readEvents<E>(call.takeBody())
  }
  yield* readStream(call, open, read)
}

export async function whole<T>(
  lines: Lines,
  order: Order,
  send: (client: OpenAI, sdk: SdkOptions) => Promise<T>,
): Promise<T> {
  const { client } = await lines.lineFor(order.model)
  const call = callFor(lines, order)
  try {
    const value = await calls.run(call, () => send(client, sdkOptions(order, call)))
    await call.end('succeeded', undefined, 0)
    return value
  } catch (error) {
    const failure = call.verdict(error)
    await call.endBy(failure)
    throw call.thrown(failure)
  } finally {
    call.close()
  }
}

function callFor(
  { limits, nowMs }: Lines,
  { options, attempts_before = 0 }: Order,
  keeps_body = false,
): Call {
  return new Call(options, { limits, attempts_before, nowMs, keeps_body })
}

function sdkOptions({ provider_key }: Order, call: Call): SdkOptions {
  // The SDK's own option for idempotency keys sends nothing.
  const headers: Record<string, string> = provider_key ? { 'Idempotency-Key': provider_key } : {}
  return { signal: call.controller.signal, headers }
}

/** For reads, which have no row in a ledger. */
export function unrecorded(signal: AbortSignal, nowMs: number): CallOptions {
  const ledger = { begin: () => Promise.resolve(true), end: () => Promise.resolve() }
  return { signal, ledger, deadline: new Date(nowMs + read_ms) }
}

const read_ms = 15_000
