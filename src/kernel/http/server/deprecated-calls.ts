/**
 * Counts who still calls what will be removed: in a metric by operation and member, and in
 * kernel.deprecated_calls by caller, so that an operator can write to each of them before the end.
 * Counts are collected and written every five seconds. A killed process loses those of its last
 * five seconds, but not the caller, who calls again.
 */
import type { Db } from '../../database/db.ts'
import { sql } from '../../database/sql.ts'
import type { Log } from '../../observability/log.ts'
import type { Metrics } from '../../observability/metrics.ts'
import type { Retention } from '../../work/retention.ts'
import type { CompiledRoute } from './compile-route.ts'
import { deprecationHeaders } from '../contract/deprecation.ts'
import type { Exchanged } from './exchange.ts'

export type DeprecatedCalls = {
  count(compiled: CompiledRoute, exchange: Exchanged): void
  close(): Promise<void>
}

type Needs = { readonly db: Db; readonly metrics: Metrics; readonly log: Log }
type Call = {
  readonly tenant_id: string
  readonly principal_id: string
  readonly operation: string
  /** Empty for a whole operation. */
  readonly member: string
  calls: number
}

const write_after_ms = 5000
const collected_max = 10_000
const keep_days = 400

/** A caller whose last call is older than a year is not listed. */
export const deprecatedCallsRetention: Retention = {
  table: 'kernel.deprecated_calls',
  key: ['tenant_id', 'principal_id', 'operation', 'member'],
  where: sql`t.last_called_at < kernel.now() - make_interval(days => ${keep_days})`,
  every_seconds: 86_400,
}

export function openDeprecatedCalls({ db, metrics, log }: Needs): DeprecatedCalls {
  let collected = new Map<string, Call>()
  let timer: NodeJS.Timeout | undefined
  const write = async () => {
    clearTimeout(timer)
    timer = undefined
    const calls = [...collected.values()]
    collected = new Map()
    if (calls.length > 0) await add(db, calls)
  }
  const writeLater = () => {
    timer ??= setTimeout(() => {
      write().catch((error: unknown) => {
        log.warn({ err: error }, 'calls of deprecated operations could not be counted')
      })
    }, write_after_ms).unref()
  }
  return {
    count: (compiled, { query, body, principal, reply_headers }) => {
      for (const one of compiled.deprecations()) {
        if (!one.isUsed(query, body)) continue
        const { operation, member } = one
        metrics.deprecatedCalls.inc({ op: operation, member: member ?? '' })
        // The headers of an operation are set with every reply, also with a refusal.
        if (member && !member.startsWith('reply '))
          Object.assign(reply_headers, deprecationHeaders(one))
        if (!principal || collected.size >= collected_max) continue
        const { id: principal_id, tenant_id } = principal
        const key = `${principal_id} ${operation} ${member}`
        const call = collected.get(key) ?? {
          tenant_id,
          principal_id,
          operation,
          member: member ?? '',
          calls: 0,
        }
        call.calls++
        collected.set(key, call)
        writeLater()
      }
    },
    close: write,
  }
}

/** In the order of the key, so that two processes cannot wait for each other. */
async function add(db: Db, calls: readonly Call[]): Promise<void> {
  await db.run(sql`
    insert into kernel.deprecated_calls as c
      (tenant_id, principal_id, operation, member, calls, first_called_at, last_called_at)
    select tenant_id, principal_id, operation, member, calls, kernel.now(), kernel.now()
    from unnest(
      ${calls.map(one => one.tenant_id)}::uuid[], ${calls.map(one => one.principal_id)}::uuid[],
      ${calls.map(one => one.operation)}::text[], ${calls.map(one => one.member)}::text[],
      ${calls.map(one => one.calls)}::bigint[]
    ) as n (tenant_id, principal_id, operation, member, calls)
    order by tenant_id, principal_id, operation collate "C", member collate "C"
    on conflict (tenant_id, principal_id, operation, member) do update
      set calls = c.calls + excluded.calls, last_called_at = excluded.last_called_at`)
}
