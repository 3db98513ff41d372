/** Returns in requests, decisions and replies. */
import { type Static, Type } from 'typebox'
import { Amount, closed, count, Id, nullable, oneOf, text, Time, Version } from '#dodeca/kernel'
import { Price, Quantity, Word } from '../schemas.ts'

export const return_states = [
  'requested',
  'approved',
  'rejected',
  'cancelled',
  'received',
  'refund_pending',
  'refunded',
  'refund_failed',
] as const

export const RequestReturn = closed(
  {
    order_id: Id,
    lines: Type.Array(closed({ order_line_id: Id, quantity: Quantity, reason_code: Word }), {
      minItems: 1,
      maxItems: 200,
    }),
    note: Type.Optional(text(1000)),
  },
  { title: 'RequestReturn' },
)
export type RequestReturn = Static<typeof RequestReturn>

export const ApproveReturn = closed(
  {
    refund_shipping: Type.Optional(oneOf('none', 'full')),
    restocking_fee_minor: Type.Optional(Price),
  },
  { title: 'ApproveReturn' },
)
export const ReceiveReturn = closed(
  {
    lines: Type.Array(
      closed({
        order_line_id: Id,
        received_quantity: count(0, 999),
        restock: Type.Boolean(),
      }),
      { minItems: 1, maxItems: 200 },
    ),
  },
  { title: 'ReceiveReturn' },
)
export type ReceiveReturn = Static<typeof ReceiveReturn>

export const Return = Type.Object(
  {
    id: Id,
    order_id: Id,
    state: oneOf(...return_states),
    currency: Type.String({ minLength: 3, maxLength: 3 }),
    lines: Type.Array(
      Type.Object({
        order_line_id: Id,
        quantity: Quantity,
        received_quantity: nullable(Type.Integer()),
        restock: nullable(Type.Boolean()),
        reason_code: Type.String(),
        refund_minor: nullable(Amount),
      }),
    ),
    refund_shipping: oneOf('none', 'full'),
    restocking_fee_minor: Amount,
    refund: nullable(
      Type.Object({
        operation_id: Id,
        amount_minor: Amount,
        state: oneOf('pending', 'succeeded', 'failed'),
      }),
    ),
    note: nullable(Type.String()),
    version: Version,
    created_at: Time,
  },
  { title: 'Return' },
)
export type Return = Static<typeof Return>
