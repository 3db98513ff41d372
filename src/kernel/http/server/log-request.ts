/**
 * Writes one line for each request. Requests that an operator looks for (refused credentials and
 * rights, failures, slow requests) are logged at `info`, all others at `debug`. The line of a
 * refusal contains its code and the permission that the caller lacks. The line contains no body,
 * query, header or address. A request that failed or was slow is also kept for `GET /v1/requests`.
 */
import type { Log } from '../../observability/log.ts'
import type { TenantStates } from '../../work/tenant-states.ts'
import type { Exchanged } from './exchange.ts'
import type { RequestLog } from './request-log.ts'

export type RequestLogs = {
  readonly log: Log
  readonly slow_request_ms: number
  readonly requestLog: Pick<RequestLog, 'note'>
  readonly tenants: Pick<TenantStates, 'isGone'>
}

export function logRequest(
  { log, slow_request_ms, requestLog, tenants }: RequestLogs,
  exchange: Exchanged,
  status: number,
  elapsed_ms: number,
): void {
  const { compiled, principal, refused } = exchange
  const slow = elapsed_ms >= slow_request_ms && !exchange.lasts
  // A tenant that was moved or deleted leaves no rows here.
  const is_kept = (status >= 400 || slow) && !(principal && tenants.isGone(principal))
  if (is_kept) requestLog.note(exchange, status, elapsed_ms)
  const level = status >= 500 || status === 401 || status === 403 || slow ? 'info' : 'debug'
  if (!log.isLevelEnabled(level)) return
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
