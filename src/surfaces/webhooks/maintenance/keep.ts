/**
 * What happens without being asked: cancelling what a deleted subscription had waiting, ending what is too
 * old, forgetting unverified subscriptions, weeks of deliveries, attempts and bodies, and old secrets.
 */
import { Type } from 'typebox'
import { sql } from '../../../kernel/database/sql.ts'
import { Id, nullable } from '../../../kernel/http/shapes.ts'
import type { Loop } from '../../../kernel/surface.ts'
import type { Deps } from '../deps.ts'
import { forgetSenders } from '../lanes/shards.ts'
import { announceExhausted } from '../sending/finish.ts'
import { deleteSubscription } from '../subscriptions/delete-subscription.ts'
import { resealSecrets } from './reseal-secrets.ts'

const portion = 1000
const unverified_days = 7
const weeks_ahead_days = 35

export function keepingLoops(deps: Deps): readonly Loop[] {
  return [
    { name: 'webhooks.keep', every_ms: 15_000, run: signal => keep(deps, signal) },
    { name: 'webhooks.weeks', every_ms: 3_600_000, run: () => keepWeeks(deps) },
    { name: 'webhooks.reseal', every_ms: 3_600_000, run: signal => resealSecrets(deps, signal) },
  ]
}

async function keep(deps: Deps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await cancelDeleted(deps)) === portion);
  while (!signal.aborted && (await endOld(deps)) === portion);
  while (!signal.aborted && (await forgetUnverified(deps)) > 0);
  await deps.kernel.db.run(sql`
    -- any tenant: a sweep
    delete from webhooks.previous_secrets where valid_until <= kernel.now() - interval '1 day'`)
  await forgetSenders(deps.kernel)
}

/** Those that are being sent at this moment end by themselves. */
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
  attempt_count: Type.Integer(),
  replay_no: Type.Integer(),
  last_http_status: nullable(Type.Integer()),
  last_error_code: nullable(Type.String()),
})

/** What waits for a subscription on hold ends when even time on hold is over. */
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
        returning d.id, d.tenant_id, d.event_id, d.subscription_id, d.attempt_count, d.replay_no,
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

async function keepWeeks({ kernel: { db, settings } }: Deps): Promise<void> {
  const kept = [
    ['deliveries', settings['webhooks.deliveries_retention_days']],
    ['event_bodies', settings['kernel.events_retention_days']],
    ['delivery_attempts', settings['webhooks.attempts_retention_days']],
  ] as const
  for (const [table, days] of kept) {
    await db.run(sql`
      select webhooks.prepare_weeks(${table}, now() + make_interval(days => ${weeks_ahead_days}))`)
    await db.run(sql`select webhooks.drop_weeks(${table}, make_interval(days => ${days}::int))`)
  }
}
