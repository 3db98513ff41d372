/**
 * Checkout in three steps. First the order and its reservations are committed. Then payments is
 * called outside any transaction. Then the outcome is committed. A retry with the same key
 * continues where the first request stopped and never orders twice.
 */
import { reply, routesOf, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import type { PaymentResult } from '../../payments/face.ts'
import { findByKey } from '../find-by-key.ts'
import { Order, showOrder } from '../orders/order-view.ts'
import { applyAnswer } from '../payments/apply-answer.ts'
import { askInTime, leaseSeconds, type Answer } from '../payments/ask-payments.ts'
import { guestOrigin } from './guest-limits.ts'
import { placeOrder } from './place-order.ts'
import { countGuesses } from './price-checkout.ts'
import { requireReturn } from './require-return.ts'
import { Checkout } from './schemas.ts'

const { open, create } = routesOf<Deps>({ permission: 'authenticated', rate_tenant: false })

export const checkoutRoutes = open({
  checkOut: create(
    '/v1/checkouts',
    'Order the items of a cart, and authorize the payment',
    (deps: Deps) => ({
      description:
        'Prices, discounts, tax, shipping and stock are calculated again. A guest must send an `email`. To order only at the totals that you showed, send the `pricing_fingerprint` of the cart. `payment.provider` or `payment.account` chooses of the `GET /v1/payment-options` of the buyer. 202 means that the outcome of the payment is not known yet: if `payment.state` is `requires_action`, the buyer must do `payment.next_action`; read the order later. The money is captured only after the order is confirmed.',
      idempotency: 'required',
      lease_seconds: leaseSeconds(deps),
      body: Checkout,
      inspectBody: body => deps.payments.refuseCardData(body),
      replies: { 201: Order, 202: Order },
      location: '/v1/orders/{id}',
      fails: [
        'cart_not_found',
        'cart_not_open',
        'cart_empty',
        'insufficient_inventory',
        'pricing_changed',
        'order_not_confirmed',
        'pending_order_limit',
        'proven_address_required',
        'address_required',
        'shipping_method_unavailable',
        'discount_not_applicable',
        'price_unavailable',
        'variant_not_purchasable',
        'quantity_limit',
        'order_total_limit',
        'amount_not_representable',
        'amount_too_large',
        'currency_unknown',
        'card_data_refused',
        'payment_declined',
        'provider_unsupported',
        'payment_account_unusable',
        'customer_required',
        'return_url_not_allowed',
        'payment_provider_unavailable',
        'rate_limited',
      ],
    }),
    {
      prepare: ({ principal, body }, deps) => countGuesses(deps, principal, body),
      operation: {
        begin: async ({ tx, operation_id, principal, body, key, request }, deps) => {
          if (!key) throw new Error('a checkout has a key')
          const known = await findByKey(tx, 'orders', principal, key)
          if (known) return orThrow(await checkoutReply(tx, known))
          if (body.payment) deps.payments.requireMethods(principal, body.payment)
          await requireReturn(tx, deps, principal, body.payment ?? {}, '/payment/return_url')
          const guest = guestOrigin(deps, principal, request.ip)
          const placing = { principal, given: body, key, operation_id, guest }
          const order = await placeOrder(tx, deps, placing)
          if (order.total_minor > 0) return undefined
          return orThrow(await checkoutReply(tx, order))
        },
        call: (operation_id, _attempt, _signal, _context, deps) => askInTime(deps, operation_id),
        finish: async (tx, operation_id, answer: Answer, deps) => {
          const { operation, confirmed } = await applyAnswer(tx, deps, operation_id, answer)
          if (confirmed) return reply(201, confirmed)
          const { tenant_id, order_id } = operation
          const step = answer.kind === 'payment' ? answer.result.next_action : null
          return await checkoutReply(tx, { tenant_id, id: order_id }, step)
        },
      },
    },
  ),
})

async function checkoutReply(
  tx: Tx,
  key: { readonly tenant_id: string; readonly id: string },
  next_action: PaymentResult['next_action'] = null,
) {
  const order = await showOrder(tx, key, { next_action })
  const { id: order_id, state, payment } = order
  switch (state) {
    case 'confirmed':
    case 'fulfilled':
      return reply(201, order)
    case 'pending':
      return reply(202, { ...order, status: 'pending' as const }, { 'retry-after': '2' })
    case 'payment_failed':
      if (payment.last_error?.code === 'rate_limited') return tooManyDeclines(order_id)
      return problem('payment_declined', {
        detail: 'Nothing was ordered, and the cart is open again. Try another payment method.',
        errors: [{ location: 'body', pointer: '/payment/payment_method', constraint: 'accepted' }],
        more: { order_id, decline_code: payment.last_error?.decline_code ?? null },
      })
    default:
      return problem('order_not_confirmed', {
        current_state: state,
        detail: 'What was held is released. Order again with a new key.',
        more: { order_id },
      })
  }
}

const decline_pause_seconds = 3600

function tooManyDeclines(order_id: string) {
  return problem('rate_limited', {
    detail:
      'Too many of your payments were declined within an hour. Nothing was ordered, and the cart is open again.',
    retry_after: decline_pause_seconds,
    headers: { 'retry-after': String(decline_pause_seconds) },
    more: { order_id },
  })
}

function orThrow<T>(answer: T): Exclude<T, Error> {
  if (answer instanceof Error) throw answer
  return answer as Exclude<T, Error>
}
