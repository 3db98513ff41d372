/** Keeps the method of an authorization that saves it, in the commit that moves the payment. */
import { newId, sql, type Tx } from '#dodeca/kernel'
import type { IntentRow, OperationRow } from '../operations/rows.ts'
import type { Snapshot } from '../provider/port.ts'
import { announceMethod, methodColumns, MethodRow } from './method-row.ts'

export async function keepMethod(
  tx: Tx,
  { tenant_id, provider }: IntentRow,
  { save, customer_id }: Pick<OperationRow, 'save' | 'customer_id'>,
  { method }: Snapshot,
): Promise<void> {
  if (!save || !method?.kept) return
  // Only what the provider has kept for the customer that we have there.
  const kept = await tx.maybe(
    MethodRow,
    sql`
      insert into payments.payment_methods as m (
        tenant_id, id, customer_id, account_id, provider, ref, method, brand, last4, exp)
      select c.tenant_id, ${newId()}, c.id, c.account_id, p.provider, ${method.ref},
        ${method.method}, ${method.brand}, ${method.last4}, ${method.exp}
      from payments.customers c
      join payments.provider_customers p
        on p.tenant_id = c.tenant_id and p.customer_id = c.id and p.provider = ${provider}
      where c.tenant_id = ${tenant_id} and c.id = ${customer_id} and c.deleted_at is null
        and p.ref = ${method.customer_ref} and p.ended_at is null
      for share of c
      on conflict (provider, ref) do nothing
      returning ${methodColumns}`,
  )
  if (kept) announceMethod(tx, tenant_id, kept, 'saved')
}
