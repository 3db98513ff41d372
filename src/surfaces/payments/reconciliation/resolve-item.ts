/** An operator resolves an item. The operations that the item had stopped then continue. */
import type { Tx } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { isId } from '../../../kernel/ids.ts'
import { resolver_name } from '../deps.ts'
import { problem } from '../errors.ts'

export type Decision = {
  readonly resolution: 'resolved' | 'ignored'
  readonly note: string
  readonly actor: string
  readonly tenant_id: string
}

type Held = { readonly id: string; readonly tenant_id: string; readonly local_ref: string | null }

export async function resolveItem(tx: Tx, item: Held, decision: Decision): Promise<void> {
  const { resolution, note, actor } = decision
  const resolved = await tx.run(sql`
    update payments.reconciliation_items
    set state = ${resolution}, note = ${note}, resolved_by = ${actor}, version = version + 1,
      resolved_at = kernel.now()
    where tenant_id = ${item.tenant_id} and id = ${item.id} and state = 'open'`)
  if (resolved === 0) throw problem('already_resolved')
  if (item.local_ref && isId(item.local_ref)) {
    const woken = await tx.run(sql`
      update payments.payment_operations
      set due_at = kernel.now(), attempts = 0, error_code = null
      where tenant_id = ${item.tenant_id} and due_at is null
        and state in ('created', 'pending_provider')
        and (intent_id = ${item.local_ref}::uuid or id = ${item.local_ref}::uuid)`)
    if (woken > 0) tx.wake(resolver_name)
  }
  tx.audit({
    tenant_id: decision.tenant_id,
    actor,
    action: 'payments.reconciliations.resolve',
    target: `reconciliation_item:${item.id}`,
    outcome: 'done',
    reason: note,
  })
}
