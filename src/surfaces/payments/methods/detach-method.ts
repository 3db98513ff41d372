/** Detaches a saved method: here first, so that nothing charges it again, and then at its provider. */
import { Type } from 'typebox'
import { done, dueQueue, Id, retry, sql, type DueQueue, type Reader, type Tx } from '#dodeca/kernel'
import { atAccount, type Deps } from '../deps.ts'
import { findProviderCustomer } from '../customers/provider-customers.ts'
import type { OperationRow } from '../operations/rows.ts'
import { ProviderFailure } from '../provider/port.ts'
import { announceMethod, methodColumns, MethodRow } from './method-row.ts'

const queue_name = 'payments.payment_methods'

type Key = { readonly tenant_id: string; readonly id: string }

export function findMethod(reader: Reader, { tenant_id, id }: Key) {
  return reader.maybe(
    MethodRow,
    sql`
      select ${methodColumns} from payments.payment_methods m
      where m.tenant_id = ${tenant_id} and m.id = ${id}`,
  )
}

export async function detachMethod(tx: Tx, { tenant_id, id }: Key): Promise<void> {
  const detached = await tx.maybe(
    MethodRow,
    sql`
      update payments.payment_methods m
      set state = 'detached', detached_at = kernel.now(), due_at = kernel.now(),
        version = m.version + 1
      where m.tenant_id = ${tenant_id} and m.id = ${id} and m.state = 'active'
      returning ${methodColumns}`,
  )
  if (!detached) return
  announceMethod(tx, tenant_id, detached, 'detached')
  tx.wake(queue_name)
}

/** Whether a method or its customer ended after the operation began. Asked right before its call. */
export async function isWithdrawn(
  { kernel: { db }, provider }: Pick<Deps, 'kernel' | 'provider'>,
  { tenant_id, payment_method_id: id, customer_id }: OperationRow,
): Promise<boolean> {
  const method = id === null ? undefined : await findMethod(db, { tenant_id, id })
  if (id !== null && method?.state !== 'active') return true
  if (customer_id === null) return false
  const key = { tenant_id, customer_id, provider: provider.name }
  const customer = await findProviderCustomer(db, key)
  return !customer || customer.ended
}

const Due = Type.Object({ tenant_id: Id, id: Id, provider: Type.String(), ref: Type.String() })

export function detachedMethodsQueue(deps: Deps): DueQueue {
  const { settings } = deps.kernel
  return dueQueue({
    name: queue_name,
    table: 'payments.payment_methods',
    key: ['tenant_id', 'id'],
    row: Due,
    load: sql`t.provider, t.ref`,
    where: sql`t.state = 'detached'`,
    batch: 20,
    concurrency: 4,
    lease_seconds: Math.ceil(settings['payments.provider_timeout_ms'] / 250) + 5,
    retry: { first: 2, factor: 3, cap: 3600 },
    run: async ({ id, provider, ref }) => {
      const at = await atAccount(deps, provider)
      // An account that was closed is its owner's alone.
      if (!at?.provider.customers) return done()
      try {
        await at.provider.customers.detach(ref, { key: `${id}:detach` })
        return done()
      } catch (error) {
        if (!(error instanceof ProviderFailure)) throw error
        return retry(error.code, { counts: error.kind !== 'not_sent' })
      }
    },
  })
}
