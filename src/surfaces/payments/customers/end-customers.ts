/** What ends with customers: their methods at once, and what the providers know of them by later work. */
import { Type } from 'typebox'
import { Id, sql, type Tx } from '#dodeca/kernel'
import { announceMethod, methodColumns, MethodRow } from '../methods/method-row.ts'
import { provider_customers_name } from './provider-customers.ts'

type Key = { readonly tenant_id: string; readonly id: string }
const Ended = Type.Object({ tenant_id: Id, ...MethodRow.properties })

export async function endCustomers(tx: Tx, keys: readonly Key[]): Promise<void> {
  if (keys.length === 0) return
  const which = sql`
    (tenant_id, customer_id) in (
      select * from unnest(
        ${keys.map(one => one.tenant_id)}::uuid[], ${keys.map(one => one.id)}::uuid[]))`
  // The provider detaches them with its customer.
  const detached = await tx.many(
    Ended,
    sql`
      -- any tenant: the condition has the tenant of each customer
      update payments.payment_methods m
      set state = 'detached', detached_at = kernel.now(), version = m.version + 1
      where ${which} and m.state = 'active'
      returning m.tenant_id, ${methodColumns}`,
  )
  for (const one of detached) announceMethod(tx, one.tenant_id, one, 'detached')
  await tx.run(sql`
    -- any tenant: the condition has the tenant of each customer
    update payments.provider_customers
    set ended_at = kernel.now(), due_at = kernel.now(), attempts = 0
    where ${which} and ended_at is null`)
  tx.wake(provider_customers_name)
}
