/**
 * The information about its request that a handler can use. The abort signal is created at first
 * use, because most requests never use it.
 */
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { parseTraceparent } from '../observability/context.ts'
import type { RequestFacts } from './route.ts'

const empty = Buffer.alloc(0)

export class Facts implements RequestFacts {
  readonly id: string
  readonly ip: string
  readonly path: string
  readonly headers: RequestFacts['headers']
  /** The caller's trace, or the span of this request within that trace. */
  traceparent: string | null
  private readonly request: FastifyRequest
  private readonly reply: FastifyReply
  readonly stopping: AbortSignal
  private made: AbortController | undefined

  constructor(request: FastifyRequest, reply: FastifyReply, ip: string, stopping: AbortSignal) {
    this.id = request.id
    this.ip = ip
    this.path = pathOf(request)
    this.headers = request.headers
    this.traceparent = parseTraceparent(request.headers['traceparent'])
    this.request = request
    this.reply = reply
    this.stopping = stopping
  }

  get method(): string {
    return this.request.method
  }

  get search(): string {
    const at = this.request.url.indexOf('?')
    return at === -1 ? '' : this.request.url.slice(at)
  }

  get raw(): Buffer {
    return Buffer.isBuffer(this.request.body) ? this.request.body : empty
  }

  stream(limit_bytes?: number): Readable {
    const { incoming, routeOptions } = this.request
    const limit = Math.min(limit_bytes ?? Infinity, routeOptions.bodyLimit)
    return incoming?.stream(limit) ?? Readable.from([])
  }

  get signal(): AbortSignal {
    return AbortSignal.any([this.controller.signal, this.stopping])
  }

  /**
   * Ends the work for this request, because the reader has disconnected or does not read the reply.
   */
  abort(reason: string): void {
    this.controller.abort(new Error(reason))
  }

  private get controller(): AbortController {
    if (this.made) return this.made
    const made = new AbortController()
    this.made = made
    this.reply.raw.once('close', () => {
      if (!this.reply.raw.writableFinished) made.abort(new Error('the caller has disconnected'))
    })
    return made
  }
}

export function pathOf(request: FastifyRequest): string {
  const end = request.url.indexOf('?')
  return end === -1 ? request.url : request.url.slice(0, end)
}
