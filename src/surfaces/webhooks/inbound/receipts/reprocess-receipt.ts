/**
 * Processes a receipt again, with a fresh retry schedule. The requester and the reason are
 * recorded.
 */
import { Type } from 'typebox'
import { Id, sql, type Tx } from '#dodeca/kernel'
import { problem } from '../../errors.ts'
import { findReceipt } from './read-receipts.ts'

const Again = Type.Object({ id: Id, kept: Type.Boolean() })

export async function reprocessReceipt(
  tx: Tx,
  own: { readonly tenant_id: string; readonly id: string },
  reason: string,
): Promise<void> {
  const { tenant_id, id } = own
  const again = await tx.maybe(
    Again,
    sql`
      update webhooks.inbound_receipts r
      set processing_state = 'received', processed_at = null, attempts = 0,
        next_attempt_at = kernel.now(), last_error_code = null
      where r.tenant_id = ${tenant_id} and r.id = ${id}
        and r.processing_state in ('processed', 'ignored', 'dead')
      returning r.id, exists (select from webhooks.receipt_payloads p
        where p.tenant_id = ${tenant_id} and p.receipt_id = r.id) as kept`,
  )
  if (!again) {
    const { processing_state } = await findReceipt(tx, own)
    throw problem('invalid_transition', { current_state: processing_state })
  }
  if (!again.kept) throw problem('payload_purged')
  tx.audit('webhooks.inbound_receipts.reprocess', `inbound_receipt:${id}`, { reason })
}
