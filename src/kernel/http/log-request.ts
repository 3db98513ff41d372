/**
 * Writes one line for each request. Requests that an operator looks for (refused credentials and
 * rights, failures, slow requests) are logged at `info`, all others at `debug`. The line of a
 * refusal contains its code and the permission that the caller lacks. The line contains no body,
 * query, header or address.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Log } from '../observability/log.ts'
import type { CompiledRoute } from './compile-route.ts'

/** The code of a problem document, and the missing permission. */
export type Refused = { readonly code: string; readonly permission?: unknown }

export function logRequest(
  log: Log,
  slow_ms: number,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const { compiled } = request.routeOptions.config
  const ms = Math.round(reply.elapsedTime)
  const slow = ms >= slow_ms && !lasts(compiled, reply)
  const { statusCode: status } = reply.raw
  const level = status >= 500 || status === 401 || status === 403 || slow ? 'info' : 'debug'
  if (!log.isLevelEnabled(level)) return
  const principal = request.passed?.principal
  const { refused } = request
  log[level](
    {
      request_id: request.id,
      method: request.method,
      route: compiled?.route.path ?? null,
      status,
      ms,
      // The redaction would mistake a field named `code` for a one-time code.
      ...(refused && { error_code: refused.code }),
      ...(refused?.permission !== undefined && { permission: refused.permission }),
      ...(principal && { principal_id: principal.id, tenant_id: principal.tenant_id }),
    },
    slow ? 'a slow request' : 'request',
  )
}

/**
 * Streams and long bodies are never "slow": their reader or sender determines how long they take.
 */
function lasts(compiled: CompiledRoute | undefined, reply: FastifyReply): boolean {
  const type = String(reply.raw.getHeader('content-type') ?? '')
  return type.startsWith('text/event-stream') || compiled?.route.consumes === 'stream'
}
