/** Writes further attempts of intents: a retry, the next provider, or one for each device. */
import { newId, rfc3339, sql, type Tx } from '#dodeca/kernel'
import { send_topic } from '../topics.ts'
import type { Claimed } from './claim.ts'

export type NextAttempt = Pick<
  Claimed,
  | 'tenant_id'
  | 'intent_id'
  | 'channel'
  | 'target'
  | 'attempt_no'
  | 'provider'
  | 'pinned'
  | 'lane'
  | 'batch_id'
> & { readonly due_at_ms: number }

export async function insertAttempts(tx: Tx, attempts: readonly NextAttempt[]): Promise<void> {
  if (attempts.length === 0) return
  const rows = attempts.map(one => ({ ...one, id: newId(), due_at: rfc3339(one.due_at_ms) }))
  await tx.run(sql`
    insert into notifications.delivery_attempts
      (tenant_id, id, intent_id, channel, target, attempt_no, state, provider, pinned, next_attempt_at,
        lane, batch_id)
    select n.tenant_id, n.id, n.intent_id, n.channel, n.target, n.attempt_no, 'pending', n.provider,
      n.pinned, n.due_at, n.lane, n.batch_id
    from ${sql.table(rows, {
      tenant_id: 'uuid',
      id: 'uuid',
      intent_id: 'uuid',
      channel: 'text',
      target: 'text',
      attempt_no: 'int',
      provider: 'text',
      pinned: 'boolean',
      due_at: 'timestamptz',
      lane: 'smallint',
      batch_id: 'uuid',
    })} n
    on conflict do nothing`)
  tx.wake(send_topic)
}
