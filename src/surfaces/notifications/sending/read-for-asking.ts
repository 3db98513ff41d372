/** An attempt whose fate is unknown, with all that its message is made of: the provider is asked about it. */
import type { Db } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { ClaimedRow, type Claimed } from './claim.ts'

export async function readForAsking(
  db: Db,
  at: Pick<Claimed, 'tenant_id' | 'intent_id' | 'channel' | 'target' | 'attempt_no'>,
): Promise<Claimed | null> {
  const row = await db.maybe(
    ClaimedRow,
    sql`
      select a.tenant_id, a.intent_id, a.channel, a.target, a.attempt_no, a.provider, a.lane, a.batch_id,
        i.recipient_ref, i.category, i.priority, i.template_version, i.locale, i.expires_at,
        i.created_at, i.data_ref, n.owner_id, n.ciphertext
      from notifications.delivery_attempts a
      join notifications.notification_intents i on i.tenant_id = a.tenant_id and i.id = a.intent_id
      left join notifications.notification_inputs n
        on n.tenant_id = i.tenant_id and n.ref = i.data_ref
      where a.tenant_id = ${at.tenant_id} and a.intent_id = ${at.intent_id}
        and a.channel = ${at.channel} and a.target = ${at.target} and a.attempt_no = ${at.attempt_no}`,
  )
  return row ? { ...row, token: '' } : null
}
