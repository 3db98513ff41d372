/**
 * Cancels what has not been sent. What a provider has accepted stays sent, and what is on its way at this
 * moment may arrive, but is not tried again: the answer says whether all, a part or nothing was held back.
 *
 * | from                               | becomes                                   |
 * | ---------------------------------- | ----------------------------------------- |
 * | scheduled, held, queued            | cancelled (full)                          |
 * | processing                         | what waits is cancelled (partial or none) |
 * | held in a digest that is closed    | the same (none)                           |
 * | cancelled                          | the same                                  |
 * | sent (and nothing waits), delivered,   |                                           |
 * | failed, suppressed, expired        | 409                                       |
 */
import { Type } from 'typebox'
import { sql, type Tx } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { cancelMembers, holdDigest } from '../digests/cancel-members.ts'
import { settleIntents } from '../sending/settle-intents.ts'
import { requireIntent, type Caller } from './read-notification.ts'
import type { Cancelled } from './schemas.ts'
import type { Static } from 'typebox'
import { IntentState } from '../schemas.ts'

const final = ['delivered', 'failed', 'suppressed', 'expired']
const State = Type.Object({ state: IntentState })
const Open = Type.Object({ state: IntentState, waits: Type.Boolean() })
const Left = Type.Object({ left: Type.Integer() })

export async function cancelNotification(
  tx: Tx,
  caller: Caller,
  id: string,
  reason?: string,
): Promise<Static<typeof Cancelled>> {
  const { digest_id } = await requireIntent(tx, caller, id, 'cancel')
  const { tenant_id } = caller.principal
  const collected = digest_id !== null && (await holdDigest(tx, tenant_id, digest_id))
  // Locked, so that a sender that finishes now comes before or after this transaction.
  const { state, waits } = await tx.one(
    Open,
    sql`
      select i.state, exists (select from notifications.delivery_attempts a
        where a.tenant_id = ${tenant_id} and a.intent_id = i.id
          and a.state in ('pending', 'sending', 'unknown')) as waits
      from notifications.notification_intents i
      where i.tenant_id = ${tenant_id} and i.id = ${id} for update`,
  )
  if (state === 'cancelled') return { id, state, effect: 'full' }
  if (final.includes(state) || (state === 'sent' && !waits)) {
    throw problem('invalid_transition', { current_state: state })
  }
  tx.audit('notifications.intents.cancel', `notification:${id}`, { reason })
  // For what is on its way: if it fails, or was never sent, it is not tried again.
  await tx.run(sql`
    update notifications.notification_intents set cancelled_at = kernel.now()
    where tenant_id = ${tenant_id} and id = ${id}`)
  const cancelled = await tx.run(sql`
    update notifications.delivery_attempts
    set state = 'cancelled', error_code = 'cancelled', next_attempt_at = null, updated_at = kernel.now()
    where tenant_id = ${tenant_id} and intent_id = ${id} and state = 'pending'`)
  const { left } = await tx.one(
    Left,
    sql`
      select count(*)::int as left from notifications.delivery_attempts
      where tenant_id = ${tenant_id} and intent_id = ${id}
        and state in ('sending', 'accepted', 'delivered', 'unknown', 'bounced', 'complained')`,
  )
  // An order in a digest has no attempts of its own.
  if (collected) await cancelMembers(tx, sql`m.tenant_id = ${tenant_id} and m.id = ${id}`)
  await settleIntents(tx, [{ tenant_id, intent_id: id }])
  const now = await tx.one(
    State,
    sql`
      select state from notifications.notification_intents
      where tenant_id = ${tenant_id} and id = ${id}`,
  )
  const some = cancelled > 0 ? 'partial' : 'none'
  const leaves = left > 0 || (digest_id !== null && !collected)
  const effect = leaves ? some : 'full'
  return { id, state: now.state, effect }
}
