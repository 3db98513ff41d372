/**
 * Runs one due queue in one process. It claims due rows in batches, skips rows that others hold,
 * and runs a limited number of attempts in parallel. Each attempt ends in one transaction together
 * with the surface's `finish`. The token of the lease is the fence: an attempt that lost its lease
 * changes nothing. An attempt counts when it is claimed. If the process stops during the attempt,
 * the attempt does not count.
 */
import { type TObject, Type } from 'typebox'
import type { Db, Tx } from '../database/db.ts'
import { logFailure } from '../database/log-failure.ts'
import { sql, type Sql } from '../database/sql.ts'
import { openSleeper, type Sleeper } from './sleeper.ts'
import type { Fault } from '../faults.ts'
import { newId } from '../ids.ts'
import type { Log } from '../observability/log.ts'
import type { Loop } from './loop.ts'
import {
  attemptsMax,
  claimedRow,
  retry,
  waitAfter,
  type DueQueue,
  type Outcome,
} from './due-queue.ts'
import { held_tenants } from './tenant-states.ts'

type QueueKernel = {
  readonly db: Db
  readonly log: Log
  readonly fault: Fault
  busy(): boolean
  onWake(run: () => void, topics?: readonly string[]): () => void
}
type Row = { readonly attempt_no: number; readonly age_seconds: number } & Record<string, unknown>
type Work = {
  readonly kernel: Omit<QueueKernel, 'onWake'>
  readonly queue: DueQueue
  readonly schema: TObject
  readonly signal: AbortSignal
  readonly sleeper: Sleeper
}

/** The time between two polls when nothing wakes the queue. */
const poll_ms = 30_000

class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

export function queueLoop(kernel: QueueKernel, queue: DueQueue): Loop {
  const schema = claimedRow(queue.row)
  return {
    name: queue.name,
    every_ms: 1000,
    due: dueIn(queue),
    run: async signal => {
      const sleeper = openSleeper()
      const close = () => sleeper.close()
      signal.addEventListener('abort', close, { once: true })
      const off = kernel.onWake(sleeper.wake, [queue.name])
      try {
        await workOff({ kernel, queue, schema, signal, sleeper })
      } finally {
        off()
        signal.removeEventListener('abort', close)
      }
    },
  }
}

/** Processes the due rows and returns. For tests and commands. */
export async function drainQueue(
  kernel: Omit<QueueKernel, 'onWake'>,
  queue: DueQueue,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  const work = { kernel, queue, schema: claimedRow(queue.row), signal, sleeper: openSleeper() }
  for (;;) {
    const token = newId()
    const rows = await claim(work, token, queue.batch)
    await Promise.all(rows.map(row => runAttempt(work, row, token)))
    if (rows.length === 0 || signal.aborted) return
  }
}

async function workOff(work: Work): Promise<void> {
  const { kernel, queue, signal, sleeper } = work
  const running = new Set<Promise<void>>()
  try {
    while (!signal.aborted) {
      const batch = kernel.busy() ? 1 : queue.batch
      const room = Math.min(batch, queue.concurrency - running.size)
      const token = newId()
      const rows = await claim(work, token, room)
      for (const row of rows) {
        const attempt = runAttempt(work, row, token).finally(() => running.delete(attempt))
        running.add(attempt)
      }
      if (running.size >= queue.concurrency) await Promise.race(running)
      else if (rows.length < room) await sleeper.sleep(poll_ms)
    }
  } finally {
    await Promise.all(running)
  }
}

async function claim(work: Work, token: string, room: number): Promise<Row[]> {
  const { db } = work.kernel
  const { queue, schema } = work
  const statement = claimStatement(queue, token, room)
  if (!queue.fence) return (await db.many(schema, statement)) as Row[]
  return await db.tx(async tx => {
    if (!(await queue.fence?.(tx))) return []
    return (await tx.many(schema, statement)) as Row[]
  })
}

/** Returns whether rows are due. This is also true while a fence is closed. */
function dueIn(queue: DueQueue): Sql {
  return sql`select exists (select from ${tableOf(queue.table)} t where ${claimable(queue)})`
}

function claimable({ key, columns, where }: DueQueue): Sql {
  const until = sql.id('t', columns.leased_until)
  const conditions = [
    sql`${sql.id('t', columns.due_at)} <= kernel.now()`,
    sql`(${until} is null or ${until} <= now())`,
  ]
  if (key.includes('tenant_id')) conditions.push(sql`t.tenant_id <> all (${held_tenants})`)
  if (where) conditions.push(where)
  return sql.join(conditions, ' and ')
}

export function claimStatement(queue: DueQueue, token: string, room: number): Sql {
  const { table, key, columns, load, lease_seconds, age_max_seconds } = queue
  const name = tableOf(table)
  const due_at = sql.id('t', columns.due_at)
  const [attempts, created_at] = [sql.id('t', columns.attempts), sql.id('t', columns.created_at)]
  const keys = sql.join(
    key.map(one => sql`${sql.id('t', one)}`),
    ', ',
  )
  const same = sql.join(
    key.map(one => sql`${sql.id('t', one)} = ${sql.id('due', one)}`),
    ' and ',
  )
  const age = age_max_seconds
    ? sql`extract(epoch from kernel.now() - ${created_at})::float8`
    : sql`0`
  return sql`
    with due as materialized (
      select ${keys} from ${name} t
      where ${claimable(queue)}
      order by ${due_at} limit ${room} for no key update skip locked
    )
    update ${name} t
    set ${sql.id(columns.lease_token)} = ${token},
      ${sql.id(columns.leased_until)} = now() + make_interval(secs => ${lease_seconds}),
      ${sql.id(columns.attempts)} = least(${attempts} + 1, 30000)
    from due where ${same}
    returning ${keys}, ${attempts} as attempt_no, ${age} as age_seconds
      ${load ? sql`, ${load}` : sql.empty}`
}

