/**
 * Deletes expired rows: old partitions of the log that every cursor and park has passed, old weeks
 * of the inbox, expired outcomes, and throttles that are full again.
 */
import { Type } from 'typebox'
import type { KernelSettings } from '../../settings.ts'
import type { Db } from '../../database/db.ts'
import { sql } from '../../database/sql.ts'
import type { Loop } from '../../work/loop.ts'

export type RetentionOptions = {
  db: Db
  /** Names of all consumers and sinks in the code. */
  consumers: readonly string[]
  settings: Pick<KernelSettings, 'kernel.events_retention_days' | 'kernel.inbox_retention_days'>
}

const every_ms = 10 * 60_000
const portion = 1000

export function retentionLoop(options: RetentionOptions): Loop {
  return { name: 'kernel.retention', every_ms, run: signal => retain(options, signal) }
}

async function retain({ db, consumers, settings }: RetentionOptions, signal: AbortSignal) {
  const events_days = settings['kernel.events_retention_days']
  await db.run(sql`select kernel.prepare_inbox_partitions(now() + interval '35 days')`)
  await forgetConsumers(db, consumers, events_days)
  await db.run(sql`select kernel.drop_event_partitions(make_interval(days => ${events_days}::int))`)
  await db.run(sql`
    select kernel.drop_inbox_partitions(
      make_interval(days => ${settings['kernel.inbox_retention_days']}::int))`)
  await inPortions(signal, () => expireOutcomes(db))
  await inPortions(signal, () => expireThrottles(db))
}

async function inPortions(signal: AbortSignal, remove: () => Promise<number>): Promise<void> {
  while (!signal.aborted && (await remove()) === portion);
}

/**
 * Deletes consumers that have been missing in the code for longer than events are kept. Otherwise
 * they would keep old events forever. Another release may run beside this one, or come back: its
 * consumers are those that a process has known within that time.
 */
async function forgetConsumers(db: Db, known: readonly string[], days: number): Promise<void> {
  await db.run(sql`
    update kernel.event_consumers set known_at = now()
    where consumer = any (${known}::text[]) and known_at < now() - interval '1 day'`)
  await db.run(sql`
    delete from kernel.event_consumers
    where consumer <> all (${known}::text[])
      and known_at < now() - make_interval(days => ${days}::int)`)
}

const Removed = Type.Object({ removed: Type.Integer() })

async function expireOutcomes(db: Db): Promise<number> {
  const { removed } = await db.one(
    Removed,
    sql`
      with expired as (
        delete from kernel.idempotency_records
        where ctid = any (array(
          select ctid
          from kernel.idempotency_records
          where expires_at < kernel.now()
          order by expires_at
          limit ${portion}
          for update skip locked
        ))
        returning 1
      )
      select count(*) as removed from expired`,
  )
  return removed
}

async function expireThrottles(db: Db): Promise<number> {
  return db.run(sql`
    delete from kernel.throttles
    where ctid = any (array(
      select ctid
      from kernel.throttles
      where tat < now()
      limit ${portion}
      for update skip locked
    ))`)
}
