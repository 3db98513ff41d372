/** What the client throws: what the platform refused, and what did not reach it. */
import type { components, ProblemCode } from './schema.d.ts'

export type ProblemBody = components['schemas']['Problem']

/**
 * An error that the platform returned. `code` is stable. Its type lists the codes of this version
 * for a `switch`. A newer platform may have more codes. Support needs the `request_id`.
 */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly status: number
  readonly code: ProblemCode | (string & {})
  readonly request_id: string | undefined
  readonly body: Partial<ProblemBody>

  constructor(status: number, body: Partial<ProblemBody>) {
    super(body.detail ?? body.title ?? `The platform answered ${status}`)
    this.status = status
    this.code = body.code ?? 'unknown'
    this.request_id = body.request_id
    this.body = body
  }
}

/**
 * No answer arrived: there is no network, or no platform at this address, or the browser does not
 * let this page ask it. A write may have taken effect. `cause` is the error of the runtime.
 */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
  readonly code = 'connection_failed'

  constructor(asked: string, base_url: string, cause?: unknown) {
    super(
      `${asked} got no whole answer from ${base_url}. Is there a network, and a platform at this address? A page of another address must be allowed (KERNEL_CORS_ORIGINS).`,
      { cause },
    )
  }
}

export async function problemOf(response: Response): Promise<Problem> {
  const body = (await response.json().catch(() => null)) as Partial<ProblemBody> | null
  return new Problem(response.status, body ?? {})
}

/** Whether a retry is useless. */
export function isFinal(error: unknown): error is Problem {
  return error instanceof Problem && !isRetryable(error)
}

export function isGone(error: unknown): boolean {
  return error instanceof Problem && error.status === 404
}

export function isRetryable({ status, code }: Problem): boolean {
  if (status === 408 || status >= 500) return true
  return code === 'rate_limited' || code === 'idempotency_in_progress'
}

/** What a runtime throws for a lost connection is a TypeError, and for half an answer too. */
export function clear(error: unknown, asked: string, base_url: string): unknown {
  if (error instanceof TypeError) return new ConnectionError(asked, base_url, error)
  if (!(error instanceof SyntaxError)) return error
  const advice = `Is ${base_url} the address of a platform?`
  return new Error(`${asked} was answered with something else than JSON. ${advice}`, {
    cause: error,
  })
}
