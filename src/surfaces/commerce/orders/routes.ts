/**
 * Routes of orders. Buyers see and cancel their own orders, and the shop sees and cancels the
 * orders of all buyers.
 */
import { Type } from 'typebox'
import {
  begins,
  closed,
  equal,
  list,
  named,
  numbered,
  oneOf,
  owner,
  reply,
  routesOf,
  sql,
  text,
} from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { pageUrl } from '../order-pages/page-link.ts'
import { Currency, Word } from '../schemas.ts'
import { cancelOrder } from './cancel-order.ts'
import { claimOrders, ClaimedOrders } from './claim-orders.ts'
import { findOrder, lockOrder, order_states } from './order-row.ts'
import { NextStep, Order, OrderSummary, showOrder } from './order-view.ts'

const path = '/v1/orders'
const one = `${path}/{order_id}` as const
const absent = 'order_not_found'
const reads = 'commerce.orders.read_any'
const cancels = 'commerce.orders.cancel_any'

const Cancel = closed(
  { reason_code: Type.Optional(Word), note: Type.Optional(text(500)) },
  { title: 'CancelOrder' },
)

const PageLink = Type.Object({ url: Type.String({ maxLength: 2048 }) }, { title: 'OrderPageLink' })

const { open, get, post } = routesOf<Deps>({
  absent,
  permission: 'authenticated',
  rate_tenant: false,
})

export const orderRoutes = open({
  getOrder: get(
    one,
    'An order with its payment, shipments and returns',
    {
      tool: 'read',
      for_others: reads,
      description:
        'If the buyer must confirm the payment, `payment.next_action` has the URL; without a URL, `…/next-action` has the secret for the script of the provider. With `include=calculation` the reply shows each step of the totals.',
      transaction: 'own',
      head: true,
      asks_grants: true,
      query: closed({ include: Type.Optional(oneOf('calculation')) }),
      reply: Order,
    },
    async ({ db, principal, params, query, grants }, { payments }) => {
      const key = { tenant_id: principal.tenant_id, id: params.order_id }
      const row = await findOrder(db, key)
      const own = row?.buyer_id === principal.id
      if (!row || !(own || (await grants()).has(reads))) throw problem(absent)
      // Called outside any transaction, because payments may have to call the provider.
      const asks = own && row.payment_state === 'requires_action' && row.state === 'pending'
      const payment = asks
        ? await payments.get(key.tenant_id, row.authorize_operation_id ?? '')
        : undefined
      return await showOrder(db, key, {
        calculation: query.include === 'calculation',
        next_action: payment?.next_action ?? null,
      })
    },
  ),

  getOrderNextAction: get(
    `${one}/next-action`,
    'What the buyer of an order has to do, with the secret for their browser',
    {
      tool: 'never',
      description:
        'Only for the buyer. Without a `url`, the script of the provider does it with the `client_secret`. The type `none` means that nothing has to be done now.',
      transaction: 'own',
      head: true,
      added: true,
      reply: NextStep,
    },
    async ({ db, principal, params }, { payments }) => {
      const row = await findOrder(db, { tenant_id: principal.tenant_id, id: params.order_id })
      if (row?.buyer_id !== principal.id) throw problem(absent)
      const waits = row.payment_state === 'requires_action' && row.state === 'pending'
      const paying = waits
        ? await payments.get(row.tenant_id, row.authorize_operation_id ?? '')
        : undefined
      return paying?.next_action ?? { type: 'none', url: null, client_secret: null }
    },
  ),

  getOrderPageLink: get(
    `${one}/page-link`,
    'Get the link to the page of your order',
    {
      tool: 'never',
      description: 'The link that stands in the mails of the order. Only for the buyer.',
      added: true,
      reply: PageLink,
    },
    async ({ tx, principal, params }, { kernel }) => {
      const row = await findOrder(tx, { tenant_id: principal.tenant_id, id: params.order_id })
      if (row?.buyer_id !== principal.id) throw problem(absent)
      return { url: pageUrl(kernel, row) }
    },
  ),

  listOrders: list(path, 'List your orders, newest first; with a permission those of all buyers', {
    tool: 'read',
    rate_tenant: false,
    added: true,
    from: 'commerce.orders',
    row: OrderSummary,
    of: owner('buyer_id', reads),
    time: 'id',
    filters: {
      state: equal(oneOf(...order_states)),
      // As in the index.
      buyer_erased: equal(Type.Boolean(), erased =>
        erased ? sql`t.buyer_erased` : sql`not t.buyer_erased`,
      ),
      currency: equal(Currency),
    },
    sort: { total_minor: { column: 'total_minor', type: 'bigint', within: 'currency' } },
    find: [
      numbered('number'),
      begins('email'),
      begins('bought_by'),
      ...named(
        'shipping_address',
        sql`(t.shipping_address ->> 'name')`,
        "shipping_address ->> 'name'::text",
      ),
    ],
    shows: ['number', 'payment_state'],
  }),

  claimOrders: post(
    `${path}/claims`,
    'Take over the orders of guests with your proven address',
    {
      description:
        'Orders that an anonymous account placed with this address become yours, with their returns. Orders that wait for their payment are left out. If `more` is true, call it again.',
      idempotency: 'ignored',
      added: true,
      reply: ClaimedOrders,
      fails: ['proven_address_required'],
    },
    ({ tx, principal }, deps) => claimOrders(tx, deps, principal),
  ),

  cancelOrder: post(
    `${one}/cancel`,
    'Cancel an order before any part of it is shipped',
    ({ payments }: Deps) => ({
      tool: 'confirm',
      for_others: cancels,
      description:
        'The stock is released immediately. An authorized amount is released, and a captured amount is refunded. `payment.state` is `releasing` until that is certain.',
      idempotency: 'required',
      asks_grants: true,
      body: Cancel,
      body_optional: true,
      inspectBody: body => payments.refuseCardData(body),
      reply: Order,
      fails: ['order_not_cancellable', 'card_data_refused'],
    }),
    async ({ tx, principal, params, body, grants }, deps) => {
      const key = { tenant_id: principal.tenant_id, id: params.order_id }
      const may = (await grants()).has(cancels)
      const order = await lockOrder(tx, key)
      const own = order?.buyer_id === principal.id
      if (!order || !(own || may)) throw problem(absent)
      const given = (body as typeof body | undefined) ?? {} // the body is optional
      await cancelOrder(tx, deps, order, given.reason_code ?? 'requested')
      if (!own) {
        tx.audit(cancels, `order:${order.id}`, { reason: given.note })
      }
      return reply(200, await showOrder(tx, key), { location: `${path}/${order.id}` })
    },
  ),
})
