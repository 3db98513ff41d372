/**
 * The requests that this vendor received, for tests that check what was sent: how often, with which
 * key, and whether the caller disconnected before the end. It keeps only the newest requests of the
 * running process.
 */
import type { Clock } from '#dodeca/kernel'
import type { IncomingMessage, ServerResponse } from 'node:http'

export type Seen = {
  readonly id: string
  readonly at_ms: number
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, unknown>>
  body: unknown
  /** How it proved its caller. */
  auth: string | null
  operation_id: string | null
  fault: string | null
  status: number | null
  bytes_sent: number
  deltas_sent: number
  /** When the caller closed the connection before the reply was complete. */
  aborted_at_ms: number | null
  ended_at_ms: number | null
}

export type Requests = {
  begin(id: string, request: IncomingMessage, response: ServerResponse): Seen
  list(): readonly Seen[]
  clear(): void
}

const proofs = new Set(['authorization', 'api-key', 'x-api-key', 'x-goog-api-key'])
const kept_max = 20_000
/** Of longer bodies the journal records only the length. */
const body_chars_max = 20_000

export function openRequests(clock: Clock): Requests {
  let all: Seen[] = []
  return {
    list: () => all,
    clear: () => {
      all = []
    },
    begin: (id, request, response) => {
      const url = new URL(request.url ?? '/', 'http://localhost')
      const headers = Object.fromEntries(
        Object.entries(request.headers).filter(([name]) => !proofs.has(name)),
      )
      const seen: Seen = {
        id,
        at_ms: clock.nowMs(),
        method: request.method ?? '',
        path: url.pathname,
        headers,
        body: null,
        auth: null,
        operation_id: null,
        fault: null,
        status: null,
        bytes_sent: 0,
        deltas_sent: 0,
        aborted_at_ms: null,
        ended_at_ms: null,
      }
      all.push(seen)
      if (all.length > 2 * kept_max) all = all.slice(-kept_max)
      response.on('close', () => {
        seen.status = response.headersSent ? response.statusCode : null
        if (response.writableFinished) seen.ended_at_ms = clock.nowMs()
        else seen.aborted_at_ms = clock.nowMs()
      })
      return seen
    },
  }
}

/** The body as it is shown in the journal. */
export function journaled(raw: string, body: unknown): unknown {
  return raw.length > body_chars_max ? { length: raw.length } : body
}
