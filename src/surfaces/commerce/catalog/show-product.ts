/**
 * A product with its variants and their current prices and stock, read from the authoritative rows.
 */
import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import { sql, type Reader } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import type { Key } from '../schemas.ts'
import { imageOf, urlPeriod } from './images.ts'
import { localesOf } from './list-products.ts'
import { Product, type Variant } from './schemas.ts'

const Row = Type.Object({
  ...Product.properties,
  images: Type.Array(Type.String()),
  variants: Type.Unknown(),
})

type Translations = NonNullable<Product['translations']>

/** How a product is shown. With `hidden`, drafts, archived ones, and what only writers see. */
export type Showing = {
  readonly currency: string
  readonly hidden: boolean
  readonly locale?: string | undefined
}

export type Shown = { readonly product: Product; readonly etag: string }

export async function showProduct(
  reader: Reader,
  deps: Pick<Deps, 'files' | 'kernel'>,
  { tenant_id, id }: Key,
  { currency, hidden, locale }: Showing,
): Promise<Shown> {
  const row = await reader.maybe(
    Row,
    sql`
      select p.id, p.handle, p.title, p.description, p.category, p.tax_class, p.state,
        p.attributes, p.tags, p.translations, p.images::text[] as images, p.version, p.created_at, p.updated_at,
        coalesce((
          select jsonb_agg(jsonb_build_object(
            'sku', v.sku, 'title', v.title, 'options', v.options,
            'price', case when w.id is not null then jsonb_build_object(
              'amount_minor', w.amount_minor, 'currency', w.currency, 'price_version_id', w.id,
              'compare_at_minor', w.compare_at_minor,
              'prices_include_tax', w.prices_include_tax) end,
            'in_stock', not v.track_inventory or coalesce(i.on_hand > i.reserved, false),
            'max_order_quantity', v.max_order_quantity, 'weight_grams', v.weight_grams,
            'requires_shipping', v.requires_shipping, 'track_inventory', v.track_inventory,
            'file_ids', v.file_ids, 'state', v.state) order by v.place, v.sku)
          from commerce.product_variants v
          left join commerce.inventory_items i on i.tenant_id = v.tenant_id and i.sku = v.sku
          left join lateral (
            select x.id, x.amount_minor, x.currency, x.compare_at_minor, x.prices_include_tax
            from commerce.price_versions x
            where x.tenant_id = v.tenant_id and x.sku = v.sku and x.currency = ${currency}
              and x.effective_from <= kernel.now()
            order by x.effective_from desc limit 1) w on true
          where v.tenant_id = p.tenant_id and v.product_id = p.id
            and (${hidden} or v.state = 'active')
        ), '[]') as variants
      from commerce.catalog_products p
      where p.tenant_id = ${tenant_id} and p.id = ${id} and (${hidden} or p.state = 'active')`,
  )
  if (!row) throw problem('product_not_found')
  const variants = (row.variants as Variant[]).map(({ file_ids, ...variant }) =>
    hidden ? { ...variant, file_ids: file_ids ?? [] } : variant,
  )
  // A scheduled price or a change of stock changes the reply without a change of the product.
  const shown = variants.map(({ sku, in_stock, price }) => [sku, in_stock, price])
  // URLs of images end, so a reply that is kept must be read again before they do.
  const signed = row.images.length > 0 ? urlPeriod(deps.kernel.clock.nowSeconds()) : null
  const hash = createHash('sha256')
    .update(JSON.stringify([shown, signed]))
    .digest('base64url')
    .slice(0, 12)
  const { translations = {}, ...product } = row
  return {
    product: {
      ...product,
      ...textsIn(row, translations, locale),
      ...(hidden ? { translations } : {}),
      variants,
      images: row.images.map(one => imageOf(deps, one)),
    },
    etag: `"${row.version}.${hash}"`,
  }
}

function textsIn(
  { title, description }: Pick<Product, 'title' | 'description'>,
  translations: Translations,
  locale: string | undefined,
) {
  const found = localesOf(locale).flatMap(one => translations[one] ?? [])
  return {
    title: found.find(one => one.title !== undefined)?.title ?? title,
    description: found.find(one => one.description !== undefined)?.description ?? description,
  }
}
