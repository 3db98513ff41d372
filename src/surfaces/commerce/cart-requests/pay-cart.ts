/**
 * An attempt to pay a cart on its page: a checkout of its owner, in the three steps of a checkout. The
 * attempt's id is the key of the order, so the same attempt again continues the same order. A request
 * has one live payment: an order that waits for its payer ends first, and its payment is released for
 * certain before the next one begins.
 */
import { Type } from 'typebox'
import {
  newId,
  orderPrint,
  Problem,
  sql,
  type Reader,
  type RequestKey,
  type Tx,
} from '#dodeca/kernel'
import type { RequestOwner } from '../../payments/face.ts'
import { endPending } from '../checkout/end-pending.ts'
import { guestOriginOf } from '../checkout/guest-limits.ts'
import { placeOrder } from '../checkout/place-order.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { findByKey } from '../find-by-key.ts'
import { findOrder, lockOrder, type OrderRow } from '../orders/order-row.ts'
import { pageUrl } from '../order-pages/page-link.ts'
import { applyAnswer } from '../payments/apply-answer.ts'
import { askInTime } from '../payments/ask-payments.ts'
import type { Key } from '../schemas.ts'
import { findCartRequest, type CartRequest } from './cart-request.ts'

type Request = Parameters<RequestOwner['attempt']>[0]
type Given = Parameters<RequestOwner['attempt']>[1]
type Facts = Parameters<RequestOwner['attempt']>[2]

/** The request itself releases; if its process was killed, the queue does it then. */
const queue_after_seconds = 20
const OrderId = Type.Object({ id: Type.String() })

export function plugCartRequests(deps: Deps): void {
  const { kernel, payments } = deps
  payments.requests.plug({
    attempt: (request, given, facts) => payCart(deps, request, given, facts),
    pageOf: async (reader, { tenant_id, id }) => {
      const order = await reader.maybe(
        OrderId,
        sql`
          select id from commerce.orders
          where tenant_id = ${tenant_id} and request_id = ${id} and confirmed_at is not null`,
      )
      return order ? pageUrl(kernel, { tenant_id, id: order.id }) : null
    },
  })
}

async function payCart(deps: Deps, request: Request, given: Given, facts: Facts): Promise<void> {
  const { db, fault } = deps.kernel
  const cart = await findCartRequest(db, request)
  if (!cart) throw problem('request_not_open')
  const key = {
    value: `pay:${request.id}:${given.attempt_id}`,
    fingerprint: orderPrint('payCart', { ...given, tenant_id: cart.tenant_id }),
  }
  if (!(await isKnown(deps, cart, key))) await closeEarlier(deps, request, key)
  const order = await place(deps, request, { cart, given, key, ...facts })
  await fault('commerce.after_place')
  if (order.authorize_operation_id !== null && order.state === 'pending') {
    await settle(deps, order.authorize_operation_id)
  }
  await requireOrdered(deps, order)
}

type Attempt = Facts & {
  readonly cart: CartRequest
  readonly given: Given
  readonly key: RequestKey
}

function isKnown(deps: Deps, { tenant_id, owner_id: id }: CartRequest, key: RequestKey) {
  return deps.kernel.db.tx(tx => findByKey(tx, 'orders', { tenant_id, id }, key))
}

/** An order of the request that waits for its payer, and payments that are not released yet. */
async function closeEarlier(
  deps: Deps,
  { tenant_id, id }: Request,
  { value: key }: RequestKey,
): Promise<void> {
  const { db } = deps.kernel
  // The same attempt may have begun just now.
  const of = sql`
    o.tenant_id = ${tenant_id} and o.request_id = ${id}
      and o.idempotency_key is distinct from ${key}`
  await db.tx(async tx => {
    const [waits] = await tx.many(
      OrderId,
      sql`
        select o.id from commerce.orders o
        where ${of} and o.state = 'pending' and o.payment_state = 'requires_action'`,
    )
    const order = waits && (await lockOrder(tx, { tenant_id, id: waits.id }))
    if (order?.payment_state !== 'requires_action') return
    await endPending(tx, deps, order, {
      to: 'expired',
      reason_code: 'paid_otherwise',
      release_after_seconds: queue_after_seconds,
    })
  })
  const releasing = sql`
    select p.id from commerce.payment_operations p
    join commerce.orders o on o.tenant_id = p.tenant_id and o.id = p.order_id
    where ${of} and p.type = 'void' and p.state in ('requested', 'pending')`
  for (const { id: operation_id } of await db.many(OrderId, releasing)) {
    const answer = await askInTime(deps, operation_id)
    // Refused: the queue releases it at this moment.
    if (answer.kind === 'refused') continue
    await db.tx(tx => applyAnswer(tx, deps, operation_id, answer))
  }
  if ((await db.many(OrderId, releasing)).length > 0) throw problem('operation_pending')
}

