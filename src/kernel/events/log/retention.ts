/**
 * What the kernel itself deletes when it is old: partitions of the log that every cursor and park
 * has passed, weeks of the inbox, recorded outcomes, versions of aggregates whose events are gone,
 * and throttles that are full again.
 */
import type { KernelSettings } from '../../settings.ts'
import { sql } from '../../database/sql.ts'
import type { Retention } from '../../work/retention.ts'

export type RetentionOptions = {
  /** Names of all consumers and sinks in the code. */
  readonly consumers: readonly string[]
  readonly settings: Pick<
    KernelSettings,
    'kernel.events_retention_days' | 'kernel.inbox_retention_days'
  >
}

export function kernelRetention({ consumers, settings }: RetentionOptions): Retention[] {
  const events_days = settings['kernel.events_retention_days']
  const inbox_days = settings['kernel.inbox_retention_days']
  return [
    { statement: sql`select kernel.prepare_inbox_partitions(now() + interval '35 days')` },
    ...forgetConsumers(consumers, events_days),
    {
      statement: sql`
        select kernel.drop_event_partitions(make_interval(days => ${events_days}::int))`,
    },
    {
      statement: sql`
        select kernel.drop_inbox_partitions(make_interval(days => ${inbox_days}::int))`,
    },
    {
      table: 'kernel.idempotency_records',
      key: ['principal_id', 'operation', 'key'],
      where: sql`t.expires_at < kernel.now()`,
    },
    {
      table: 'kernel.published_aggregates',
      key: ['tenant_id', 'type', 'id'],
      where: sql`t.published_at < kernel.now() - make_interval(days => ${events_days}::int)`,
    },
    { table: 'kernel.throttles', key: ['bucket'], where: sql`t.tat < now()` },
  ]
}

/**
 * Deletes consumers that have been missing in the code for longer than events are kept. Otherwise
 * they would keep old events forever. Another release may run beside this one, or come back: its
 * consumers are those that a process has known within that time.
 */
function forgetConsumers(known: readonly string[], days: number): Retention[] {
  return [
    {
      statement: sql`
        update kernel.event_consumers set known_at = now()
        where consumer = any (${known}::text[]) and known_at < now() - interval '1 day'`,
    },
    {
      statement: sql`
        delete from kernel.event_consumers
        where consumer <> all (${known}::text[])
          and known_at < now() - make_interval(days => ${days}::int)`,
    },
  ]
}
