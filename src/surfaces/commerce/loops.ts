/** Captures payments before their authorization ends. Only shops that have this setting use it. */
import { Type } from 'typebox'
import { sql } from '../../kernel/database/sql.ts'
import { Id } from '../../kernel/http/shapes.ts'
import { newId } from '../../kernel/ids.ts'
import type { Loop } from '../../kernel/surface.ts'
import type { Deps } from './deps.ts'
import { lockOrder } from './orders/order-row.ts'
import { requestOperation } from './payments/operations.ts'

const Ending = Type.Object({ tenant_id: Id, id: Id })
const batch = 100

export function loops(deps: Pick<Deps, 'kernel'>): readonly Loop[] {
  return [
    {
      name: 'commerce.captures_before_expiry',
      every_ms: 60_000,
      run: signal => captureBeforeExpiry(deps, signal),
    },
  ]
}

async function captureBeforeExpiry({ kernel: { db } }: Pick<Deps, 'kernel'>, signal: AbortSignal) {
  const ending = await db.many(
    Ending,
    sql`
      -- any tenant: all shops that want it
      select o.tenant_id, o.id from commerce.orders o
      join commerce.shop_records r
        on r.tenant_id = o.tenant_id and r.kind = 'settings' and r.key = 'settings'
      where o.state = 'confirmed' and o.payment_state = 'authorized'
        and o.authorization_expires_at < kernel.now() + interval '24 hours'
        and (r.record ->> 'capture_before_expiry')::boolean
      order by o.authorization_expires_at limit ${batch}`,
  )
  for (const key of ending) {
    signal.throwIfAborted()
    await db.tx(async tx => {
      const order = await lockOrder(tx, key)
      if (order?.state !== 'confirmed' || order.payment_state !== 'authorized') return
      const { tenant_id, id: order_id, total_minor: amount_minor } = order
      await requestOperation(tx, {
        tenant_id,
        id: newId(),
        order_id,
        type: 'capture',
        amount_minor,
      })
    })
  }
}
