/**
 * The subscription to which a replay of many deliveries sends. Each portion reads the subscription
 * again. If the subscription no longer receives events, nothing more is sent. A changed filter or
 * rate applies from the next portion on. The same holds for the permissions of the requester and of
 * the subscription's owner.
 */
import { type Static, Type } from 'typebox'
import {
  closed,
  Id,
  JobFailure,
  nullable,
  sql,
  Time,
  patternsOf,
  readablePatterns,
} from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { Pattern } from '../schemas.ts'
import type { Listening } from './line-up-missed.ts'
import type { Selection } from './line-up.ts'
import { rate_default } from './pace.ts'
import { Only } from './schemas.ts'

/** The parameters of the replay's job. */
export const ReplayOrder = closed({
  subscription_id: Id,
  since: Time,
  until: Time,
  only: Only,
  types: nullable(Type.Array(Pattern)),
})
export type ReplayOrder = Static<typeof ReplayOrder>

export type Target = {
  readonly rate_per_second: number
  readonly ended: Selection
  readonly missed: Listening
}

const failed = ['permanent_failure', 'exhausted']

const Row = Type.Object({
  event_filter: Type.Array(Type.String()),
  owner_id: Id,
  session_id: nullable(Id),
  actor: Id,
  actor_session_id: nullable(Id),
  aggregate_ids: nullable(Type.Array(Id)),
  api_version: Type.String(),
  rate_per_second: nullable(Type.Integer()),
  since: Time,
})

export async function readTarget(
  { kernel: { db, settings }, types, rights }: Pick<Deps, 'kernel' | 'types' | 'rights'>,
  { id: replay_id, tenant_id }: { readonly id: string; readonly tenant_id: string },
  { subscription_id, until, only, types: asked, ...order }: ReplayOrder,
): Promise<Target> {
  // The log may be kept longer than the weekly partitions of deliveries.
  const kept_days = Math.min(
    settings['kernel.events_retention_days'],
    settings['webhooks.deliveries_retention_days'],
  )
  const row = await db.maybe(
    Row,
    sql`
      select s.event_filter, s.owner_id, s.session_id, r.actor, r.session_id as actor_session_id,
        s.aggregate_ids, s.api_version, s.rate_per_second,
        greatest(${order.since}::timestamptz, kernel.now() - make_interval(days => ${kept_days}))
          as since
      from webhooks.subscriptions s
      join webhooks.replay_audit r on r.tenant_id = s.tenant_id and r.id = ${replay_id}
      where s.tenant_id = ${tenant_id} and s.id = ${subscription_id}
        and s.state in ('active', 'paused')`,
  )
  if (!row) throw new JobFailure('subscription_not_active')
  const [owner, actor] = await rights.recentGrantsOf([
    { tenant_id, principal_id: row.owner_id, session_id: row.session_id },
    { tenant_id, principal_id: row.actor, session_id: row.actor_session_id },
  ])
  if (!owner || !actor?.has('webhooks.deliveries.replay')) throw new JobFailure('owner_revoked')
  await types.fresh(db)
  const namesIn = (...filters: readonly (readonly string[])[]) =>
    types
      .all()
      .map(({ type }) => type)
      .filter(type => filters.every(one => patternsOf(type).some(fits => one.includes(fits))))
  const { since, aggregate_ids, api_version } = row
  const place = { tenant_id, subscription_id, replay_id, since, until }
  return {
    rate_per_second: row.rate_per_second ?? rate_default,
    ended: {
      ...place,
      states: only === 'all' ? [...failed, 'delivered'] : failed,
      types: asked === null ? null : namesIn(asked),
    },
    missed: {
      ...place,
      types: namesIn(row.event_filter, readablePatterns(owner), asked ?? ['*']),
      aggregate_ids,
      api_version,
    },
  }
}
