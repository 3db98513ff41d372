/**
 * Sets the quantity of a SKU in a cart; 0 removes the SKU. If the cart does not exist, it is
 * created.
 */
import { sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import type { CartFacts, CartKey } from '../pricing/load-facts.ts'
import { defaultCurrency } from '../catalog/shop-of.ts'
import { openCart, touchOpen } from './open-cart.ts'
import type { Cart } from './schemas.ts'
import { findCart } from './show-cart.ts'

/** The changed cart. `made` is true if the cart was created now. */
export async function setItem(
  tx: Tx,
  deps: Pick<Deps, 'kernel'>,
  key: CartKey,
  sku: string,
  quantity: number,
): Promise<{ readonly cart: Cart; readonly made: boolean }> {
  // All statements are sent together, and their results are checked afterwards. A refusal rolls
  // the changes back.
  const change = () =>
    Promise.all([
      quantity === 0 ? removeItem(tx, key, sku) : putItem(tx, key, sku, quantity),
      findCart(tx, deps, key),
    ])
  const [open, [changed, shown]] = await Promise.all([touchOpen(tx, key), change()])
  if (open && shown) {
    if (quantity > 0) requireSellable(deps, shown.facts, changed, sku)
    return { cart: shown.cart, made: false }
  }
  const made = await openCart(tx, deps, key, await defaultCurrency(tx, key.tenant_id))
  // Otherwise another request has created the cart in the meantime.
  if (!made) await touchOpen(tx, key)
  const [changed_now, now] = await change()
  if (!now) throw problem('cart_not_found')
  if (quantity > 0) requireSellable(deps, now.facts, changed_now, sku)
  return { cart: now.cart, made }
}

function removeItem(tx: Tx, { tenant_id, owner_id, id }: CartKey, sku: string): Promise<number> {
  return tx.run(sql`
    delete from commerce.cart_items
    where tenant_id = ${tenant_id} and owner_id = ${owner_id} and cart_id = ${id}
      and sku = ${sku}`)
}

/** Changes nothing if the cart or the SKU does not exist. A draft does not exist for buyers. */
function putItem(
  tx: Tx,
  { tenant_id, owner_id, id }: CartKey,
  sku: string,
  quantity: number,
): Promise<number> {
  return tx.run(sql`
    insert into commerce.cart_items (tenant_id, owner_id, cart_id, sku, quantity)
    select c.tenant_id, c.owner_id, c.id, v.sku, ${quantity}::int
    from commerce.carts c
    join commerce.product_variants v on v.tenant_id = c.tenant_id and v.sku = ${sku}
    join commerce.catalog_products p
      on p.tenant_id = v.tenant_id and p.id = v.product_id and p.state <> 'draft'
    where c.tenant_id = ${tenant_id} and c.owner_id = ${owner_id} and c.id = ${id}
    on conflict (tenant_id, owner_id, cart_id, sku) do update set quantity = excluded.quantity`)
}

/** Checks the cart as it is after the change. */
function requireSellable(
  { kernel }: Pick<Deps, 'kernel'>,
  { lines }: CartFacts,
  changed: number,
  sku: string,
): void {
  const line = lines.find(one => one.sku === sku)
  if (changed === 0 || !line) throw problem('sku_not_found')
  if (!line.purchasable) {
    throw problem('variant_not_purchasable', { detail: `${sku} is not on sale.` })
  }
  const most = line.max_order_quantity
  if (line.quantity > most) {
    throw problem('quantity_limit', { detail: `At most ${most} of ${sku} may be ordered.` })
  }
  const lines_max = kernel.settings['commerce.cart_lines']
  if (lines.length > lines_max) {
    throw problem('cart_line_limit', { detail: `A cart has at most ${lines_max} lines.` })
  }
}
