/** Deletes an open cart with its items. The cart of an order shows what was ordered, and stays. */
import { sql, type Tx } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import type { CartKey } from '../pricing/load-facts.ts'
import { lockOpen } from './open-cart.ts'

export async function deleteCart(tx: Tx, key: CartKey): Promise<void> {
  if (!(await lockOpen(tx, key))) throw problem('cart_not_found')
  await tx.run(sql`
    delete from commerce.carts
    where tenant_id = ${key.tenant_id} and owner_id = ${key.owner_id} and id = ${key.id}`)
}
