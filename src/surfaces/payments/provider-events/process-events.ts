/** Processes stored events. Reading an object once settles all its waiting events. */
import { Type } from 'typebox'
import { done, dueQueue, retry, sql, type DueQueue, type Tx } from '#dodeca/kernel'
import { atAccount, type Deps } from '../deps.ts'
import { ProviderFailure } from '../provider/port.ts'
import { lookAtObject } from './look-at-object.ts'
import { events_queue } from './store-events.ts'

const Row = Type.Object({
  provider: Type.String(),
  event_id: Type.String(),
  object_ref: Type.String(),
})
const Waiting = Type.Object({ event_id: Type.String() })

export function providerEventsQueue(deps: Deps): DueQueue {
  const { kernel } = deps
  return dueQueue<typeof Row, readonly string[]>({
    name: events_queue,
    table: 'payments.provider_events',
    key: ['provider', 'event_id'],
    row: Row,
    load: sql`t.object_ref`,
    where: sql`t.processed_at is null`,
    batch: 100,
    concurrency: 16,
    lease_seconds: 60,
    retry: { first: 1, factor: 3, cap: 3600 },
    attempts_max: 40,
    run: async ({ provider, object_ref }) => {
      // Selects the events that had arrived before the object was read. They are settled too.
      const waiting = await kernel.db.many(
        Waiting,
        sql`
          select event_id from payments.provider_events
          where provider = ${provider} and object_ref = ${object_ref} and due_at is not null`,
      )
      if (waiting.length === 0) return done([])
      const at = await atAccount(deps, provider)
      // Nothing of a closed account is open.
      if (!at) return done(waiting.map(one => one.event_id))
      try {
        await lookAtObject(at, object_ref)
      } catch (error) {
        if (!(error instanceof ProviderFailure)) throw error
        return retry(error.code, { counts: error.kind !== 'not_sent' })
      }
      return done(waiting.map(one => one.event_id))
    },
    finish: async (tx, { provider, event_id }, outcome) => {
      if (outcome.end !== 'done') return await endIfProcessed(tx, provider, event_id)
      // Each of two attempts for one object has its own event locked. Neither waits for the other.
      await tx.run(sql`
        update payments.provider_events e
        set processed_at = now(), due_at = null
        from (
          select event_id from payments.provider_events
          where provider = ${provider} and event_id = any(${[event_id, ...outcome.result]}::text[])
            and processed_at is null
          for no key update skip locked
        ) free
        where e.provider = ${provider} and e.event_id = free.event_id`)
      return undefined
    },
  })
}

/** Another event of the object may have settled this one while its own read failed. */
async function endIfProcessed(tx: Tx, provider: string, event_id: string) {
  const open = await tx.maybe(
    Waiting,
    sql`
      select event_id from payments.provider_events
      where provider = ${provider} and event_id = ${event_id} and processed_at is null`,
  )
  return open ? undefined : done<readonly string[]>([])
}
