/**
 * Makes calls on a line. The reply of a call is read either as a stream or as a whole.
 */
import { Buffer } from 'node:buffer'
import { Call } from './call.ts'
import { invalid } from './failures.ts'
import type { Lines } from './lines.ts'
import type { CallOptions, ProviderEvent } from './provider.ts'
import { readEvents } from './read-events.ts'
import { readStream, type Read } from './read-stream.ts'
import type { ProviderCall } from './send-request.ts'

type Order = ProviderCall & {
  readonly model: string
  readonly attempts_before?: number | undefined
  readonly options: CallOptions
}

/** 2,048 embeddings of 3,072 numbers have 34 MB as base64, and 130 MB as text. */
const reply_bytes = 256 * 1024 * 1024

/** `never`: a reply is what the provider sends, and `read` states what it reads of it. */
export async function* streamed(
  lines: Lines,
  order: Order,
  read: (event: never) => Read,
): AsyncGenerator<ProviderEvent> {
  const line = await lines.lineFor(order.model)
  const call = callFor(lines, order)
  yield* readStream(call, async () => readEvents<never>(await line.send(call, order)), read)
}

export async function whole<T>(lines: Lines, order: Order, read: (reply: never) => T): Promise<T> {
  const line = await lines.lineFor(order.model)
  const call = callFor(lines, order)
  try {
    const text = await textOf(await line.send(call, order))
    const value = read(JSON.parse(text) as never)
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

async function textOf(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > reply_bytes) throw invalid('body_too_long', true)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function callFor({ limits, nowMs }: Lines, { options, attempts_before = 0 }: Order): Call {
  return new Call(options, { limits, attempts_before, nowMs })
}

/** For reads, which have no row in a ledger. */
export function unrecorded(signal: AbortSignal, nowMs: number): CallOptions {
  const ledger = { begin: () => Promise.resolve(true), end: () => Promise.resolve() }
  return { signal, ledger, deadline: new Date(nowMs + read_ms) }
}

const read_ms = 15_000
