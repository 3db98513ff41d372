/**
 * Deletes an open cart: its items and what the buyer wrote at once, the row with the next carts that
 * are removed. The cart of an order stays.
 */
import { Type } from 'typebox'
import { sql, type Tx } from '#dodeca/kernel'
import { endRequest } from '../cart-requests/cart-request.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import type { CartKey } from '../pricing/load-facts.ts'
import { lockOpen } from './open-cart.ts'

const Gone = Type.Object({ gone: Type.Boolean() })

export async function deleteCart(
  tx: Tx,
  deps: Pick<Deps, 'payments'>,
  key: CartKey,
): Promise<void> {
  const { tenant_id, owner_id, id } = key
  if (!(await lockOpen(tx, key))) {
    const before = await tx.maybe(
      Gone,
      sql`
        select true as gone from commerce.carts
        where tenant_id = ${tenant_id} and owner_id = ${owner_id} and id = ${id}`,
    )
    if (before) return
    throw problem('cart_not_found')
  }
  await endRequest(tx, deps, key)
  await tx.run(sql`
    with items as (
      delete from commerce.cart_items
      where tenant_id = ${tenant_id} and owner_id = ${owner_id} and cart_id = ${id})
    update commerce.carts
    set deleted_at = kernel.now(), updated_at = kernel.now(), shipping_address = null,
      discount_codes = '{}'
    where tenant_id = ${tenant_id} and owner_id = ${owner_id} and id = ${id}`)
}
