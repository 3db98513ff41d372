/** What a handler may know of the request itself, besides its checked members. */
import type { Readable } from 'node:stream'

export type RequestFacts = {
  readonly id: string
  /** HEAD runs the handler of GET. `method` is the method of the client's request. */
  readonly method: string
  readonly path: string
  /** The query exactly as the client sent it, with its question mark, or empty. */
  readonly search: string
  readonly ip: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Aborted when the caller has disconnected or the process stops. */
  readonly signal: AbortSignal
  /** Aborted when the process stops, even if the caller is still connected. */
  readonly stopping: AbortSignal
  readonly traceparent: string | null
  /** The exact bytes, for routes that read a `raw` body. */
  readonly raw: Buffer
  /**
   * The body of a route that consumes a `stream`, as it arrives. The body has at most
   * `limit_bytes`, and the route's own limit also holds. A longer body fails with
   * `content_too_large`, a late one with `request_timeout`. A client that expects `100-continue`
   * sends the body only after this call. So every refusal can be sent before the body.
   */
  stream(limit_bytes?: number): Readable
}

/** The part of a request that is known before its body is read. */
export type RequestHead = {
  readonly params: Readonly<Record<string, string>>
  readonly headers: RequestFacts['headers']
}

/** The Idempotency-Key of a request, with the fingerprint under which its outcome is recorded. */
export type RequestKey = { readonly value: string; readonly fingerprint: Buffer }
