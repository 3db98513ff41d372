/** Routes that list shipments, send a shipment, and mark a shipment as delivered or lost. */
import { Type } from 'typebox'
import { begins, closed, equal, Id, oneOf, reply, routesOf, sql, text } from '#dodeca/kernel'
import type { Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { findByKey } from '../find-by-key.ts'
import { findOrder } from '../orders/order-row.ts'
import { applyAnswer } from '../payments/apply-answer.ts'
import { askInTime, leaseSeconds, type Answer } from '../payments/ask-payments.ts'
import { Quantity, Shipment, type Key } from '../schemas.ts'
import { beginShipment } from './begin-shipment.ts'
import { moveShipment } from './move-shipment.ts'
import { findShipment, shipmentColumns } from './shipment-row.ts'

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

const { open, list, create, post } = routesOf<Deps>({
  permission: 'commerce.shipments.write',
  added: true,
})

const move = (to: 'delivered' | 'lost', summary: string) =>
  post(
    `${path}/{shipment_id}/${to}`,
    summary,
    {
      absent: 'shipment_not_found',
      body: closed({}),
      body_optional: true,
      reply: Shipment,
      fails: ['invalid_transition'],
    },
    async ({ tx, principal: { tenant_id }, params }) =>
      await moveShipment(tx, { tenant_id, id: params.shipment_id }, to),
  )

export const shipmentRoutes = open({
  listShipments: list(path, 'List shipments, newest first', {
    tool: 'read',
    from: 'commerce.shipments',
    row: Shipment,
    time: 'id',
    filters: { state: equal(oneOf(...states)), order_id: equal(Id) },
    find: [begins('tracking_number')],
  }),

  shipOrder: create(
    '/v1/orders/{order_id}/shipments',
    'Ship an order, in full or in part',
    (deps: Deps) => ({
      description:
        'If the payment is not captured yet, it is captured first. 202 means that the outcome of the capture is not known yet, and the goods are not shipped.',
      absent: 'order_not_found',
      idempotency: 'required',
      lease_seconds: leaseSeconds(deps),
      body: Ship,
      inspectBody: body => deps.payments.refuseCardData(body),
      replies: { 201: Shown, 202: Shown },
      location: '/v1/orders/{order_id}',
      fails: [
        'order_not_shippable',
        'buyer_erased',
        'shipment_quantity_exceeded',
        'payment_not_capturable',
        'capture_pending',
        'payment_provider_unavailable',
        'card_data_refused',
      ],
    }),
    {
      operation: {
        begin: async ({ tx, operation_id, principal, params, body, key }, deps) => {
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
        call: (operation_id, _attempt, _signal, _context, deps) => askInTime(deps, operation_id),
        finish: async (tx, operation_id, answer: Answer, deps) => {
          const { operation } = await applyAnswer(tx, deps, operation_id, answer)
          const { tenant_id, order_id: id } = operation
          return await finishedReply(tx, { tenant_id, id })
        },
      },
    },
  ),

  confirmDelivery: move('delivered', 'Mark a shipment as delivered'),
  reportLostShipment: move('lost', 'Mark a shipment as lost'),
})

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

function shipmentReply(shipment: Shipment) {
  if (shipment.state !== 'awaiting_capture' && shipment.state !== 'preparing') {
    return reply(201, shipment)
  }
  return reply(202, { ...shipment, status: 'pending' as const }, { 'retry-after': '2' })
}
