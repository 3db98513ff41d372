/** Routes of the payment request of a cart, for the owner of the cart. */
import { Type } from 'typebox'
import { Amount, Id, nullable, oneOf, reply, routesOf, Time, type Reader } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import type { CartKey } from '../pricing/load-facts.ts'
import { Currency } from '../schemas.ts'
import { findOfCart } from './cart-request.ts'
import { RequestCartPayment, requestPayment } from './request-payment.ts'

const path = '/v1/carts/{cart_id}/payment-request'

const CartPaymentRequest = Type.Object(
  {
    id: Id,
    url: Type.String({ maxLength: 2048 }),
    state: oneOf('open', 'processing', 'paid', 'expired', 'cancelled'),
    amount_minor: nullable(Amount),
    currency: Currency,
    description: Type.String({ maxLength: 500 }),
    return_url: nullable(Type.String({ maxLength: 2000 })),
    expires_at: Time,
  },
  { title: 'CartPaymentRequest' },
)

type Owner = { readonly id: string; readonly tenant_id: string }
const keyOf = ({ id: owner_id, tenant_id }: Owner, id: string): CartKey => ({
  tenant_id,
  owner_id,
  id,
})

const { open, post, get } = routesOf<Deps>({
  permission: 'authenticated',
  rate_tenant: false,
  absent: 'cart_not_found',
  added: true,
  // The address of a page is a right to pay.
  tool: 'never',
})

export const cartRequestRoutes = open({
  requestCartPayment: post(
    path,
    'Create a page on which your cart is paid',
    {
      description:
        'Send the browser to its `url`. A payment there orders the cart as it is now, once; then the browser goes to `return_url`, or to the page of the order. Nothing is reserved before. If the cart or a price changes, nothing is paid there: create another one, which ends this one. A guest must send an `email`. The `return_url` of a person has the origin of the platform, one of `KERNEL_CORS_ORIGINS`, or that of an application of the tenant.',
      idempotency: 'required',
      record: 'reference',
      sends: ['location'],
      body: RequestCartPayment,
      replies: { 201: CartPaymentRequest },
      fails: [
        'cart_not_open',
        'cart_empty',
        'pricing_changed',
        'address_required',
        'shipping_method_unavailable',
        'discount_not_applicable',
        'price_unavailable',
        'variant_not_purchasable',
        'quantity_limit',
        'order_total_limit',
        'amount_not_representable',
        'amount_too_small',
        'amount_too_large',
        'currency_unknown',
        'payment_page_unavailable',
        'return_url_not_allowed',
        'quota_exceeded',
      ],
    },
    {
      // Asked before the transaction: the addresses of a sandbox are in a file.
      prepare: ({ principal: { tenant_id } }, { payments }) => payments.requests.canPay(tenant_id),
      handle: async ({ tx, principal, params: { cart_id }, body, prepared }, deps) => {
        if (!prepared) throw problem('payment_page_unavailable')
        const made = await requestPayment(tx, deps, principal, cart_id, body)
        return reply(201, viewOf(made), { location: path.replace('{cart_id}', cart_id) })
      },
      // Rendered again, because the URL is a right to pay.
      again: async ({ tx, principal, params: { cart_id } }, deps) =>
        reply(201, await show(tx, deps, keyOf(principal, cart_id)), {
          location: path.replace('{cart_id}', cart_id),
        }),
    },
  ),

  getCartPayment: get(
    path,
    'Get the page on which your cart is paid',
    { reply: CartPaymentRequest, absent: 'cart_request_not_found' },
    async ({ tx, principal, params: { cart_id } }, deps) =>
      await show(tx, deps, keyOf(principal, cart_id)),
  ),
})

async function show(reader: Reader, { payments }: Deps, key: CartKey) {
  const found = await findOfCart(reader, key)
  const request = found && (await payments.requests.find(reader, found))
  if (!request) throw problem('cart_request_not_found')
  return viewOf(request)
}

type Made = Awaited<ReturnType<typeof requestPayment>>

function viewOf({ id, url, state, amount_minor, currency, ...more }: Made) {
  const { description, return_url, expires_at } = more
  return { id, url, state, amount_minor, currency, description, return_url, expires_at }
}
