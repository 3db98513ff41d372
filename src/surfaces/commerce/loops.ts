/**
 * Captures payments before their authorization ends. Only shops that have this setting use it. A
 * capture that is refused is tried again after one minute, then two, four, and so on to an hour: about
 * 30 times in the last day.
 */
import { type Static, Type } from 'typebox'
import { Id, newId, sql, type Db, type Loop } from '#dodeca/kernel'
import type { Deps } from './deps.ts'
import { lockOrder } from './orders/order-row.ts'
import { requestOperation } from './payments/operations.ts'
import type { Key } from './schemas.ts'

const Ending = Type.Object({ tenant_id: Id, id: Id, ends: Type.String() })
type Ending = Static<typeof Ending>
const batch = 100

export function loops(deps: Pick<Deps, 'kernel'>): readonly Loop[] {
  return [
    {
      name: 'commerce.captures_before_expiry',
      every_ms: 60_000,
      run: signal => captureBeforeExpiry(deps.kernel.db, signal),
    },
  ]
}

/** @internal for a test: all of them in one run, because those that fail would stay in front. */
export async function captureBeforeExpiry(db: Db, signal: AbortSignal): Promise<void> {
  let after: Ending | undefined
  do {
    const ending = await readEnding(db, after)
    for (const key of ending) {
      signal.throwIfAborted()
      await captureOne(db, key)
    }
    after = ending.length === batch ? ending.at(-1) : undefined
  } while (after)
}

function readEnding(db: Db, after: Ending | undefined): Promise<Ending[]> {
  const place = sql`(o.authorization_expires_at, o.tenant_id, o.id)`
  return db.many(
    Ending,
    sql`
      -- any tenant: all shops that want it
      select o.tenant_id, o.id, o.authorization_expires_at::text as ends from commerce.orders o
      join commerce.shop_records r
        on r.tenant_id = o.tenant_id and r.kind = 'settings' and r.key = 'settings'
      cross join lateral (
        select count(*) as times, max(p.created_at) as last_at from commerce.payment_operations p
        where p.tenant_id = o.tenant_id and p.order_id = o.id
          and p.type = 'capture' and p.state = 'failed') refused
      where o.state = 'confirmed' and o.payment_state = 'authorized'
        and not (o.buyer_erased and o.needs_shipping)
        and o.authorization_expires_at > kernel.now()
        and o.authorization_expires_at < kernel.now() + interval '24 hours'
        and (refused.times = 0 or refused.last_at < kernel.now()
          - make_interval(mins => least(60, 2 ^ least(refused.times - 1, 6))::int))
        and (r.record ->> 'capture_before_expiry')::boolean
        ${
          after
            ? sql`and ${place} > (${after.ends}::timestamptz, ${after.tenant_id}::uuid, ${after.id}::uuid)`
            : sql.empty
        }
      order by ${place} limit ${batch}`,
  )
}

async function captureOne(db: Db, key: Key): Promise<void> {
  await db.tx(async tx => {
    const order = await lockOrder(tx, key)
    if (order?.state !== 'confirmed' || order.payment_state !== 'authorized') return
    if (order.buyer_erased && order.needs_shipping) return
    const { tenant_id, id: order_id, total_minor: amount_minor } = order
    await requestOperation(tx, { tenant_id, id: newId(), order_id, type: 'capture', amount_minor })
  })
}
