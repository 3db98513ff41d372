/**
 * Writes the variants in a request, with their first stock row and their current prices. Then the
 * product gets the facets by which it is found, and the prices by which it is sorted.
 */
import { Type } from 'typebox'
import { Id, sql, type Principal, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { addPrice } from '../prices/add-price.ts'
import { sortPrices } from '../prices/sort-prices.ts'
import type { Key } from '../schemas.ts'
import { requireFiles } from './images.ts'
import type { GivenVariant } from './schemas.ts'

type Written = {
  readonly key: Key
  /** Of the product: variants without a title have it too. */
  readonly title: string
  readonly variants: readonly GivenVariant[]
}

export async function writeVariants(
  tx: Tx,
  deps: Pick<Deps, 'files'>,
  principal: Principal,
  { key: { tenant_id, id }, title, variants }: Written,
): Promise<void> {
  requireDistinct(variants)
  await requireNewFiles(tx, deps, principal, variants)
  for (const [at, variant] of variants.entries()) {
    const { sku, options, weight_grams, requires_shipping, track_inventory } = variant
    const { max_order_quantity, file_ids, state } = variant
    const written = await tx.run(sql`
      insert into commerce.product_variants as v (
        tenant_id, sku, product_id, place, title, options, weight_grams, requires_shipping,
        track_inventory, max_order_quantity, file_ids, state)
      values (
        ${tenant_id}, ${sku}, ${id}, ${at}, ${variant.title ?? title},
        ${sql.json(options ?? {})}::jsonb, ${weight_grams ?? 0}, ${requires_shipping ?? true},
        ${track_inventory ?? true}, ${max_order_quantity ?? 999}, ${file_ids ?? []}::uuid[],
        ${state ?? 'active'})
      on conflict (tenant_id, sku) do update
      set place = excluded.place,
        title = coalesce(${variant.title ?? null}, v.title),
        options = coalesce(${options ? sql.json(options) : null}::jsonb, v.options),
        weight_grams = coalesce(${weight_grams ?? null}, v.weight_grams),
        requires_shipping = coalesce(${requires_shipping ?? null}, v.requires_shipping),
        track_inventory = coalesce(${track_inventory ?? null}, v.track_inventory),
        max_order_quantity = coalesce(${max_order_quantity ?? null}, v.max_order_quantity),
        file_ids = coalesce(${file_ids ?? null}::uuid[], v.file_ids),
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
  await tx.run(sql`
    update commerce.catalog_products p
    set facets = commerce.facets_of(${tenant_id}, ${id})
    where p.tenant_id = ${tenant_id} and p.id = ${id}`)
  await sortPrices(tx, { tenant_id, id })
}

const Held = Type.Object({ file_ids: Type.Array(Id) })

/** Files that a variant has already may be another person's, who uploaded them. */
async function requireNewFiles(
  tx: Tx,
  deps: Pick<Deps, 'files'>,
  principal: Principal,
  variants: readonly GivenVariant[],
): Promise<void> {
  const named = [...new Set(variants.flatMap(one => one.file_ids ?? []))]
  if (named.length === 0) return
  const { file_ids } = await tx.one(
    Held,
    sql`
      select coalesce(array_agg(distinct f.id), '{}')::text[] as file_ids
      from commerce.product_variants v, unnest(v.file_ids) f (id)
      where v.tenant_id = ${principal.tenant_id}
        and v.sku = any(${variants.map(one => one.sku)}::text[])`,
  )
  await requireFiles(
    tx,
    deps,
    principal,
    named.filter(one => !file_ids.includes(one)),
  )
}

/** The second one would replace the first one without a word. */
function requireDistinct(variants: readonly GivenVariant[]): void {
  const skus = variants.map(one => one.sku)
  const sku = skus.find((one, at) => skus.indexOf(one) < at)
  if (sku === undefined) return
  throw problem('sku_taken', { detail: `${sku} is named twice. Name it once.`, more: { sku } })
}
