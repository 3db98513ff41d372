/**
 * Adds a version of a price; no price is ever changed. The latest version whose time has come is
 * the current price, so prices cannot overlap.
 */
import { type Static, Type } from 'typebox'
import { Amount, digitsOf, Id, newId, nullable, sql, Time, Version, violates } from '#dodeca/kernel'
import type { Tx } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { Currency, Sku } from '../schemas.ts'

export const PriceVersion = Type.Object(
  {
    id: Id,
    sku: Sku,
    currency: Currency,
    amount_minor: Amount,
    compare_at_minor: nullable(Amount),
    prices_include_tax: Type.Boolean(),
    effective_from: Time,
    created_at: Time,
  },
  { title: 'PriceVersion' },
)

export type NewPrice = {
  readonly tenant_id: string
  readonly sku: string
  readonly currency: string
  readonly amount_minor: number
  readonly compare_at_minor?: number
  readonly prices_include_tax?: boolean
  /** Null means now. */
  readonly effective_from: string | null
}

const Raised = Type.Object({ id: Id, version: Version, in_past: Type.Boolean() })

/** Also the product of the SKU, which is locked: the caller then calls `sortPrices` for it. */
export async function addPrice(
  tx: Tx,
  price: NewPrice,
): Promise<{ readonly added: Static<typeof PriceVersion>; readonly product_id: string }> {
  const { tenant_id, sku, currency, amount_minor, effective_from } = price
  requireCurrency(currency)
  // The version of the product increases with its prices. The lock on its row orders two prices for
  // the same time.
  const product = await tx.maybe(
    Raised,
    sql`
      update commerce.catalog_products p
      set version = p.version + 1, updated_at = kernel.now()
      from commerce.product_variants v
      where v.tenant_id = ${tenant_id} and v.sku = ${sku}
        and p.tenant_id = v.tenant_id and p.id = v.product_id
      returning p.id, p.version,
        coalesce(${effective_from}::timestamptz < kernel.now(), false) as in_past`,
  )
  if (!product) throw problem('sku_not_found', { detail: `There is no SKU ${sku}.` })
  if (product.in_past) {
    throw problem('effective_from_in_past', {
      detail: 'Leave effective_from out for a price of now, or choose a later moment.',
    })
  }
  try {
    const added = await tx.one(
      PriceVersion,
      sql`
        insert into commerce.price_versions (
          tenant_id, id, sku, currency, amount_minor, compare_at_minor, prices_include_tax,
          effective_from)
        values (
          ${tenant_id}, ${newId()}, ${sku}, ${currency}, ${amount_minor},
          ${price.compare_at_minor ?? null}, ${price.prices_include_tax ?? false},
          coalesce(${effective_from}::timestamptz, kernel.now()))
        returning id, sku, currency, amount_minor, compare_at_minor, prices_include_tax,
          effective_from, created_at`,
    )
    tx.emit({
      type: 'price.changed',
      tenant_id,
      aggregate_type: 'product',
      aggregate_id: product.id,
      aggregate_version: product.version,
      data: {
        product_id: product.id,
        sku,
        currency,
        amount_minor,
        effective_from: added.effective_from,
      },
    })
    return { added, product_id: product.id }
  } catch (error) {
    if (!violates(error, 'price_versions_moment')) throw error
    throw problem('price_version_exists', {
      detail: `${sku} has a price in ${currency} from this moment. Choose another moment.`,
    })
  }
}

export function requireCurrency(currency: string): void {
  if (digitsOf(currency) === undefined) {
    throw problem('currency_unsupported', { detail: `${currency} is no code of ISO 4217.` })
  }
}
