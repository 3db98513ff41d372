/**
 * Writes the variants in a request, with their first stock row and their current prices.
 */
import { sql, type Tx } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { addPrice } from '../prices/add-price.ts'
import type { Key } from '../schemas.ts'
import type { GivenVariant } from './schemas.ts'

export async function writeVariants(
  tx: Tx,
  { tenant_id, id }: Key,
  title: string,
  variants: readonly GivenVariant[],
): Promise<void> {
  requireDistinct(variants)
  for (const [at, variant] of variants.entries()) {
    const { sku, options, weight_grams, requires_shipping, track_inventory } = variant
    const { max_order_quantity, state } = variant
    const written = await tx.run(sql`
      insert into commerce.product_variants as v (
        tenant_id, sku, product_id, place, title, options, weight_grams, requires_shipping,
        track_inventory, max_order_quantity, state)
      values (
        ${tenant_id}, ${sku}, ${id}, ${at}, ${variant.title ?? title},
        ${sql.json(options ?? {})}::jsonb, ${weight_grams ?? 0}, ${requires_shipping ?? true},
        ${track_inventory ?? true}, ${max_order_quantity ?? 999}, ${state ?? 'active'})
      on conflict (tenant_id, sku) do update
      set place = excluded.place,
        title = coalesce(${variant.title ?? null}, v.title),
        options = coalesce(${options ? sql.json(options) : null}::jsonb, v.options),
        weight_grams = coalesce(${weight_grams ?? null}, v.weight_grams),
        requires_shipping = coalesce(${requires_shipping ?? null}, v.requires_shipping),
        track_inventory = coalesce(${track_inventory ?? null}, v.track_inventory),
        max_order_quantity = coalesce(${max_order_quantity ?? null}, v.max_order_quantity),
        state = coalesce(${state ?? null}, v.state)
      where v.product_id = ${id}`)
    if (written === 0) {
      throw problem('sku_taken', { detail: `${sku} belongs to another product.`, more: { sku } })
    }
    await tx.run(sql`
      insert into commerce.inventory_items (tenant_id, sku) values (${tenant_id}, ${sku})
      on conflict do nothing`)
    for (const price of variant.prices ?? []) {
      await addPrice(tx, { tenant_id, ...price, sku, effective_from: null })
    }
  }
}

/** The second one would replace the first one without a word. */
function requireDistinct(variants: readonly GivenVariant[]): void {
  const skus = variants.map(one => one.sku)
  const sku = skus.find((one, at) => skus.indexOf(one) < at)
  if (sku === undefined) return
  throw problem('sku_taken', { detail: `${sku} is named twice. Name it once.`, more: { sku } })
}
