/** The type of a handler's return value, and the replies that a route declares. */
import type { Readable } from 'node:stream'
import type { Static, TSchema } from 'typebox'
import type { Outcome } from '../../idempotency/records.ts'

export type Headers = Readonly<Record<string, string | readonly string[]>>
export type Replies = Readonly<Record<number, TSchema | null>>

/** A handler returns a status of its `replies`, the body that matches this status, and headers. */
export type Reply<S extends number = number, B = unknown> = {
  readonly status: S
  readonly body: B
  readonly headers: Headers
}

export function reply<const S extends number, B>(
  status: S,
  body: B,
  headers: Headers = {},
): Reply<S, B> {
  return new HandlerReply(status, body, headers)
}

/** A class, so that a view with members of these names is never taken for a reply. */
class HandlerReply<S extends number, B> implements Reply<S, B> {
  readonly status: S
  readonly body: B
  readonly headers: Headers

  constructor(status: S, body: B, headers: Headers) {
    this.status = status
    this.body = body
    this.headers = headers
  }
}

export function isReply(value: unknown): value is Reply {
  return value instanceof HandlerReply
}

export type ReplyOf<R extends Replies> = {
  [S in keyof R & number]: Reply<S, R[S] extends TSchema ? Static<R[S]> : null>
}[keyof R & number]

/** A reply that is ready to be sent. The bytes of a replay are sent unchanged. */
export type Rendered = Omit<Outcome, 'body'> & {
  readonly body: string | Uint8Array | Readable | null
}

/** The text of a reply as a model gets it: no longer than it can use, and saying so. */
export function cutResult(text: string, most: number): string {
  if (text.length <= most / 4) return text
  const bytes = Buffer.from(text)
  if (bytes.length <= most) return text
  const whole = bytes
    .subarray(0, most)
    .toString()
    .replace(/\uFFFD$/, '')
  return `${whole}\n[cut: ${bytes.length - most} more bytes. Ask for less, such as with \`limit\`.]`
}
