/** Sets how many of a SKU are in a cart; 0 takes it out. The cart is made where it is not there yet. */
import { Type } from 'typebox'
import type { Tx } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import type { CartKey } from '../pricing/load-facts.ts'
import { defaultCurrency } from '../catalog/shop-of.ts'
import { lockOpen, openCart } from './open-cart.ts'

const Sellable = Type.Object({
  sold: Type.Boolean(),
  max_order_quantity: Type.Integer(),
  lines: Type.Integer(),
})

/** True if the cart was made by it. */
export async function setItem(
  tx: Tx,
  deps: Pick<Deps, 'kernel'>,
  key: CartKey,
  sku: string,
  quantity: number,
): Promise<boolean> {
  const { tenant_id, owner_id, id } = key
  const found = await lockOpen(tx, key)
  const made = !found && (await openCart(tx, deps, key, await defaultCurrency(tx, tenant_id)))
  if (quantity === 0) {
    await tx.run(sql`
      delete from commerce.cart_items
      where tenant_id = ${tenant_id} and owner_id = ${owner_id} and cart_id = ${id}
        and sku = ${sku}`)
  } else {
    await requireSellable(tx, deps, key, sku, quantity)
    await tx.run(sql`
      insert into commerce.cart_items (tenant_id, owner_id, cart_id, sku, quantity)
      values (${tenant_id}, ${owner_id}, ${id}, ${sku}, ${quantity})
      on conflict (tenant_id, owner_id, cart_id, sku) do update set quantity = excluded.quantity`)
  }
  await touchCart(tx, key, made)
  return made
}

async function requireSellable(
  tx: Tx,
  { kernel }: Pick<Deps, 'kernel'>,
  { tenant_id, owner_id, id }: CartKey,
  sku: string,
  quantity: number,
): Promise<void> {
  const variant = await tx.maybe(
    Sellable,
    sql`
      select p.state = 'active' and v.state = 'active' as sold, v.max_order_quantity,
        (select count(*)::int from commerce.cart_items i
          where i.tenant_id = ${tenant_id} and i.owner_id = ${owner_id} and i.cart_id = ${id}
            and i.sku <> ${sku}) as lines
      from commerce.product_variants v
      join commerce.catalog_products p on p.tenant_id = v.tenant_id and p.id = v.product_id
      where v.tenant_id = ${tenant_id} and v.sku = ${sku} and p.state <> 'draft'`,
  )
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

/** Each change of a cart is one version; its making is the first. */
export async function touchCart(
  tx: Tx,
  { tenant_id, owner_id, id }: CartKey,
  made = false,
): Promise<void> {
  if (made) return
  await tx.run(sql`
    update commerce.carts set version = version + 1, updated_at = kernel.now()
    where tenant_id = ${tenant_id} and owner_id = ${owner_id} and id = ${id}`)
}
