/**
 * The consumer that turns each event of the log into deliveries. The same transaction marks the
 * event as consumed. If an event has more subscriptions than one portion, the wide fan-out handles
 * the event. Until the wide fan-out has finished, it also handles every later event of that tenant.
 * So the events of an aggregate stay in order.
 */
import { Type } from 'typebox'
import { Id, sql, type Consumer, type LoggedEvent, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { tested } from '../events.ts'
import { api_versions } from '../schemas.ts'
import type { Bodies } from '../sending/bodies.ts'
import { planLookUps } from '../sending/look-ups.ts'
import { bodyOf } from './body.ts'
import { expand } from './expand.ts'

export const portion_max = 2000

type FanOutDeps = Pick<Deps, 'sender' | 'types'> & {
  readonly bodies: Bodies
  /** `kick` reports that a wide fan-out has more portions. */
  readonly wide: { kick(): void }
}

export function fanOutConsumer(deps: FanOutDeps): Consumer {
  return {
    name: 'webhooks.fan_out',
    // If only a newer process knows a type, events of that type wait for a newer process. `all`
    // also subscribes to types that this process does not know.
    events: 'all',
    run: (tx, event) => consume(tx, deps, [event]),
    runAll: (tx, events) => consume(tx, deps, events),
  }
}

async function consume(tx: Tx, deps: FanOutDeps, events: readonly LoggedEvent[]): Promise<void> {
  // No subscriber gets internal events, not even with `*`.
  const offered = events.filter(event => deps.types.find(event.type))
  const ordinary = offered.filter(event => event.type !== tested)
  const wanted = await ofSubscribers(tx, ordinary)
  if (wanted.length > 0) await fanOut(tx, deps, wanted)
  for (const event of offered) if (event.type === tested) await fanOutTest(tx, deps, event)
}

const Subscriber = Type.Object({ tenant_id: Id })

/**
 * Keeps only events of tenants with a subscription. Without this filter, making the bodies of all
 * other events took a tenth of a job's processor time.
 */
async function ofSubscribers(tx: Tx, events: readonly LoggedEvent[]): Promise<LoggedEvent[]> {
  if (events.length === 0) return []
  const rows = await tx.many(
    Subscriber,
    sql`
      select t.tenant_id
      from unnest(${[...new Set(events.map(one => one.tenant_id))]}::uuid[]) t (tenant_id)
      where exists (select from webhooks.subscriptions s
        where s.tenant_id = t.tenant_id and s.state in ('active', 'paused'))`,
  )
  const tenants = new Set(rows.map(one => one.tenant_id))
  return events.filter(one => tenants.has(one.tenant_id))
}

async function fanOut(tx: Tx, deps: FanOutDeps, events: readonly LoggedEvent[]): Promise<void> {
  const { sender, bodies, wide } = deps
  const limit = portion_max
  const [, expanded] = await Promise.all([
    planLookUps(tx),
    expand(tx, events, { after: null, limit, queues: true }),
  ])
  for (const { event, queued, subscription_ids } of expanded) {
    const more = subscription_ids.length === limit
    if (!queued && !more) continue
    await tx.run(sql`
      insert into webhooks.fanouts (tenant_id, position, event_id, cursor)
      values (${event.tenant_id}, ${event.position}, ${event.id}, ${subscription_ids.at(-1) ?? null})`)
    tx.afterCommit(wide.kick)
  }
  const subscribed = expanded.filter(one => one.subscription_ids.length > 0)
  if (subscribed.length === 0) return
  tx.afterCommit(() => {
    for (const { event, bodies: made } of subscribed) {
      for (const body of made) bodies.put(event.id, body)
    }
    sender.poke([...new Set(subscribed.flatMap(one => one.subscription_ids))])
  })
}

/** The only delivery of a test event exists already. It becomes due now. */
async function fanOutTest(tx: Tx, { sender }: FanOutDeps, event: LoggedEvent) {
  // The declaration of the event guarantees this type.
  const { subscription_id } = event.payload as { subscription_id: string }
  const { tenant_id, id } = event
  const made = api_versions.map(version => bodyOf(event, version))
  await tx.run(sql`
    with due as (
      update webhooks.deliveries d
      set next_attempt_at = kernel.now(), ordered = (s.ordering = 'aggregate')
      from webhooks.subscriptions s
      where d.tenant_id = ${tenant_id} and d.event_id = ${id}
        and d.subscription_id = ${subscription_id} and d.state = 'pending' and s.id = d.subscription_id
      returning d.api_version
    )
    insert into webhooks.event_bodies (tenant_id, event_id, api_version, bytes, sha256,
      traceparent)
    select ${tenant_id}, ${id}, b.api_version, b.bytes, b.sha256, ${event.traceparent}::text
    from due join unnest(${made.map(one => one.api_version)}::text[],
      ${made.map(one => one.bytes)}::bytea[],
      ${made.map(one => one.sha256)}::bytea[]) as b (api_version, bytes, sha256)
      on b.api_version = due.api_version
    on conflict do nothing`)
  tx.afterCommit(() => sender.poke([subscription_id]))
}
