/**
 * Changes the address, shipping method, currency and discount codes of a cart. Properties that are
 * left out do not change.
 */
import { expectVersion, sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import type { CartKey } from '../pricing/load-facts.ts'
import type { Quote } from '../pricing/quote.ts'
import { requireCurrency } from '../prices/add-price.ts'
import { lockOpen } from './open-cart.ts'
import type { Cart, ChangeCart } from './schemas.ts'
import { showCart } from './show-cart.ts'

export async function changeCart(
  tx: Tx,
  deps: Deps,
  key: CartKey,
  given: ChangeCart,
  if_match: string | string[] | undefined,
): Promise<Cart> {
  const { tenant_id, owner_id, id } = key
  if (!(await lockOpen(tx, key))) throw problem('cart_not_found')
  if (if_match !== undefined) expectVersion(if_match, (await showCart(tx, deps, key)).cart.version)
  const { currency, shipping_address, shipping_method_id, discount_codes, locale } = given
  if (currency !== undefined) requireCurrency(currency)
  await tx.run(sql`
    update commerce.carts
    set version = version + 1, updated_at = kernel.now(),
      currency = coalesce(${currency ?? null}, currency),
      shipping_address = coalesce(
        ${shipping_address ? sql.json(shipping_address) : null}::jsonb, shipping_address),
      shipping_method_id = coalesce(${shipping_method_id ?? null}, shipping_method_id),
      discount_codes = coalesce(${discount_codes ?? null}::text[], discount_codes),
      locale = coalesce(${locale ?? null}, locale)
    where tenant_id = ${tenant_id} and owner_id = ${owner_id} and id = ${id}`)
  const { cart, quoted } = await showCart(tx, deps, key)
  if (currency !== undefined) requirePrices(quoted)
  if (shipping_method_id !== undefined && quoted.needs_shipping && !quoted.method) {
    throw methodUnavailable(quoted)
  }
  if (discount_codes) await countUnknown(deps, tx, owner_id, quoted)
  return cart
}

export function requirePrices({ lines }: Quote): void {
  const missing = lines.filter(one => !one.totals).map(one => one.facts)
  if (missing.length === 0) return
  const ended = missing.filter(one => !one.purchasable)
  const skus = (ended.length > 0 ? ended : missing).map(one => one.sku)
  const names = skus.join(', ')
  throw ended.length > 0
    ? problem('variant_not_purchasable', {
        detail: `Not on sale any more: ${names}. Take them out of the cart.`,
        more: { skus },
      })
    : problem('price_unavailable', {
        detail: `Not sold in this currency now: ${names}. Take them out of the cart.`,
        more: { skus },
      })
}

export function methodUnavailable({ methods }: Quote) {
  const ids = methods.map(one => one.method.id)
  const choice =
    ids.length > 0
      ? `Choose one of: ${ids.join(', ')}.`
      : 'No shipping method goes to the address. The shop adds one with PUT /v1/shipping-methods/{id}.'
  return problem('shipping_method_unavailable', { detail: choice, more: { available: ids } })
}

/** Limits how many unknown codes a buyer may try, because codes can be guessed. */
export async function countUnknown(
  { kernel }: Pick<Deps, 'kernel'>,
  db: Parameters<Deps['kernel']['take']>[0],
  owner_id: string,
  { codes }: Quote,
): Promise<void> {
  const unknown = codes.filter(one => one.reason === 'unknown').length
  if (unknown === 0) return
  const many = kernel.settings['commerce.unknown_codes_per_hour']
  await kernel.take(
    db,
    [{ name: 'commerce.unknown_codes', of: owner_id, many, per_seconds: 3600 }],
    { cost: unknown },
  )
}
