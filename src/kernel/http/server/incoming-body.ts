/**
 * The body of one request while it arrives. The body has a deadline. A client that expects
 * `100-continue` gets this reply only when the body is about to be read. If a reply is sent before
 * the body has arrived, the connection closes in an order that does not lose the reply.
 */
import type { Hash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Transform, type Readable } from 'node:stream'
import { problem, type Problem } from '../../errors/problem.ts'

/** If at most this much of the body is left, we read and drop it, and the connection stays open. */
const rest_bytes_max = 64 * 1024
/**
 * The number of bytes that are read and dropped before a connection closes. Otherwise a reset would
 * arrive before the reply.
 */
const linger_bytes_max = 8 * 1024 * 1024
const linger_ms = 2000

/** Requests whose client waits for `100 Continue`. */
const expecting = new WeakSet<IncomingMessage>()

export function markExpecting(request: IncomingMessage): void {
  expecting.add(request)
}

/** RFC 9112: a request has a body if, and only if, it has one of these headers. */
export function announcesBody({ headers }: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': coding } = headers
  return coding !== undefined || (length !== undefined && length !== '0')
}

export type IncomingBodyOptions = {
  readonly seconds: number
  /** The bodies that have not arrived yet. A stopping process ends them. */
  readonly pending: Set<IncomingBody>
  /** Sends a refusal. It is called when the body is late and no handler reads it as a stream. */
  refuse(refusal: Problem): void
}

export class IncomingBody {
  private readonly request: IncomingMessage
  private readonly response: ServerResponse
  private readonly options: IncomingBodyOptions
  private reader: Transform | undefined

  constructor(request: IncomingMessage, response: ServerResponse, options: IncomingBodyOptions) {
    this.request = request
    this.response = response
    this.options = options
    const { pending, seconds } = options
    pending.add(this)
    const late = () => this.end(problem('request_timeout'))
    const timer = setTimeout(late, seconds * 1000).unref()
    request.once('close', () => {
      pending.delete(this)
      clearTimeout(timer)
    })
  }

  get declared_bytes(): number | null {
    const { 'content-length': length } = this.request.headers
    return length === undefined ? null : Number(length)
  }

  /** Sends `100 Continue` if the client waits for it. */
  goOn(): void {
    if (expecting.delete(this.request)) this.response.writeContinue()
  }

  /** Yields the bytes as they arrive. More than `limit_bytes` of them are `content_too_large`. */
  stream(limit_bytes: number, digest?: Hash): Readable {
    if (this.reader) throw new Error('the body is read twice')
    if ((this.declared_bytes ?? 0) > limit_bytes) throw problem('content_too_large')
    let received = 0
    const reader = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        received += chunk.length
        if (received > limit_bytes) return done(problem('content_too_large'))
        digest?.update(chunk)
        done(null, chunk)
      },
    })
    this.reader = reader
    // A client may disconnect before the handler reads. This must not end the process. The handler
    // gets the error when it reads.
    reader.on('error', () => {})
    this.request.once('error', error => reader.destroy(error))
    this.goOn()
    return this.request.pipe(reader)
  }

  /**
   * Ends the wait for the body: with an error for its reader, with a reply, or by closing the
   * connection.
   */
  end(refusal: Problem): void {
    if (this.request.complete) return
    if (this.reader && !this.reader.destroyed) this.reader.destroy(refusal)
    else if (this.response.headersSent) this.request.socket.destroy()
    else this.options.refuse(refusal)
  }

  /** Call it before a reply. The rest of the body must not keep the connection open. */
  leave(close: boolean): void {
    if (this.request.complete) return
    const rest = expecting.has(this.request) ? Infinity : (this.declared_bytes ?? Infinity)
    if (!close && rest <= rest_bytes_max) return
    this.response.shouldKeepAlive = false
    const { socket } = this.request
    // The server ends a connection with this method, after the reply is written.
    socket.destroySoon = () => this.linger()
  }

  private linger(): void {
    const { request } = this
    const { socket } = request
    socket.end()
    const timer = setTimeout(() => socket.destroy(), linger_ms).unref()
    socket.once('close', () => clearTimeout(timer))
    let left = linger_bytes_max
    request.unpipe()
    request.removeAllListeners('data').removeAllListeners('readable')
    request.on('data', (chunk: Buffer) => {
      left -= chunk.length
      if (left < 0) socket.destroy()
    })
    request.once('end', () => socket.destroy())
    request.resume()
  }
}
