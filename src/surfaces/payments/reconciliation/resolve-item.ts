/**
 * An operator resolves an item. The operations that the item had stopped then continue. What the
 * provider captured counts from then on, also if it is another amount. A refund whose outcome was
 * never learned may be sent again, because the operator has checked that the provider has none.
 */
import { isId, sql, type Tx } from '#dodeca/kernel'
import { resolver_name } from '../deps.ts'
import { problem } from '../errors.ts'
import { accepted_capture } from '../operations/state-after-answer.ts'

export type Decision = {
  readonly resolution: 'resolved' | 'ignored'
  readonly note: string
  readonly actor: string
  readonly tenant_id: string
}

type Held = {
  readonly id: string
  readonly tenant_id: string
  readonly local_ref: string | null
  readonly discrepancy: string
}

export async function resolveItem(tx: Tx, item: Held, decision: Decision): Promise<void> {
  const { resolution, note, actor } = decision
  const ref = item.local_ref && isId(item.local_ref) ? item.local_ref : null
  const held = sql`(intent_id = ${ref}::uuid or id = ${ref}::uuid)
    and state in ('created', 'pending_provider')`
  // Before the item, because an operation that disagrees opens an item.
  await tx.run(sql`
    select from payments.payment_operations
    where tenant_id = ${item.tenant_id} and ${held} order by id for update`)
  const resolved = await tx.run(sql`
    update payments.reconciliation_items
    set state = ${resolution}, note = ${note}, resolved_by = ${actor}, version = version + 1,
      resolved_at = kernel.now()
    where tenant_id = ${item.tenant_id} and id = ${item.id} and state = 'open'`)
  if (resolved === 0) throw problem('already_resolved')
  if (ref !== null) {
    const accepts = resolution === 'resolved' && item.discrepancy === 'amount_mismatch'
    const resends = resolution === 'resolved' && item.discrepancy === 'unresolved_operation'
    const woken = await tx.run(sql`
      update payments.payment_operations
      set due_at = kernel.now(), attempts = 0, error_code = null,
        reason = case when ${accepts} and type = 'capture' then ${accepted_capture} else reason end,
        sent_at = case when ${resends} and type = 'refund' then now() else sent_at end
      where tenant_id = ${item.tenant_id} and due_at is null and ${held}`)
    if (woken > 0) tx.wake(resolver_name)
  }
  tx.audit('payments.reconciliations.resolve', `reconciliation_item:${item.id}`, { reason: note })
}
