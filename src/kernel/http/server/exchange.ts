/**
 * One request and its reply. Each step of the pipeline adds what it finds. A handler sees the part
 * that `RequestFacts` declares. The abort signal is created at first use, because most requests
 * never use it.
 */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { createHash, type Hash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Principal } from '../../access/principal.ts'
import { newId } from '../../ids.ts'
import { parseTraceparent, traceOfRequest } from '../../observability/context.ts'
import type { CompiledRoute } from './compile-route.ts'
import type { IncomingBody } from './incoming-body.ts'
import type { Found, Params, RawQuery } from './router.ts'
import type { RequestFacts } from '../contract/route.ts'
import type { ProblemDetails } from '../../errors/problem.ts'

const empty = Buffer.alloc(0)

/** The code of a problem document, the missing permission, and what was wrong. */
export type Refused = {
  readonly code: string
  readonly permission?: unknown
  readonly errors?: ProblemDetails['errors']
}

/** What the steps after the body need: of a request over HTTP, or of a call from inside. */
export type Exchanged = RequestFacts & {
  readonly compiled: CompiledRoute | null
  readonly params: Params
  readonly query: RawQuery
  readonly headers: IncomingMessage['headers']
  readonly traceparent: string
  readonly began_ms: number
  readonly reply_headers: OutgoingHttpHeaders
  /** Null if nothing is sent by HTTP. */
  readonly response: ServerResponse | null
  readonly principal: Principal | null
  readonly opened: boolean
  readonly body?: unknown
  readonly refused: Refused | null
  readonly lasts: boolean
  digestOfStream(): Promise<Buffer | null>
}

export class Exchange implements Exchanged {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly compiled: CompiledRoute | null
  readonly params: Params
  readonly query: RawQuery
  readonly id = newId()
  readonly began_ms = performance.now()
  readonly method: string
  readonly path: string
  readonly search: string
  readonly headers: IncomingMessage['headers']
  readonly stopping: AbortSignal
  /** The headers of the reply that do not depend on its result. */
  readonly reply_headers: OutgoingHttpHeaders
  ip = ''
  principal: Principal | null = null
  /** Whether a bearer token of the route's own was given, so that no permission is required. */
  opened = false
  /** The body while it arrives, or null if the request announces no body. */
  incoming: IncomingBody | null = null
  body: unknown
  /** Why the request was refused, for the log. */
  refused: Refused | null = null
  /** The reader or the sender determines how long the request takes, so it is never "slow". */
  lasts: boolean
  private streamed: Readable | undefined
  private digest: Hash | undefined
  private made: AbortController | undefined
  private trace: string | null | undefined

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    found: Found | null,
    { common, stopping }: { common: OutgoingHttpHeaders; stopping: AbortSignal },
  ) {
    const { method = 'GET', url = '/', headers } = request
    const end = url.indexOf('?')
    this.request = request
    this.response = response
    this.compiled = found?.compiled ?? null
    this.params = found?.params ?? {}
    this.query = found?.query ?? {}
    this.method = method
    this.path = end === -1 ? url : url.slice(0, end)
    this.search = end === -1 ? '' : url.slice(end)
    this.headers = headers
    this.stopping = stopping
    this.lasts = found?.compiled?.route.consumes === 'stream'
    this.reply_headers = { ...common, 'x-request-id': this.id }
  }

  /**
   * The span of this request, the caller's trace, or a trace of its own. Events, jobs and webhooks
   * of this request can be found by it.
   */
  get traceparent(): string {
    return (this.trace ??= this.given_trace ?? traceOfRequest(this.id))
  }

  get given_trace(): string | null {
    return parseTraceparent(this.headers['traceparent'])
  }

  /** From now on this request is a part of that trace. */
  follow(traceparent: string | null): void {
    this.trace = traceparent
  }

  get raw(): Buffer {
    return Buffer.isBuffer(this.body) ? this.body : empty
  }

  stream(limit_bytes = Infinity): Readable {
    const limit = Math.min(limit_bytes, this.compiled?.body_limit_bytes ?? Infinity)
    if (this.compiled?.keyed) this.digest = createHash('sha256')
    return (this.streamed = this.incoming?.stream(limit, this.digest) ?? Readable.from([]))
  }

  /** Of a streamed body that was read to its end, or is now; null if it cannot be. */
  async digestOfStream(): Promise<Buffer | null> {
    const rest = this.streamed ?? this.stream()
    if (!rest.readableEnded) {
      if (rest.destroyed) return null
      // Not `resume`: it has no effect beside an iterator, which may have read the beginning.
      for await (const _ of rest) continue
    }
    return this.digest?.copy().digest() ?? null
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
    const { response } = this
    const leave = () => {
      if (!response.writableFinished) made.abort(new Error('the caller has disconnected'))
    }
    // It may have disconnected before the first use, for example while a transaction began.
    if (response.closed) leave()
    else response.once('close', leave)
    return made
  }
}
