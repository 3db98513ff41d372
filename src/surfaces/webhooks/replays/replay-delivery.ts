/**
 * Sends one delivery again: the same bytes under the same ids, with a new budget of attempts. One
 * conditional statement makes the change. So only one of two replays at the same time opens a
 * budget. The requester and the reason are recorded in the same transaction.
 */
import { Type, type Static } from 'typebox'
import { Id, newId, sql, type Tx } from '#dodeca/kernel'
import { deliveryAt } from '../deliveries/read-deliveries.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { oldest_days } from '../sending/pending-ids.ts'

type Place = { readonly tenant_id: string; readonly id: string }
type Wish = { readonly actor: string; readonly reason: string }

const Known = Type.Object({
  event_id: Id,
  subscription_id: Id,
  subscription_state: Type.String(),
  /** True if the bytes still exist and the event is young enough to be sent again. */
  kept: Type.Boolean(),
})
type Known = Static<typeof Known>
const Again = Type.Object({ event_id: Id, attempt_count: Type.Integer() })

export async function replayDelivery(
  tx: Tx,
  { kernel }: Pick<Deps, 'kernel'>,
  place: Place,
  { actor, reason }: Wish,
) {
  const { tenant_id, id } = place
  const known = await find(tx, place)
  const { subscription_id } = known
  await takeReplayTurns(tx, kernel, { tenant_id, subscription_id })
  const replay_id = newId()
  const again = await sendAgain(tx, { ...place, ...known }, replay_id)
  if (!again) {
    const { subscription_state } = await find(tx, place)
    if (subscription_state === 'active' || subscription_state === 'paused') {
      throw problem('payload_purged')
    }
    throw problem('subscription_not_active', { current_state: subscription_state })
  }
  await tx.run(sql`
    insert into webhooks.replay_audit (tenant_id, id, subscription_id, delivery_id, actor, reason)
    values (${tenant_id}, ${replay_id}, ${subscription_id}, ${id}, ${actor}, ${reason})`)
  tx.audit('webhooks.deliveries.replay', `webhook_delivery:${id}`, { reason })
  return { subscription_id, replayed: { id, status: 'pending' as const, replay_id, ...again } }
}

async function find(tx: Tx, place: Place): Promise<Known> {
  const known = await tx.maybe(
    Known,
    sql`
      select d.event_id, d.subscription_id, s.state as subscription_state,
        d.event_id >= kernel.first_id_of(now() - make_interval(days => ${oldest_days}))
          and exists (select from webhooks.event_bodies b
            where b.tenant_id = d.tenant_id and b.event_id = d.event_id
              and b.api_version = d.api_version) as kept
      from webhooks.deliveries d
      join webhooks.subscriptions s on s.tenant_id = d.tenant_id and s.id = d.subscription_id
      where ${deliveryAt(place)}`,
  )
  if (!known) throw problem('delivery_not_found')
  return known
}

export async function takeReplayTurns(
  tx: Tx,
  { settings, take }: Deps['kernel'],
  { tenant_id, subscription_id }: { tenant_id: string; subscription_id: string },
): Promise<void> {
  const of_tenant = settings['webhooks.replay_tenant_per_minute']
  const of_one = settings['webhooks.replay_per_minute']
  await take(tx, [
    { name: 'webhooks.replay_tenant', of: tenant_id, many: of_tenant, per_seconds: 60 },
    { name: 'webhooks.replay', of: subscription_id, many: of_one, per_seconds: 60 },
  ])
}

/**
 * A waiting delivery only becomes due sooner, unless it waits for an earlier version of its
 * aggregate. The age of an ended delivery starts again, so that an earlier time on hold does not
 * prolong it. An earlier statement has checked that the bytes exist. That is safe, because bytes
 * are kept for weeks. With the check in this statement, PostgreSQL 18.4 crashed.
 */
function sendAgain(tx: Tx, at: Place & Known, replay_id: string) {
  return tx.maybe(
    Again,
    sql`
      update webhooks.deliveries d
      set state = 'pending', completed_at = null, behind = false, replay_id = ${replay_id},
        tries = case when d.state = 'pending' then d.tries else 0 end,
        replay_no = d.replay_no + (d.state <> 'pending')::int,
        replayed_at = case when d.state = 'pending' then d.replayed_at else kernel.now() end,
        held_seconds = case when d.state = 'pending' then d.held_seconds else s.held_seconds
          + coalesce(extract(epoch from kernel.now() - s.paused_at), 0)::bigint end,
        next_attempt_at = case when d.state = 'pending' and d.next_attempt_at = 'infinity'
          then d.next_attempt_at else kernel.now() end
      from webhooks.subscriptions s
      where d.tenant_id = ${at.tenant_id} and d.event_id = ${at.event_id}
        and d.subscription_id = ${at.subscription_id}
        and s.tenant_id = d.tenant_id and s.id = d.subscription_id
        and s.state in ('active', 'paused')
        and (d.state = 'pending'
          or ${at.kept} and d.state in ('delivered', 'permanent_failure', 'exhausted'))
      returning d.event_id, d.attempt_count`,
  )
}
