/**
 * Ends batches. A cancelled batch cancels its waiting messages in portions. A batch without waiting
 * messages is completed and emits an event. A batch whose request died is deleted after an hour.
 */
import { Type } from 'typebox'
import { Id, sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { settleIntents } from '../sending/settle-intents.ts'
import { discardBatch } from './discard-batch.ts'
import { countStates } from './read-batch.ts'

const portion = 2000
const Key = Type.Object({ tenant_id: Id, id: Id })
const Cancelled = Type.Object({ tenant_id: Id, intent_id: Id })
const Ended = Type.Object({ tenant_id: Id, id: Id, state: Type.String(), version: Type.Integer() })

/** No message of the batch `b` is waiting, being sent or unknown. */
const ended = sql`not exists (select from notifications.delivery_attempts a
    where a.tenant_id = b.tenant_id and a.batch_id = b.id and a.state = 'pending')
  and not exists (select from notifications.delivery_attempts a
    where a.tenant_id = b.tenant_id and a.state = 'sending' and a.batch_id = b.id)
  and not exists (select from notifications.delivery_attempts a
    where a.tenant_id = b.tenant_id and a.state = 'unknown' and a.batch_id = b.id)`

export const batchesDue = sql`
  -- any tenant: batches of all of them
  select exists (select from notifications.notification_batches b
    where b.completed_at is null and (b.state = 'cancelled'
      or b.state = 'dispatching' and ${ended}
      or b.state = 'expanding' and b.expand_until < now() - interval '1 hour'))`

export async function completeBatches(
  { kernel: { db } }: Deps,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted && (await db.tx(cancelSome)) === portion) {
    // One transaction cancels one portion.
  }
  while (!signal.aborted && (await db.tx(completeOne))) {
    // One transaction completes one batch.
  }
  const dead = await db.many(
    Key,
    sql`
      -- any tenant: what is left behind is deleted for all of them
      select tenant_id, id from notifications.notification_batches
      where state = 'expanding' and completed_at is null and expand_until < now() - interval '1 hour'
      limit 10`,
  )
  for (const one of dead) await discardBatch(db, one)
}

async function cancelSome(tx: Tx): Promise<number> {
  const cancelled = await tx.many(
    Cancelled,
    sql`
      -- any tenant: cancelled batches of all of them
      update notifications.delivery_attempts a
      set state = 'cancelled', error_code = 'cancelled', next_attempt_at = null
      where (a.tenant_id, a.intent_id, a.channel, a.target, a.attempt_no) in (
        select p.tenant_id, p.intent_id, p.channel, p.target, p.attempt_no
        from notifications.notification_batches b
        join notifications.delivery_attempts p on p.batch_id = b.id and p.state = 'pending'
        where b.state = 'cancelled' and b.completed_at is null
        limit ${portion} for update of p skip locked)
      returning a.tenant_id, a.intent_id`,
  )
  await settleIntents(tx, cancelled)
  return cancelled.length
}

async function completeOne(tx: Tx): Promise<boolean> {
  const done = await tx.maybe(
    Ended,
    sql`
      -- any tenant: batches of all of them
      update notifications.notification_batches
      set state = case state when 'dispatching' then 'completed' else state end,
        completed_at = kernel.now(), version = version + 1
      where (tenant_id, id) = (
        select b.tenant_id, b.id from notifications.notification_batches b
        where b.state in ('dispatching', 'cancelled') and b.completed_at is null
          and ${ended}
        limit 1 for update skip locked)
      returning tenant_id, id, state, version`,
  )
  if (!done) return false
  const { tenant_id, id, state, version } = done
  tx.emit({
    type: 'notification_batch.completed',
    tenant_id,
    aggregate_type: 'notification_batch',
    aggregate_id: id,
    aggregate_version: version,
    data: { batch_id: id, state, counts: await countStates(tx, tenant_id, id) },
  })
  return true
}
