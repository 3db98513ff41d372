/**
 * Periodic maintenance: cancels waiting deliveries of deleted subscriptions, ends deliveries that
 * are too old, deletes unverified subscriptions, and deletes old rows.
 */
import { Type } from 'typebox'
import { Id, nullable, sql, type Loop, type Retention } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import type { Kernel } from '../settings.ts'
import { announceExhausted } from '../sending/finish.ts'
import { deleteSubscription } from '../subscriptions/delete-subscription.ts'

const portion = 1000
const unverified_days = 7
const weeks_ahead_days = 35

export function keepingLoops(deps: Deps): readonly Loop[] {
  return [{ name: 'webhooks.keep', every_ms: 15_000, run: signal => keep(deps, signal) }]
}

async function keep(deps: Deps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await cancelDeleted(deps)) === portion);
  while (!signal.aborted && (await endOld(deps)) === portion);
  while (!signal.aborted && (await forgetUnverified(deps)) > 0);
}

/** A delivery that is being sent now ends with the result of its attempt. */
function cancelDeleted({ kernel: { db } }: Deps): Promise<number> {
  return db.run(sql`
    -- any tenant: a sweep
    with waiting as (
      select d.event_id, d.subscription_id
      from webhooks.subscriptions s
      cross join lateral (
        select d.event_id, d.subscription_id from webhooks.deliveries d
        where d.subscription_id = s.id and d.state = 'pending'
          and (d.lease_token is null or d.leased_until <= now())
        limit ${portion}
      ) d
      where s.state = 'deleted' and s.updated_at > kernel.now() - interval '30 days'
      limit ${portion}
    )
    update webhooks.deliveries d
    set state = 'cancelled', completed_at = kernel.now(), lease_token = null, leased_until = null
    from waiting w
    where d.event_id = w.event_id and d.subscription_id = w.subscription_id
      and d.state = 'pending' and (d.lease_token is null or d.leased_until <= now())`)
}

const Ended = Type.Object({
  id: Id,
  tenant_id: Id,
  event_id: Id,
  subscription_id: Id,
  event_type: Type.String(),
  attempt_count: Type.Integer(),
  replay_no: Type.Integer(),
  last_http_status: nullable(Type.Integer()),
  last_error_code: nullable(Type.String()),
})

/** A delivery that waits for a paused subscription ends when the maximum time on hold is over. */
async function endOld({ kernel: { db, settings } }: Deps): Promise<number> {
  const seconds = settings['webhooks.max_held_age_seconds']
  return db.tx(async tx => {
    const ended = await tx.many(
      Ended,
      sql`
        -- any tenant: a sweep
        with old as (
          select d.event_id, d.subscription_id
          from webhooks.subscriptions s
          cross join lateral (
            select d.event_id, d.subscription_id from webhooks.deliveries d
            where d.subscription_id = s.id and d.state = 'pending' and d.lease_token is null
              and d.event_id < kernel.first_id_of(kernel.now() - make_interval(secs => ${seconds}))
              and coalesce(d.replayed_at, d.occurred_at)
                < kernel.now() - make_interval(secs => ${seconds})
            limit ${portion}
          ) d
          where s.state in ('created', 'paused', 'disabled')
          limit ${portion}
        )
        update webhooks.deliveries d
        set state = 'exhausted', completed_at = kernel.now()
        from old o
        where d.event_id = o.event_id and d.subscription_id = o.subscription_id
          and d.state = 'pending' and d.lease_token is null
        returning d.id, d.tenant_id, d.event_id, d.subscription_id, d.event_type, d.attempt_count, d.replay_no,
          d.last_http_status, d.last_error_code`,
    )
    for (const one of ended) announceExhausted(tx, one)
    return ended.length
  })
}

const Unverified = Type.Object({ id: Id, tenant_id: Id })

async function forgetUnverified({ kernel: { db } }: Deps): Promise<number> {
  return db.tx(async tx => {
    const rows = await tx.many(
      Unverified,
      sql`
        -- any tenant: a sweep
        select id, tenant_id from webhooks.subscriptions
        where state = 'created'
          and unverified_since <= kernel.now() - make_interval(days => ${unverified_days})
        limit 100 for no key update skip locked`,
    )
    for (const row of rows) await deleteSubscription(tx, row)
    return rows.length
  })
}

/** Rows whose deletion emits no event. */
export function retention({ settings }: Kernel): Retention[] {
  const weeks = [
    ['deliveries', settings['webhooks.deliveries_retention_days']],
    ['event_bodies', settings['kernel.events_retention_days']],
    ['delivery_attempts', settings['webhooks.attempts_retention_days']],
  ] as const
  const payload_days = settings['webhooks.receipt_payloads_retention_days']
  const receipt_days = settings['webhooks.receipts_retention_days']
  return [
    ...weeks.map(([table, days]) => ({
      statement: sql`
        select webhooks.prepare_weeks(${table}, now() + make_interval(days => ${weeks_ahead_days})),
          webhooks.drop_weeks(${table}, make_interval(days => ${days}::int))`,
      every_seconds: 3600,
    })),
    {
      table: 'webhooks.previous_secrets',
      key: ['subscription_id', 'secret_version'],
      where: sql`t.valid_until <= kernel.now() - interval '1 day'`,
    },
    {
      table: 'webhooks.senders',
      key: ['id'],
      where: sql`t.leased_until < now() - interval '1 hour'`,
    },
    {
      // The bytes of unprocessed receipts are kept.
      table: 'webhooks.receipt_payloads',
      key: ['receipt_id'],
      where: sql`
        -- any tenant: a sweep
        t.created_at < kernel.now() - make_interval(days => ${payload_days})
          and not exists (select from webhooks.inbound_receipts r where r.id = t.receipt_id
            and r.processing_state in ('received', 'processing', 'failed'))`,
    },
    {
      table: 'webhooks.inbound_receipts',
      key: ['id'],
      where: sql`
        t.id < kernel.first_id_of(kernel.now() - make_interval(days => ${receipt_days}))`,
    },
  ]
}
