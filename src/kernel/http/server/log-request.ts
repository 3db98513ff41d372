/**
 * Writes one line for each request. Requests that an operator looks for (refused credentials and
 * rights, failures, slow requests) are logged at `info`, all others at `debug`. The line of a
 * refusal contains its code and the permission that the caller lacks. The line contains no body,
 * query, header or address.
 */
import type { Log } from '../../observability/log.ts'
import type { Exchanged } from './exchange.ts'

export function logRequest(
  log: Log,
  slow_ms: number,
  exchange: Exchanged,
  status: number,
  elapsed_ms: number,
): void {
  const slow = elapsed_ms >= slow_ms && !exchange.lasts
  const level = status >= 500 || status === 401 || status === 403 || slow ? 'info' : 'debug'
  if (!log.isLevelEnabled(level)) return
  const { compiled, principal, refused } = exchange
  log[level](
    {
      request_id: exchange.id,
      method: exchange.method,
      route: compiled?.route.path ?? null,
      status,
      ms: Math.round(elapsed_ms),
      // The redaction would mistake a field named `code` for a one-time code.
      ...(refused && { error_code: refused.code }),
      ...(refused?.permission !== undefined && { permission: refused.permission }),
      ...(principal && { principal_id: principal.id, tenant_id: principal.tenant_id }),
    },
    slow ? 'a slow request' : 'request',
  )
}
