/** Shows operators the due queues, and makes dead rows due again. */
import { type Static, type TObject, Type } from 'typebox'
import type { Db, Reader } from '../database/db.ts'
import { sql } from '../database/sql.ts'
import { dueNow, type DueQueue } from './due-queue.ts'

const Counts = Type.Object({
  due: Type.Integer(),
  later: Type.Integer(),
  leased: Type.Integer(),
  dead: Type.Integer(),
  oldest_due_seconds: Type.Number(),
})

export type QueueCounts = Static<typeof Counts> & { readonly queue: string }

/** This statement reads the whole table. It is meant for an operator, not for a loop. */
export async function countQueue(reader: Reader, queue: DueQueue): Promise<QueueCounts> {
  const { due_at, leased_until, last_error_code } = queue.columns
  const [due, leased] = [sql.id('t', due_at), sql.id('t', leased_until)]
  const counts = await reader.one(
    Counts,
    sql`
      select
        count(*) filter (where ${due} <= kernel.now() and not held)::int as due,
        count(*) filter (where ${due} > kernel.now() and not held)::int as later,
        count(*) filter (where held)::int as leased,
        count(*) filter (where ${due} is null and ${sql.id('t', last_error_code)} is not null)::int
          as dead,
        coalesce(extract(epoch from kernel.now()
          - min(${due}) filter (where ${due} <= kernel.now() and not held)), 0)::float8
          as oldest_due_seconds
      from ${sql.id(...queue.table.split('.'))} t
      cross join lateral (select coalesce(${leased} > now(), false) as held) h
      where ${due} is not null or ${sql.id('t', last_error_code)} is not null`,
  )
  return { queue: queue.name, ...counts }
}

/**
 * Makes up to `limit` dead rows due and resets their attempts. Returns how many rows it changed.
 */
export function redriveQueue(
  db: Db,
  queue: DueQueue,
  by: { readonly actor: string; readonly reason: string; readonly limit: number },
): Promise<number> {
  const { due_at, last_error_code } = queue.columns
  const name = sql.id(...queue.table.split('.'))
  const row = Type.Pick(queue.row, [...queue.key]) as TObject
  const keys = (alias: string) =>
    sql.join(
      queue.key.map(one => sql`${sql.id(alias, one)}`),
      ', ',
    )
  return db.tx(async tx => {
    const rows = await tx.many(
      row,
      sql`
        update ${name} t set ${dueNow(queue.columns)}
        where (${keys('t')}) in (
          select ${keys('d')} from ${name} d
          where ${sql.id('d', due_at)} is null and ${sql.id('d', last_error_code)} is not null
          limit ${by.limit} for update skip locked)
        returning ${keys('t')}`,
    )
    if (rows.length === 0) return 0
    await queue.redriven?.(tx, rows)
    tx.audit('kernel.due_queues.redrive', queue.name, {
      by: { tenant_id: null, id: by.actor },
      reason: `${by.reason} (${rows.length})`,
    })
    tx.wake(queue.name)
    return rows.length
  })
}
