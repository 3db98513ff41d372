/**
 * Processes wide fan-outs, one portion in each transaction. A tenant's events are processed in the
 * order of the log. If a process is killed, another process continues from the last committed
 * cursor.
 */
import { type Static, Type } from 'typebox'
import { Id, LoggedEvent, nullable, openSleeper, sql, type Loop, type Tx } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import type { Poke } from '../deps.ts'
import type { Bodies } from '../sending/bodies.ts'
import { expand } from './expand.ts'
import { portion_max } from './fan-out.ts'

export type WideFanOut = Loop & { kick(): void }

type Needs = {
  readonly kernel: Pick<Kernel, 'db' | 'onWake' | 'fault' | 'log'>
  readonly sender: Poke
  readonly bodies: Bodies
}

const name = 'webhooks.fan_out_wide'
/** While a row waits, the kernel wakes the loop once a second. */
const poll_ms = 30_000

export function openWideFanOut(needs: Needs): WideFanOut {
  const sleeper = openSleeper()
  return {
    name,
    every_ms: 250,
    due: sql`
      -- any tenant: the rows of all of them
      select exists (select from webhooks.fanouts)`,
    kick: () => sleeper.wake(),
    run: async signal => {
      signal.addEventListener('abort', sleeper.close, { once: true })
      const unsubscribe = needs.kernel.onWake(sleeper.wake, [name])
      try {
        while (!signal.aborted) {
          if (await expandNext(needs)) continue
          await sleeper.sleep(poll_ms)
        }
      } finally {
        unsubscribe()
      }
    },
  }
}

const Waiting = Type.Object({ tenant_id: Id, position: Type.Integer(), cursor: nullable(Id) })
type Waiting = Static<typeof Waiting>

/** Processes one portion. Returns false if nothing waits. */
async function expandNext(needs: Needs): Promise<boolean> {
  const { kernel, sender, bodies } = needs
  return kernel.db.tx(async tx => {
    const waiting = await tx.maybe(
      Waiting,
      sql`
        -- any tenant: the first row of each
        select f.tenant_id, f.position, f.cursor from webhooks.fanouts f
        where not exists (select from webhooks.fanouts e
          where e.tenant_id = f.tenant_id and e.position < f.position)
        order by f.position limit 1
        for update skip locked`,
    )
    if (!waiting) return false
    const event = await eventAt(tx, waiting)
    // An event that is no longer in the log cannot be sent.
    if (!event) return end(tx, waiting)
    const portion = { after: waiting.cursor, limit: portion_max, queues: false }
    const [expanded] = await expand(tx, [event], portion)
    const subscription_ids = expanded?.subscription_ids ?? []
    await kernel.fault('webhooks.fan_out_portion')
    if (subscription_ids.length < portion_max) await end(tx, waiting)
    else await move(tx, waiting, subscription_ids.at(-1) ?? null)
    tx.afterCommit(() => {
      for (const body of expanded?.bodies ?? []) bodies.put(event.id, body)
      sender.poke(subscription_ids)
    })
    return true
  })
}

function eventAt(tx: Tx, { tenant_id, position }: Waiting): Promise<LoggedEvent | undefined> {
  return tx.maybe(
    LoggedEvent,
    sql`
      select position, id, tenant_id, type, schema_version, aggregate_type, aggregate_id,
        aggregate_version, payload, payload_ref, traceparent, occurred_at, created_at
      from kernel.events where position = ${position} and tenant_id = ${tenant_id}`,
  )
}

async function end(tx: Tx, { tenant_id, position }: Waiting): Promise<true> {
  await tx.run(sql`
    delete from webhooks.fanouts where tenant_id = ${tenant_id} and position = ${position}`)
  return true
}

async function move(tx: Tx, { tenant_id, position }: Waiting, cursor: string | null) {
  await tx.run(sql`
    update webhooks.fanouts set cursor = ${cursor}
    where tenant_id = ${tenant_id} and position = ${position}`)
}
