/**
 * Remembers failed and slow requests in kernel.requests, so that the id of a request finds what went
 * wrong. Only a request that failed or was slow comes here. Rows are collected in memory, within a
 * rate of the process, and written by one statement a second; a killed process loses its last second.
 */
import type { Db } from '../../database/db.ts'
import { isUnavailable } from '../../database/failures.ts'
import { logFailure } from '../../database/log-failure.ts'
import { sql } from '../../database/sql.ts'
import { isId } from '../../ids.ts'
import type { Log } from '../../observability/log.ts'
import type { KernelSettings } from '../../settings.ts'
import type { Retention } from '../../work/retention.ts'
import { declaredPointer } from './declared-pointer.ts'
import type { Exchanged } from './exchange.ts'

export type RequestLog = {
  /** Keeps one request, if the rate allows it. */
  note(exchange: Exchanged, status: number, elapsed_ms: number): void
  close(): Promise<void>
}

type Needs = {
  readonly db: Pick<Db, 'run' | 'load'>
  readonly log: Log
  readonly settings: Pick<
    KernelSettings,
    'kernel.request_log_days' | 'kernel.request_log_per_second' | 'kernel.request_log_burst'
  >
}

type Row = {
  readonly id: string
  readonly tenant_id: string | null
  readonly principal_id: string | null
  /** Such as `POST /v1/orders/{order_id}/cancel`; null if no route has the path. */
  readonly route: string | null
  readonly status: number
  readonly code: string | null
  readonly permission: string | null
  readonly pointer: string | null
  readonly ms: number
  readonly about: readonly string[]
  readonly began_ms: number
  times: number
}

const write_after_ms = 1000
/** More requests of one caller, route and code between two writes only grow the last of these rows. */
const alike_max = 10
const about_max = 4
const word_letters = 200
const share_of_tenant = 4

export function requestRetention(days: number): Retention {
  return { partitions: 'kernel.requests', unit: 'day', keep_days: days, ahead_days: 7 }
}

export function openRequestLog({ db, log, settings }: Needs): RequestLog {
  const burst = settings['kernel.request_log_burst']
  if (settings['kernel.request_log_days'] === 0) return { note: () => {}, close: async () => {} }
  const admits = openBudgets(settings['kernel.request_log_per_second'], burst)
  let rows: Row[] = []
  let alike = new Map<string, Row[]>()
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> | undefined
  const later = () => {
    timer ??= setTimeout(() => {
      timer = undefined
      if (writing || db.load().waiting > 0) later()
      else writing = write().finally(() => (writing = undefined))
    }, write_after_ms).unref()
  }
  const write = async () => {
    const part = rows
    rows = []
    alike = new Map()
    try {
      if (part.length > 0) await insert(db, part)
    } catch (error) {
      logFailure(log, { err: error }, 'failed requests could not be written', 'warn')
      if (!isUnavailable(error)) return
      rows = [...part, ...rows].slice(0, burst)
      later()
    }
  }
  return {
    note: (exchange, status, elapsed_ms) => {
      const row = rowOf(exchange, status, elapsed_ms)
      const key = `${row.principal_id} ${row.route} ${row.code ?? status}`
      const same = alike.get(key) ?? []
      const last = same.at(-1)
      const is_kept = same.length < alike_max && rows.length < burst && admits(row)
      if (!is_kept && last) last.times++
      if (!is_kept) return
      rows.push(row)
      alike.set(key, [...same, row])
      later()
    },
    close: async () => {
      clearTimeout(timer)
      await writing
      await write()
      clearTimeout(timer)
    },
  }
}

function rowOf(
  { id, principal, compiled, params, refused, began_ms }: Exchanged,
  status: number,
  elapsed_ms: number,
): Row {
  const { code, permission, errors } = refused ?? {}
  return {
    id,
    tenant_id: principal?.tenant_id ?? null,
    principal_id: principal?.id ?? null,
    route: compiled?.operation ?? null,
    status,
    code: word(code),
    permission: word(permission),
    pointer: word(compiled && declaredPointer(compiled.route, errors?.[0])),
    ms: Math.round(elapsed_ms),
    about: Object.values(params).filter(isId).slice(0, about_max),
    began_ms,
    times: 1,
  }
}

function word(value: unknown): string | null {
  return typeof value === 'string' ? value.slice(0, word_letters) : null
}

/**
 * What a process may keep. When little is left, slow requests are left out first, then refusals. One
 * tenant gets a quarter of all, so that one program that fails leaves room for the others; so do
 * requests without a caller.
 */
function openBudgets(per_second: number, burst: number): (row: Row) => boolean {
  const all = openBudget(per_second, burst)
  const tenants = new Map<string | null, Budget>()
  return ({ status, tenant_id }) => {
    const now = performance.now()
    const share =
      tenants.get(tenant_id) ?? openBudget(per_second / share_of_tenant, burst / share_of_tenant)
    const kept_free = burst * shareFor(status)
    if (all.left(now) < 1 + kept_free || share.left(now) < 1) return false
    all.take()
    share.take()
    // A full share needs no memory of it.
    if (tenants.size >= burst) {
      for (const [name, one] of tenants) if (one.isFull(now)) tenants.delete(name)
    }
    tenants.set(tenant_id, share)
    return true
  }
}

/** What a request leaves for more important ones. */
function shareFor(status: number): number {
  if (status >= 500) return 0
  return status >= 400 ? 0.1 : 0.2
}

type Budget = {
  left(now_ms: number): number
  isFull(now_ms: number): boolean
  take(): void
}

function openBudget(per_second: number, most: number): Budget {
  const size = Math.max(1, most)
  let had = size
  let at = performance.now()
  const left = (now: number) => {
    had = Math.min(size, had + ((now - at) / 1000) * per_second)
    at = now
    return had
  }
  return { left, isFull: now => left(now) === size, take: () => void had-- }
}

/** A repeat after an uncertain end writes no row twice. */
async function insert(db: Pick<Db, 'run'>, rows: readonly Row[]): Promise<void> {
  const now = performance.now()
  const ages = rows.map(one => (now - one.began_ms) / 1000)
  await db.run(sql`
    insert into kernel.requests (id, tenant_id, principal_id, route, status, code, permission,
      pointer, ms, about, times, created_at)
    select id, tenant_id, principal_id, route, status, code, permission, pointer, ms,
      about::uuid[], times, kernel.now() - make_interval(secs => age)
    from unnest(
      ${rows.map(one => one.id)}::uuid[], ${rows.map(one => one.tenant_id)}::uuid[],
      ${rows.map(one => one.principal_id)}::uuid[], ${rows.map(one => one.route)}::text[],
      ${rows.map(one => one.status)}::int[], ${rows.map(one => one.code)}::text[],
      ${rows.map(one => one.permission)}::text[], ${rows.map(one => one.pointer)}::text[],
      ${rows.map(one => one.ms)}::int[], ${rows.map(one => `{${one.about.join(',')}}`)}::text[],
      ${rows.map(one => one.times)}::int[], ${ages}::float8[]
    ) as n (id, tenant_id, principal_id, route, status, code, permission, pointer, ms, about,
      times, age)
    on conflict do nothing`)
}
