/** Opens a cart of its owner. The id of another owner's cart is treated as unknown. */
import { type Static, Type } from 'typebox'
import { oneOf, sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import type { CartKey } from '../pricing/load-facts.ts'
import { cart_states } from './schemas.ts'

/** True if the cart was created now; an existing cart stays unchanged. */
export async function openCart(
  tx: Tx,
  { kernel }: Pick<Deps, 'kernel'>,
  { tenant_id, owner_id, id }: CartKey,
  currency: string,
): Promise<boolean> {
  const made = await tx.run(sql`
    insert into commerce.carts (tenant_id, owner_id, id, currency)
    values (${tenant_id}, ${owner_id}, ${id}, ${currency}) on conflict do nothing`)
  if (made === 0) return false
  await kernel.counted(
    tx,
    `commerce.carts:${owner_id}`,
    kernel.settings['commerce.open_carts'],
    sql`
      select 1 from commerce.carts
      where tenant_id = ${tenant_id} and owner_id = ${owner_id} and state = 'open'
        and deleted_at is null`,
    0,
  )
  return true
}

const Held = Type.Object({
  state: oneOf(...cart_states),
  order_id: Type.Union([Type.String(), Type.Null()]),
})

/** Returns the locked cart; undefined if there is none. Refuses a cart that an order holds. */
export async function lockOpen(tx: Tx, { tenant_id, owner_id, id }: CartKey) {
  return requireOpen(
    await tx.maybe(
      Held,
      sql`
        select state, order_id from commerce.carts
        where tenant_id = ${tenant_id} and owner_id = ${owner_id} and id = ${id}
          and deleted_at is null for update`,
    ),
  )
}

/**
 * Locks a cart like `lockOpen`, and increases its version, as each change does. The creation of a
 * cart is version 1.
 */
export async function touchOpen(tx: Tx, { tenant_id, owner_id, id }: CartKey) {
  return requireOpen(
    await tx.maybe(
      Held,
      sql`
        update commerce.carts set version = version + 1, updated_at = kernel.now()
        where tenant_id = ${tenant_id} and owner_id = ${owner_id} and id = ${id}
          and deleted_at is null
        returning state, order_id`,
    ),
  )
}

function requireOpen(cart: Static<typeof Held> | undefined) {
  if (!cart || cart.state === 'open') return cart
  throw problem('cart_not_open', {
    current_state: cart.state,
    detail: `The cart belongs to order ${cart.order_id}. Use another cart.`,
    more: { order_id: cart.order_id },
  })
}