async function settle(deps: Deps, operation_id: string): Promise<void> {
  const answer = await askInTime(deps, operation_id)
  await deps.kernel.db.tx(tx => applyAnswer(tx, deps, operation_id, answer))
}

async function place(deps: Deps, request: Request, attempt: Attempt): Promise<OrderRow> {
  const { db } = deps.kernel
  try {
    return await db.tx(tx => placeAgain(tx, deps, request, attempt))
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    throw await refusalOf(deps, request, error)
  }
}

async function placeAgain(tx: Tx, deps: Deps, request: Request, attempt: Attempt) {
  const { given, key, ip, account } = attempt
  const { tenant_id, owner_id } = attempt.cart
  const known = await findByKey(tx, 'orders', { tenant_id, id: owner_id }, key)
  const order = known && (await findOrder(tx, known))
  if (order) return order
  await requireOpen(tx, deps, request)
  // Read again, because the end of an earlier order has changed the version of the cart.
  const cart = await findCartRequest(tx, request)
  if (!cart) throw problem('request_not_open')
  const { cart_id, owner_kind: kind, session_id } = cart
  const caller = { id: owner_id, tenant_id, kind, session_id }
  if ((await deps.people.rolesOf(tx, caller)) === null) {
    throw problem('request_not_open', { detail: 'Its buyer has no access to the shop any more.' })
  }
  const placed = await placeOrder(tx, deps, {
    principal: caller,
    key,
    operation_id: newId(),
    account,
    guest: cart.guest ? guestOriginOf(deps, tenant_id, ip) : null,
    request: { id: request.id, cart_version: cart.cart_version },
    given: {
      cart_id,
      pricing_fingerprint: cart.pricing_fingerprint,
      payment: { payment_method: given.payment_method, return_url: request.url },
      ...(cart.email === null ? {} : { email: cart.email }),
      ...(cart.billing_address === null ? {} : { billing_address: cart.billing_address }),
    },
  })
  if (!(await deps.payments.requests.begin(tx, request))) throw problem('request_not_open')
  return placed
}

async function requireOpen(reader: Reader, { payments }: Deps, request: Request): Promise<void> {
  const now = await payments.requests.find(reader, request)
  if (now?.state === 'open') return
  throw problem(now?.state === 'processing' ? 'operation_pending' : 'request_not_open')
}

/** What the payer can do something about. Anything else means that the cart is not as it was shown. */
const shown_codes = [
  'pricing_changed',
  'insufficient_inventory',
  'pending_order_limit',
  'rate_limited',
  'request_not_open',
  'operation_pending',
  'idempotency_key_reused',
  'payment_provider_unavailable',
]

async function refusalOf(deps: Deps, request: Request, refused: Problem): Promise<Problem> {
  const { code } = refused
  const { detail } = refused.details
  if (code === 'cart_not_open' || code === 'cart_not_found') {
    const now = await deps.payments.requests.find(deps.kernel.db, request)
    return problem(now?.state === 'processing' ? 'operation_pending' : 'request_not_open')
  }
  if (shown_codes.includes(code) || refused.status >= 500) return refused
  return problem('pricing_changed', detail === undefined ? {} : { detail })
}

async function requireOrdered({ kernel: { db } }: Deps, key: Key): Promise<void> {
  const order = await findOrder(db, key)
  if (order?.state === 'payment_failed') {
    if (order.payment_error?.code === 'rate_limited') throw problem('rate_limited')
    // Without the bank's code: a thief must not learn which stolen cards it knows.
    throw problem('payment_declined', { detail: 'Nothing was ordered. Try another card.' })
  }
  if (!order || order.state === 'expired' || order.state === 'cancelled') {
    throw problem('request_not_open', { detail: 'The order has ended without a payment.' })
  }
}
