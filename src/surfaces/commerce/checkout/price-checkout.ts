/** Prices a checkout with the current rules, and refuses what cannot be ordered at these prices. */
import { formatMoney, type Principal } from '#dodeca/kernel'
import { countUnknown, methodUnavailable, requirePrices } from '../carts/change-cart.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { loadFacts, type CartFacts } from '../pricing/load-facts.ts'
import { quote, type Quote } from '../pricing/quote.ts'
import type { Address } from '../schemas.ts'
import type { Checkout } from './schemas.ts'

export type Priced = {
  readonly facts: CartFacts
  readonly quoted: Quote
  readonly shipping_address: Address | null
  readonly billing_address: Address | null
}

/**
 * Counts unknown codes of the request as attempts, before its transaction: the attempts count
 * although the request fails, and a request that holds a connection does not wait for another one.
 */
export async function countGuesses(
  deps: Deps,
  { id: owner_id, tenant_id }: Pick<Principal, 'id' | 'tenant_id'>,
  { cart_id, discount_codes = [] }: Checkout,
): Promise<void> {
  if (discount_codes.length === 0) return
  const { db } = deps.kernel
  const facts = await loadFacts(db, { tenant_id, owner_id, id: cart_id }, discount_codes)
  if (!facts) return
  await countUnknown(deps, db, owner_id, quote(facts, { address: null, shipping_method_id: null }))
}

/** Without an account, it is not known yet at which one the buyer pays. */
export function priceCheckout(
  deps: Deps,
  facts: CartFacts,
  given: Checkout,
  account?: string,
): Priced {
  if (facts.lines.length === 0) {
    throw problem('cart_empty', { detail: 'Put something into the cart first.' })
  }
  const shipping_address = given.shipping_address ?? facts.shipping_address
  const billing_address = given.billing_address ?? shipping_address
  const shipping_method_id = given.shipping_method_id ?? facts.shipping_method_id
  const sends = facts.lines.some(line => line.requires_shipping)
  const address = sends ? shipping_address : (shipping_address ?? billing_address)
  const quoted = quote(facts, { address, shipping_method_id })
  requirePrices(quoted)
  if (sends && !shipping_address) {
    throw problem('address_required', { detail: 'Say where the goods go: shipping_address.' })
  }
  if (sends && !quoted.method) throw methodUnavailable(quoted)
  requireCodes(quoted)
  requireFingerprint(given, quoted)
  requireLimits(deps, quoted, facts.currency, account)
  return { facts, quoted, shipping_address: sends ? shipping_address : null, billing_address }
}

function requireCodes({ codes }: Quote): void {
  const wrong = codes.filter(one => one.state !== 'applied')
  if (wrong.length === 0) return
  throw problem('discount_not_applicable', {
    detail: `Remove what does not apply: ${wrong.map(one => one.code).join(', ')}.`,
    more: { codes: wrong.map(({ code, reason }) => ({ code, reason })) },
  })
}

function requireFingerprint({ pricing_fingerprint }: Checkout, { fingerprint, wire }: Quote) {
  if (pricing_fingerprint === undefined || pricing_fingerprint === fingerprint) return
  throw problem('pricing_changed', {
    detail: 'Show the buyer the new totals, and send their fingerprint.',
    more: { quote: { totals: wire, pricing_fingerprint: fingerprint } },
  })
}

function requireLimits(
  { kernel, payments }: Deps,
  { wire, lines }: Quote,
  currency: string,
  account?: string,
): void {
  for (const { facts } of lines) {
    if (facts.quantity <= facts.max_order_quantity) continue
    throw problem('quantity_limit', {
      detail: `At most ${facts.max_order_quantity} of ${facts.sku} may be ordered.`,
    })
  }
  const most = kernel.settings['commerce.order_total_max_minor']
  if (wire.total_minor > most) {
    throw problem('order_total_limit', {
      detail: `An order is at most ${formatMoney(most, currency, 'en')}.`,
    })
  }
  const step = payments.stepOf(currency, account ?? null)
  if (wire.total_minor % step !== 0) {
    throw problem('amount_not_representable', {
      detail: `The total is ${formatMoney(wire.total_minor, currency, 'en')}. The provider takes ${currency} only in steps of ${step} minor units.`,
      more: { total_minor: wire.total_minor, step_minor: step },
    })
  }
  if (wire.total_minor > 0) payments.requirePayable(wire.total_minor, currency, '/cart_id', account)
}
