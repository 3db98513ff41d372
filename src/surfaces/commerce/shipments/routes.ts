/** Routes that list shipments, send a shipment, and mark a shipment as delivered or lost. */
import { type Static, Type } from 'typebox'
import type { Tx } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { page as pageOf } from '../../../kernel/http/page.ts'
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import { closed, Id, oneOf, page, pageQuery, text } from '../../../kernel/http/shapes.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { findByKey } from '../find-by-key.ts'
import { findOrder } from '../orders/order-row.ts'
import { applyAnswer } from '../payments/apply-answer.ts'
import { askInTime, type Answer } from '../payments/ask-payments.ts'
import { Quantity, Shipment, type Key } from '../schemas.ts'
import { beginShipment } from './begin-shipment.ts'
import { moveShipment } from './move-shipment.ts'
import { findShipment, shipmentColumns } from './shipment-row.ts'

const writes = 'commerce.shipments.write'
const path = '/v1/shipments'
const states = [
  'preparing',
  'awaiting_capture',
  'shipped',
  'delivered',
  'lost',
  'cancelled',
] as const
const Ship = closed(
  {
    lines: Type.Array(closed({ order_line_id: Id, quantity: Quantity }), {
      minItems: 1,
      maxItems: 200,
    }),
    carrier: Type.Optional(text(100)),
    tracking_number: Type.Optional(text(100)),
  },
  { title: 'ShipOrder' },
)
const Shown = Type.Object(
  { ...Shipment.properties, status: Type.Optional(oneOf('pending')) },
  { title: 'ShipmentOrStatus' },
)

export function shipmentRoutes(deps: Deps): readonly Route[] {
  return [listRoute(), shipRoute(deps), movingRoute('delivered'), movingRoute('lost')]
}

function listRoute(): Route {
  return route({
    method: 'GET',
    path,
    name: 'listShipments',
    summary: 'List shipments, newest first',
    permission: writes,
    added: true,
    query: pageQuery({ state: Type.Optional(oneOf(...states)) }),
    replies: { 200: page(Shipment) },
    handle: async ({ tx, principal, query: { state = null }, list }) => {
      const { body, headers } = await pageOf(tx, {
        scope: list,
        row: Shipment,
        place: ['id'],
        fetch: (after, n) => sql`
          select ${shipmentColumns} from commerce.shipments s
          where s.tenant_id = ${principal.tenant_id}
            ${state === null ? sql.empty : sql`and s.state = ${state}`}
            and (${after.id}::uuid is null or s.id < ${after.id}::uuid)
          order by s.id desc limit ${n}`,
      })
      return reply(200, body, headers)
    },
  })
}

function shipRoute(deps: Deps): Route {
  const wait_ms = deps.kernel.settings['commerce.payment_wait_ms']
  return route({
    method: 'POST',
    path: '/v1/orders/{order_id}/shipments',
    name: 'shipOrder',
    summary: 'Ship an order, in full or in part',
    description:
      'If the payment is not captured yet, it is captured first. 202 means that the outcome of the capture is not known yet, and the goods are not shipped.',
    permission: writes,
    added: true,
    idempotency: 'required',
    transaction: 'own',
    lease_seconds: Math.ceil(wait_ms / 1000) + 10,
    absent: 'order_not_found',
    body: Ship,
    inspectBody: body => deps.payments.refuseCardData(body),
    unknown_members: 'refused',
    replies: { 201: Shown, 202: Shown },
    sends: ['location'],
    fails: [
      'order_not_found',
      'order_not_shippable',
      'buyer_erased',
      'shipment_quantity_exceeded',
      'payment_not_capturable',
      'capture_pending',
      'payment_provider_unavailable',
      'card_data_refused',
    ],
    operation: {
      begin: async ({ tx, operation_id, principal, params, body, key }) => {
        if (!key) throw new Error('a shipment has a key')
        const { tenant_id, id: principal_id } = principal
        const known = await findByKey(tx, 'shipments', principal, key)
        if (known) return shipmentReply(await findShipment(tx, known))
        const { lines, carrier = null, tracking_number = null } = body
        const order = { tenant_id, id: params.order_id }
        const asked = { order, lines, carrier, tracking_number, principal_id, key, operation_id }
        const { shipment_id, waits } = await beginShipment(tx, deps, asked)
        if (waits) return undefined
        return shipmentReply(await findShipment(tx, { tenant_id, id: shipment_id }))
      },
      call: operation_id => askInTime(deps, operation_id, wait_ms),
      finish: async (tx, operation_id, answer: Answer) => {
        const { operation } = await applyAnswer(tx, deps, operation_id, answer)
        const { tenant_id, order_id: id } = operation
        return await finishedReply(tx, { tenant_id, id })
      },
    },
  })
}

/** The capture was for the last shipment of its order that is not open. */
async function finishedReply(tx: Tx, { tenant_id, id }: Key) {
  const found = await tx.maybe(
    Shipment,
    sql`
      select ${shipmentColumns} from commerce.shipments s
      where s.tenant_id = ${tenant_id} and s.order_id = ${id} and s.state <> 'preparing'
      order by s.id desc limit 1`,
  )
  if (found) return shipmentReply(found)
  const order = await findOrder(tx, { tenant_id, id })
  return problem('payment_not_capturable', {
    ...(order ? { current_state: order.payment_state } : {}),
    detail: 'The money could not be taken, and nothing was shipped.',
    more: { decline_code: order?.payment_error?.decline_code ?? null },
  })
}

function shipmentReply(shipment: Static<typeof Shipment>) {
  const headers = { location: `/v1/orders/${shipment.order_id}` }
  if (shipment.state !== 'awaiting_capture' && shipment.state !== 'preparing') {
    return reply(201, shipment, headers)
  }
  return reply(202, { ...shipment, status: 'pending' as const }, { ...headers, 'retry-after': '2' })
}

function movingRoute(to: 'delivered' | 'lost'): Route {
  return route({
    method: 'POST',
    path: `${path}/{shipment_id}/${to}`,
    name: to === 'delivered' ? 'confirmDelivery' : 'reportLostShipment',
    summary: to === 'delivered' ? 'Mark a shipment as delivered' : 'Mark a shipment as lost',
    permission: writes,
    added: true,
    absent: 'shipment_not_found',
    body: closed({}),
    body_optional: true,
    replies: { 200: Shipment },
    fails: ['shipment_not_found', 'invalid_transition'],
    handle: async ({ tx, principal: { tenant_id }, params }) => {
      const id = (params as Record<string, string>)['shipment_id'] ?? ''
      return reply(200, await moveShipment(tx, { tenant_id, id }, to))
    },
  })
}
