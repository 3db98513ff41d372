/** Expires pending orders by the database's clock, each in its own transaction. */
import { Type } from 'typebox'
import { done, dueQueue, Id, sql, type DueQueue } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { findOrder } from '../orders/order-row.ts'
import { endPending } from './end-pending.ts'

const Row = Type.Object({ tenant_id: Id, id: Id })

export function lapseQueue(deps: Pick<Deps, 'payments'>): DueQueue {
  return dueQueue<typeof Row>({
    name: 'commerce.lapses',
    table: 'commerce.orders',
    key: ['tenant_id', 'id'],
    row: Row,
    where: sql`t.state = 'pending'`,
    batch: 200,
    concurrency: 8,
    lease_seconds: 30,
    retry: { first: 1, factor: 2, cap: 60 },
    run: () => Promise.resolve(done()),
    // The queue has locked the row of the order.
    finish: async (tx, key) => {
      const order = await findOrder(tx, key)
      if (!order) return
      await endPending(tx, deps, order, { to: 'expired', reason_code: 'reservation_expired' })
    },
  })
}
