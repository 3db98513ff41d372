/**
 * Makes the payment request of a cart: a page on which it is paid as it is now. Nothing is reserved
 * before the payer pays.
 */
import { type Static, Type } from 'typebox'
import { closed, narrowSession, rfc3339, text, type Principal, type Tx } from '#dodeca/kernel'
import type { OwnedLine } from '../../payments/face.ts'
import { lockOpen } from '../carts/open-cart.ts'
import { emailOf } from '../checkout/guest-limits.ts'
import { priceCheckout } from '../checkout/price-checkout.ts'
import { requireReturn } from '../checkout/require-return.ts'
import { Checkout } from '../checkout/schemas.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { loadFacts } from '../pricing/load-facts.ts'
import type { Quote } from '../pricing/quote.ts'
import { endRequest, insertCartRequest } from './cart-request.ts'

const { billing_address, email, pricing_fingerprint } = Checkout.properties

export const RequestCartPayment = closed(
  {
    email,
    billing_address,
    pricing_fingerprint,
    return_url: Type.Optional(
      Type.String({ pattern: '^https?://', minLength: 8, maxLength: 2000 }),
    ),
    description: Type.Optional(text(500)),
  },
  { title: 'RequestCartPayment' },
)

const open_ms = 24 * 3_600_000
const description_most = 500

export async function requestPayment(
  tx: Tx,
  deps: Deps,
  principal: Principal,
  cart_id: string,
  given: Static<typeof RequestCartPayment>,
) {
  const { tenant_id, id: owner_id } = principal
  const key = { tenant_id, owner_id, id: cart_id }
  const [open, facts] = await Promise.all([lockOpen(tx, key), loadFacts(tx, key)])
  if (!open || !facts) throw problem('cart_not_found')
  const guest = principal.scope?.has('anonymous') === true
  await requireReturn(tx, deps, principal, given, '/return_url')
  const address = emailOf(deps, given, guest ? { network: null } : null)
  const { quoted } = priceCheckout(deps, facts, { cart_id, ...given })
  const amount_minor = quoted.wire.total_minor
  deps.payments.requirePayable(amount_minor, facts.currency, '/cart_id')
  await endRequest(tx, deps, key)
  const request = await deps.payments.requests.create(tx, {
    tenant_id,
    amount_minor,
    currency: facts.currency,
    description: (given.description ?? titlesOf(quoted)).slice(0, description_most),
    order_ref: cart_id,
    lines: linesOf(quoted),
    expires_at: rfc3339(deps.kernel.clock.nowMs() + open_ms),
    ...(facts.locale === null ? {} : { locale: facts.locale }),
    ...(given.return_url === undefined ? {} : { return_url: given.return_url }),
  })
  await insertCartRequest(tx, {
    tenant_id,
    owner_id,
    cart_id,
    request_id: request.id,
    cart_version: facts.version,
    pricing_fingerprint: quoted.fingerprint,
    owner_kind: principal.kind,
    session_id: narrowSession(principal),
    guest,
    email: address,
    billing_address: given.billing_address ?? null,
  })
  return request
}

const nameOf = ({ facts: { quantity, title, sku } }: Quote['lines'][number]) =>
  `${quantity} × ${title || sku}`

function titlesOf({ lines }: Quote): string {
  return lines.map(nameOf).join(', ')
}

/** As on the page of an order. */
function linesOf({ lines, wire }: Quote): OwnedLine[] {
  const shipping = wire.shipping_minor - wire.shipping_discount_minor
  const sums = [
    { sum: 'discount', amount_minor: -wire.discount_minor },
    { sum: 'shipping', amount_minor: shipping },
    { sum: 'tax', amount_minor: wire.prices_include_tax ? 0 : wire.tax_minor },
  ] as const
  return [
    ...lines.map(one => ({
      label: { text: nameOf(one) },
      amount_minor: Number(one.totals?.subtotal_minor ?? 0n),
    })),
    ...sums
      .filter(one => one.amount_minor !== 0)
      .map(({ sum, amount_minor }) => ({ label: { sum }, amount_minor })),
  ]
}
