/**
 * The events of payments. Each change of a payment, refund, dispute or payout is exactly one event.
 */
import { Type } from 'typebox'
import { Amount, Id, nullable } from '#dodeca/kernel'

const Short = Type.String({ maxLength: 128 })
const moved = {
  version: 1,
  data: Type.Object({
    intent_id: nullable(Id),
    operation_id: nullable(Id),
    /**
     * The id of the refund, dispute, payout, settlement or item that the event is about, if it is
     * not the aggregate.
     */
    resource_id: nullable(Id),
    order_ref: nullable(Short),
    amount_minor: Amount,
    currency: Type.String({ minLength: 3, maxLength: 3 }),
    state: Short,
    reason_code: nullable(Short),
  }),
}

const account = {
  version: 1,
  data: Type.Object({
    payment_account_id: Id,
    name: Short,
    provider: Short,
    state: Short,
  }),
}

const method = {
  version: 1,
  data: Type.Object({
    payment_method_id: Id,
    customer_id: Id,
    account_id: nullable(Id),
    payment_account_id: nullable(Id),
    method: Short,
    state: Short,
  }),
}

const asked = {
  version: 1,
  data: Type.Object({
    request_id: Id,
    link_id: nullable(Id),
    intent_id: nullable(Id),
    order_ref: nullable(Short),
    /** What was paid or asked for; null if the payer was to say it. */
    amount_minor: nullable(Amount),
    currency: Type.String({ minLength: 3, maxLength: 3 }),
    state: Short,
  }),
}

export const events = {
  'payment_account.changed': account,
  'payment.created': moved,
  'payment.authorized': moved,
  'payment.declined': moved,
  'payment.action_required': moved,
  'payment.deferred': moved,
  'payment.captured': moved,
  'payment.capture_failed': moved,
  'payment.released': moved,
  'payment_method.saved': method,
  'payment_method.detached': method,
  'payment_request.paid': asked,
  'payment_request.expired': asked,
  'payment_request.cancelled': asked,
  'refund.created': moved,
  'refund.succeeded': moved,
  'refund.failed': moved,
  'dispute.opened': moved,
  'dispute.closed': moved,
  'settlement.recorded': moved,
  'payout.recorded': moved,
  'reconciliation_item.opened': moved,
} as const