async function runAttempt(work: Work, row: Row, token: string): Promise<void> {
  const { kernel, queue, signal } = work
  const { log } = kernel
  const about = { queue: queue.name, key: queue.key.map(one => row[one]), attempt: row.attempt_no }
  try {
    const outcome = await outcomeOf(work, row)
    if (!outcome) return await release(work, row, token)
    await kernel.fault('kernel.after_attempt')
    try {
      await settle(work, row, token, outcome)
    } catch (error) {
      if (error instanceof LeaseLost) throw error
      logFailure(log, { ...about, err: error }, 'the outcome of an attempt was not stored', 'error')
      await settle(work, row, token, retry('attempt_failed'))
    }
  } catch (error) {
    if (error instanceof LeaseLost) log.info(about, 'another process has taken over an attempt')
    // The lease ends by itself, and the attempt counts.
    else if (!signal.aborted) {
      logFailure(log, { ...about, err: error }, 'an attempt was not settled', 'error')
    }
  }
}

/** Returns undefined if the process stops during the attempt. */
async function outcomeOf(work: Work, row: Row): Promise<Outcome<unknown> | undefined> {
  const { kernel, queue, signal } = work
  // Each of these attempts crashed the process, or ran longer than its lease.
  if (row.attempt_no > attemptsMax(queue)) return { end: 'dead', code: 'attempts_exhausted' }
  try {
    const lease = AbortSignal.timeout(queue.lease_seconds * 1000)
    return await queue.run(row, AbortSignal.any([signal, lease]))
  } catch (error) {
    if (signal.aborted) return undefined
    const key = queue.key.map(one => row[one])
    kernel.log.warn({ queue: queue.name, key, err: error }, 'an attempt failed')
    return retry('attempt_failed')
  }
}

const Held = Type.Object({ held: Type.Boolean() })

async function settle(
  { kernel, queue, sleeper }: Work,
  row: Row,
  token: string,
  outcome: Outcome<unknown>,
): Promise<void> {
  const last = await kernel.db.tx(async tx => {
    const mine = sql`${keyOf(queue, row)} and ${sql.id(queue.columns.lease_token)} = ${token}`
    const held = await tx.maybe(
      Held,
      sql`select true as held from ${tableOf(queue.table)} where ${mine} for no key update`,
    )
    if (!held) throw new LeaseLost()
    const ended = await hand(tx, queue, row, decide(queue, row, outcome))
    await tx.run(settlement(queue, row, ended))
    await kernel.fault('kernel.before_settled')
    return ended
  })
  if ('after_seconds' in last && last.after_seconds === 0) sleeper.wake()
}

/** Runs the surface's part of the transaction. It may replace the outcome. */
async function hand(
  tx: Tx,
  queue: DueQueue,
  row: Row,
  ended: Outcome<unknown>,
): Promise<Outcome<unknown>> {
  const other = ended.end === 'dead' ? undefined : await queue.finish?.(tx, row, ended)
  const last = other ? decide(queue, row, other) : ended
  if (last.end === 'dead') await queue.dead?.(tx, row, last.code)
  return last
}

/** A retry outcome after the last attempt makes the row dead. */
function decide(queue: DueQueue, row: Row, outcome: Outcome<unknown>): Outcome<unknown> {
  if (outcome.end !== 'retry') return outcome
  const { code, counts } = outcome
  const wait = waitAfter(queue, counts ? row.attempt_no : 1)
  const after_seconds = outcome.after_seconds ?? wait ?? 0
  const over = counts && wait === undefined
  const old = row.age_seconds + after_seconds > (queue.age_max_seconds ?? Infinity)
  return over || old ? { end: 'dead', code } : { ...outcome, after_seconds }
}

function settlement(queue: DueQueue, row: Row, ended: Outcome<unknown>): Sql {
  const { columns } = queue
  const after = 'after_seconds' in ended ? (ended.after_seconds ?? 0) : null
  const given_back = ended.end === 'retry' && !ended.counts ? 1 : 0
  const attempts = ended.end === 'again' ? 0 : row.attempt_no - given_back
  const code = 'code' in ended ? ended.code : null
  return sql`
    update ${tableOf(queue.table)}
    set ${sql.id(columns.due_at)} = kernel.now() + make_interval(secs => ${after}::float8),
      ${sql.id(columns.attempts)} = ${attempts}, ${sql.id(columns.last_error_code)} = ${code},
      ${sql.id(columns.lease_token)} = null, ${sql.id(columns.leased_until)} = null
    where ${keyOf(queue, row)}`
}

async function release(work: Work, row: Row, token: string): Promise<void> {
  const { columns } = work.queue
  const attempts = sql.id(columns.attempts)
  await work.kernel.db.run(sql`
    update ${tableOf(work.queue.table)}
    set ${attempts} = ${attempts} - 1, ${sql.id(columns.lease_token)} = null,
      ${sql.id(columns.leased_until)} = null
    where ${keyOf(work.queue, row)} and ${sql.id(columns.lease_token)} = ${token}`)
}

function tableOf(table: string) {
  return sql.id(...table.split('.'))
}

function keyOf({ key }: DueQueue, row: Record<string, unknown>): Sql {
  return sql.join(
    key.map(one => sql`${sql.id(one)} = ${row[one]}`),
    ' and ',
  )
}
