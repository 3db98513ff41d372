/** The events of commerce. They contain ids and amounts, never addresses. */
import { Type } from 'typebox'
import { Amount, Id, nullable } from '#dodeca/kernel'

const Short = Type.String({ maxLength: 200 })
const order = {
  order_id: Id,
  number: nullable(Type.Integer()),
  buyer_id: Id,
  total_minor: Amount,
  currency: Short,
}
const lines = Type.Array(Type.Object({ sku: Short, quantity: Type.Integer() }))
const of = (more = {}) => ({ version: 1, data: Type.Object({ ...order, ...more }) })
const reason = { reason_code: nullable(Short) }
const returned = of({ return_id: Id, refund_minor: nullable(Amount) })

export const events = {
  'order.placed': of(),
  OrderConfirmed: of({ lines }),
  'order.payment_failed': of(reason),
  'order.expired': of(reason),
  'order.cancelled': of(reason),
  'order.shipped': of({ shipment_id: Id, lines }),
  'order.delivered': of({ shipment_id: Id }),
  'order.fulfilled': of(),
  'order.claimed': of({ previous_buyer_id: Id }),
  'return.requested': returned,
  'return.approved': returned,
  'return.rejected': returned,
  'return.received': returned,
  'return.refunded': returned,
  'return.refund_failed': returned,
  'product.changed': { version: 1, data: Type.Object({ product_id: Id, state: Short }) },
  'price.changed': {
    version: 1,
    data: Type.Object({
      product_id: Id,
      sku: Short,
      currency: Short,
      amount_minor: Amount,
      effective_from: Short,
    }),
  },
} as const
