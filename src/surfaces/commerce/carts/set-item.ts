/**
 * Sets the quantity of a SKU in a cart; 0 removes the SKU. If the cart does not exist, it is
 * created.
 */
import { type Static, Type } from 'typebox'
import type { Tx } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import type { CartKey } from '../pricing/load-facts.ts'
import { defaultCurrency } from '../catalog/shop-of.ts'
import { lockOpen, openCart } from './open-cart.ts'
import type { Cart } from './schemas.ts'
import { findCart, showCart } from './show-cart.ts'

const Variant = Type.Object({
  sold: Type.Boolean(),
  max_order_quantity: Type.Integer(),
  lines: Type.Integer(),
})

/** The changed cart. `made` is true if the cart was created now. */
export async function setItem(
  tx: Tx,
  deps: Pick<Deps, 'kernel'>,
  key: CartKey,
  sku: string,
  quantity: number,
): Promise<{ readonly cart: Cart; readonly made: boolean }> {
  const put = () => (quantity === 0 ? removeItem(tx, key, sku) : putItem(tx, key, sku, quantity))
  // All statements are sent together, and their results are checked afterwards. A refusal rolls
  // the changes back.
  const [found, variant, , , shown] = await Promise.all([
    lockOpen(tx, key),
    quantity === 0 ? undefined : findVariant(tx, key, sku),
    put(),
    touchCart(tx, key),
    findCart(tx, deps, key),
  ])
  if (found && shown) {
    if (quantity > 0) requireSellable(deps, variant, sku, quantity)
    return { cart: shown.cart, made: false }
  }
  const made = await openCart(tx, deps, key, await defaultCurrency(tx, key.tenant_id))
  if (quantity > 0) requireSellable(deps, variant, sku, quantity)
  await put()
  // Another request has created the cart in the meantime.
  if (!made) await touchCart(tx, key)
  const { cart } = await showCart(tx, deps, key)
  return { cart, made }
}

function removeItem(tx: Tx, { tenant_id, owner_id, id }: CartKey, sku: string): Promise<number> {
  return tx.run(sql`
    delete from commerce.cart_items
    where tenant_id = ${tenant_id} and owner_id = ${owner_id} and cart_id = ${id}
      and sku = ${sku}`)
}

/** Changes nothing if the cart or the SKU does not exist. */
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
    where c.tenant_id = ${tenant_id} and c.owner_id = ${owner_id} and c.id = ${id}
    on conflict (tenant_id, owner_id, cart_id, sku) do update set quantity = excluded.quantity`)
}

function findVariant(tx: Tx, { tenant_id, owner_id, id }: CartKey, sku: string) {
  return tx.maybe(
    Variant,
    sql`
      select p.state = 'active' and v.state = 'active' as sold, v.max_order_quantity,
        (select count(*)::int from commerce.cart_items i
          where i.tenant_id = ${tenant_id} and i.owner_id = ${owner_id} and i.cart_id = ${id}
            and i.sku <> ${sku}) as lines
      from commerce.product_variants v
      join commerce.catalog_products p on p.tenant_id = v.tenant_id and p.id = v.product_id
      where v.tenant_id = ${tenant_id} and v.sku = ${sku} and p.state <> 'draft'`,
  )
}

function requireSellable(
  { kernel }: Pick<Deps, 'kernel'>,
  variant: Static<typeof Variant> | undefined,
  sku: string,
  quantity: number,
): void {
  if (!variant) throw problem('sku_not_found')
  if (!variant.sold) {
    throw problem('variant_not_purchasable', { detail: `${sku} is not on sale.` })
  }
  const most = variant.max_order_quantity
  if (quantity > most) {
    throw problem('quantity_limit', { detail: `At most ${most} of ${sku} may be ordered.` })
  }
  const lines = kernel.settings['commerce.cart_lines']
  if (variant.lines >= lines) {
    throw problem('cart_line_limit', { detail: `A cart has at most ${lines} lines.` })
  }
}

/** Each change of a cart increases its version. Its creation is version 1. */
export async function touchCart(tx: Tx, { tenant_id, owner_id, id }: CartKey): Promise<void> {
  await tx.run(sql`
    update commerce.carts set version = version + 1, updated_at = kernel.now()
    where tenant_id = ${tenant_id} and owner_id = ${owner_id} and id = ${id}`)
}
