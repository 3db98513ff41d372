/**
 * One request and its response over an undici dispatcher. Every phase has a limit: waiting for a
 * connection, writing, first byte, body, and the total. A failure names its phase, and says whether
 * a byte of the request may have been sent. So a caller can tell "not done" from "unknown". The
 * function returns when the headers of the response arrive. If a body is not read to its end, the
 * connection closes. The trace of the calling work is sent as `traceparent`.
 */
import type { Buffer } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { currentTraceparent } from '../observability/context.ts'
import { undici } from './undici.ts'

export type RequestHeaders = Readonly<Record<string, string>>
export type ResponseHeaders = Readonly<IncomingHttpHeaders>

export type ExchangePhase = 'connect' | 'write' | 'first_byte' | 'body'

export type ExchangeRequest = {
  readonly method: string
  readonly path: string
  readonly headers: RequestHeaders
  readonly body: Buffer | string | null
  readonly limits: {
    /** Milliseconds from the call to the last byte of the response. */
    readonly total_ms: number
    readonly write_ms?: number
    readonly first_byte_ms?: number
    readonly body_ms?: number
    /** Milliseconds from the call to the headers of the response. */
    readonly headers_ms?: number
    /** Longest idle time between body chunks. */
    readonly idle_ms?: number
  }
  readonly signal?: AbortSignal | undefined
  /**
   * Whether the network has received the request, and not only a buffer. The property is absent if
   * the caller cannot know.
   */
  readonly socket?: Socket
}

export type Exchange = {
  readonly status: number
  readonly headers: ResponseHeaders
  readonly body: Readable
}

/**
 * `timeout`: a phase exceeded its limit. `total`: the whole exchange exceeded its limit. `aborted`:
 * the caller's signal. `broken`: the connection failed or ended early. `protocol`: the response is
 * not HTTP. `refused`: the request itself cannot be sent.
 */
export type ExchangeFault = 'timeout' | 'total' | 'aborted' | 'broken' | 'protocol' | 'refused'

export class ExchangeFailure extends Error {
  override readonly name = 'ExchangeFailure'
  readonly fault: ExchangeFault
  readonly phase: ExchangePhase
  /** Whether any byte of the request may have left this machine. */
  readonly sent: boolean

  constructor(fault: ExchangeFault, phase: ExchangePhase, sent: boolean, cause?: unknown) {
    super(`${fault} in phase ${phase}`, { cause })
    this.fault = fault
    this.phase = phase
    this.sent = sent
  }
}

export function exchange(dispatcher: Dispatcher, request: ExchangeRequest): Promise<Exchange> {
  const turn = new Turn(request)
  const { method, path, body, limits } = request
  const traceparent = currentTraceparent()
  const headers = traceparent ? { traceparent, ...request.headers } : request.headers
  if (!turn.failed) {
    dispatcher.dispatch(
      {
        method,
        path,
        headers,
        body,
        headersTimeout: 0,
        bodyTimeout: limits.idle_ms ?? 0,
      },
      turn,
    )
  }
  return turn.answer
}

class Turn implements Dispatcher.DispatchHandler {
  readonly answer: Promise<Exchange>
  readonly #request: ExchangeRequest
  readonly #resolve: (exchange: Exchange) => void
  readonly #reject: (failure: ExchangeFailure) => void
  readonly #timers = new Map<'phase' | 'headers' | 'total', NodeJS.Timeout>()
  #phase: ExchangePhase = 'connect'
  #sent = false
  #over = false
  #failure: ExchangeFailure | null = null
  #controller: Dispatcher.DispatchController | null = null
  #body: Readable | null = null

  constructor(request: ExchangeRequest) {
    const { promise, resolve, reject } = Promise.withResolvers<Exchange>()
    this.answer = promise
    this.#resolve = resolve
    this.#reject = reject
    this.#request = request
    const { limits, signal } = request
    this.#arm('total', limits.total_ms, 'total')
    this.#arm('headers', limits.headers_ms, 'timeout')
    signal?.addEventListener('abort', this.#onAbort, { once: true })
    if (signal?.aborted) this.#onAbort()
  }

  get failed(): boolean {
    return this.#failure !== null
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // The request was given up while it waited for a connection, so nothing was written.
    if (this.#failure) return controller.abort(this.#failure)
    this.#sent = true
    this.#enter('write', this.#request.limits.write_ms)
  }

  onRequestSent(): void {
    const { socket } = this.#request
    if (socket?.writableNeedDrain) socket.once('drain', this.#onWritten)
    else this.#onWritten()
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (status < 200) return
    this.#disarm('headers')
    this.#enter('body', this.#request.limits.body_ms)
    const body = new Readable({
      read: () => controller.resume(),
      destroy: (error, done) => {
        if (!this.#over) this.#fail('aborted', error ?? undefined)
        done(error)
      },
    })
    // The body may fail while nothing reads it. A later reader still gets the failure.
    body.on('error', () => {})
    this.#body = body
    this.#resolve({ status, headers: singly(headers), body })
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#body?.push(chunk) === false) controller.pause()
  }

  onResponseEnd(): void {
    this.#finish()
    this.#body?.push(null)
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(faultOf(error), error)
  }

  readonly #onAbort = (): void => this.#fail('aborted', this.#request.signal?.reason)

  readonly #onWritten = (): void => {
    if (this.#phase === 'write') this.#enter('first_byte', this.#request.limits.first_byte_ms)
  }

  #enter(phase: ExchangePhase, limit_ms: number | undefined): void {
    this.#phase = phase
    this.#disarm('phase')
    this.#arm('phase', limit_ms, 'timeout')
  }

  #arm(name: 'phase' | 'headers' | 'total', limit_ms: number | undefined, fault: ExchangeFault) {
    if (limit_ms === undefined) return
    this.#timers.set(
      name,
      setTimeout(() => this.#fail(fault), Math.max(0, limit_ms)),
    )
  }

  #disarm(name: 'phase' | 'headers' | 'total'): void {
    clearTimeout(this.#timers.get(name))
  }

  #finish(): void {
    this.#over = true
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#request.signal?.removeEventListener('abort', this.#onAbort)
    this.#request.socket?.removeListener('drain', this.#onWritten)
  }

  #fail(fault: ExchangeFault, cause?: unknown): void {
    if (this.#over) return
    this.#finish()
    const failure = new ExchangeFailure(fault, this.#phase, this.#sent, cause)
    this.#failure = failure
    this.#reject(failure)
    this.#body?.destroy(failure)
    this.#controller?.abort(failure)
  }
}

/**
 * The client makes a list of a header that occurs twice. A list is allowed for Set-Cookie only; of
 * any other header the first value counts.
 */
function singly(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const values: Record<string, string | string[] | undefined> = { ...headers }
  for (const [name, value] of Object.entries(values)) {
    if (Array.isArray(value) && name !== 'set-cookie') values[name] = value[0]
  }
  return values
}

function faultOf(error: Error): ExchangeFault {
  const { errors } = undici()
  const refusals = [
    errors.InvalidArgumentError,
    errors.NotSupportedError,
    errors.RequestContentLengthMismatchError,
  ]
  if (refusals.some(refusal => error instanceof refusal)) return 'refused'
  if (error instanceof errors.BodyTimeoutError) return 'timeout'
  const speaks_badly =
    error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError
  return speaks_badly ? 'protocol' : 'broken'
}
