/** A cart with totals that are calculated at each read. The cart stores no price. */
import { parseTime, rfc3339, type Reader } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { loadFacts, type CartFacts, type CartKey, type LineFacts } from '../pricing/load-facts.ts'
import { quote, type QuotedLine, type Quote } from '../pricing/quote.ts'
import type { Cart } from './schemas.ts'

const day_ms = 86_400_000

type ShownCart = { readonly cart: Cart; readonly quoted: Quote; readonly facts: CartFacts }

export async function showCart(
  reader: Reader,
  deps: Pick<Deps, 'kernel'>,
  key: CartKey,
): Promise<ShownCart> {
  const shown = await findCart(reader, deps, key)
  if (!shown) throw problem('cart_not_found')
  return shown
}

export async function findCart(
  reader: Reader,
  deps: Pick<Deps, 'kernel'>,
  key: CartKey,
): Promise<ShownCart | undefined> {
  const facts = await loadFacts(reader, key)
  if (!facts) return undefined
  const { shipping_address: address, shipping_method_id } = facts
  const quoted = quote(facts, { address, shipping_method_id })
  const kept_ms = deps.kernel.settings['commerce.cart_retention_days'] * day_ms
  const cart: Cart = {
    id: facts.id,
    state: facts.state as Cart['state'],
    currency: facts.currency,
    items: quoted.lines.map(itemOf),
    discounts: quoted.codes.map(one => ({ ...one, amount_minor: amountOf(quoted, one.code) })),
    shipping_address: address,
    shipping_method_id,
    shipping_methods: quoted.methods.map(({ method: { id, name }, amount_minor }) => ({
      id,
      name,
      amount_minor,
    })),
    totals: quoted.wire,
    pricing_fingerprint: quoted.fingerprint,
    locale: facts.locale,
    order_id: facts.order_id,
    version: facts.version,
    expires_at: rfc3339(parseTime(facts.updated_at) + kept_ms),
  }
  return { cart, quoted, facts }
}

function amountOf({ totals }: Quote, code: string): number {
  return Number(totals.discounts.find(one => one.code === code)?.amount_minor ?? 0n)
}

function itemOf({ facts, totals }: QuotedLine): Cart['items'][number] {
  const { sku, product_id, title, quantity } = facts
  return {
    sku,
    product_id,
    title,
    quantity,
    unit_price_minor: totals ? facts.amount_minor : null,
    price_version_id: totals ? facts.price_version_id : null,
    subtotal_minor: Number(totals?.subtotal_minor ?? 0n),
    discount_minor: Number(totals?.discount_minor ?? 0n),
    tax_minor: Number(totals?.tax_minor ?? 0n),
    total_minor: Number(totals?.total_minor ?? 0n),
    availability: totals ? availabilityOf(facts) : 'unavailable',
  }
}

function availabilityOf({ track_inventory, available, quantity }: LineFacts) {
  return track_inventory && available < quantity ? 'insufficient' : 'ok'
}
