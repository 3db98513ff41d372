/**
 * Converts PayPal's objects to our names and units. An id of PayPal does not say what it names, so the
 * kind stands before it, except for an order, which is the handle of a payment.
 */
import { fromPayPal } from '../money/paypal-amounts.ts'
import type {
  BalanceTransaction,
  Charge,
  DisputeSnapshot,
  ObjectKind,
  RefundSnapshot,
  Snapshot,
} from './port.ts'
import type {
  Authorization,
  Capture,
  Dispute,
  Money,
  Order,
  Refund,
  ReportedTransaction,
} from './paypal-objects.ts'

type Kind = 'capture' | 'refund' | 'dispute' | 'payout'
const kind_of: Readonly<Record<string, ObjectKind>> = {
  capture: 'charge',
  refund: 'refund',
  dispute: 'dispute',
  payout: 'payout',
}

export const refOf = (kind: Kind, id: string) => `${kind}:${id}`
/** Without its kind. */
export const bareOf = (ref: string) => ref.slice(ref.indexOf(':') + 1)

export function kindOf(ref: string): ObjectKind | null {
  if (!ref.includes(':')) return /^[A-Z0-9]{10,40}$/.test(ref) ? 'payment' : null
  return kind_of[ref.slice(0, ref.indexOf(':'))] ?? null
}

const minorOf = ({ value, currency_code }: Money) => fromPayPal(value, currency_code)
const secondsOf = (time: string | undefined) =>
  Math.floor((time === undefined ? 0 : Date.parse(time) || 0) / 1000)

const taken = ['COMPLETED', 'PARTIALLY_REFUNDED', 'REFUNDED']
export const isTaken = ({ status }: Capture) => taken.includes(status)

/** Of an order that we have finished. */
export function authorizationOf({ purchase_units }: Order): Authorization | undefined {
  return purchase_units.flatMap(one => one.payments?.authorizations ?? []).at(-1)
}

export function capturesOf({ purchase_units }: Order): readonly Capture[] {
  return purchase_units.flatMap(one => one.payments?.captures ?? [])
}

export function orderOf({ supplementary_data }: Capture): string | null {
  return supplementary_data?.related_ids?.order_id ?? null
}

export function snapshotOf(order: Order): Snapshot {
  const { id, purchase_units, links = [] } = order
  const held = authorizationOf(order)
  const captures = capturesOf(order)
  const amounts = [
    ...purchase_units.map(one => one.amount),
    ...(held ? [held.amount] : []),
    ...captures.map(one => one.amount),
  ]
  const [usual = ''] = amounts.map(one => one.currency_code)
  // If one of them has another currency, that is what the difference is about.
  const currency = amounts.find(one => one.currency_code !== usual)?.currency_code ?? usual
  const status = statusOf(order, held, captures)
  const [intent_id = null, tenant_id = null] = purchase_units[0]?.custom_id?.split('/') ?? []
  const action = links.find(({ rel }) => rel === 'payer-action' || rel === 'approve')
  return {
    handle: id,
    status,
    currency,
    amount_minor: sumOf(purchase_units.map(one => one.amount)),
    capturable_minor: status === 'requires_capture' && held ? minorOf(held.amount) : 0,
    received_minor: sumOf(captures.filter(isTaken).map(one => one.amount)),
    charge: chargeOf(order, held, captures.find(isTaken)),
    last_error: held?.status === 'DENIED' ? { code: 'denied', decline_code: 'denied' } : null,
    cancellation_reason: held?.status === 'EXPIRED' ? 'automatic' : null,
    next_action:
      status === 'requires_action' ? { type: 'redirect', url: action?.href ?? null } : null,
    intent_id,
    tenant_id,
    created_s: secondsOf(order.create_time),
  }
}

const sumOf = (amounts: readonly Money[]) => amounts.reduce((sum, one) => sum + minorOf(one), 0)

const of_order: Readonly<Record<string, Snapshot['status']>> = {
  CREATED: 'requires_payment_method',
  SAVED: 'requires_payment_method',
  PAYER_ACTION_REQUIRED: 'requires_action',
  APPROVED: 'approved',
  VOIDED: 'canceled',
}
const of_authorization: Readonly<Record<string, Snapshot['status']>> = {
  CREATED: 'requires_capture',
  VOIDED: 'canceled',
  EXPIRED: 'canceled',
  DENIED: 'requires_payment_method',
}

/** Anything else is still being decided at PayPal. */
function statusOf(
  { status }: Order,
  held: Authorization | undefined,
  captures: readonly Capture[],
): Snapshot['status'] {
  if (captures.some(isTaken)) return 'succeeded'
  if (captures.some(one => one.status === 'PENDING')) return 'processing'
  const known = held ? of_authorization[held.status] : of_order[status]
  return known ?? 'processing'
}

function chargeOf(
  { purchase_units }: Order,
  held: Authorization | undefined,
  capture: Capture | undefined,
): Charge | null {
  if (!held && !capture) return null
  const refunds = purchase_units.flatMap(one => one.payments?.refunds ?? [])
  return {
    id: capture ? refOf('capture', capture.id) : `authorization:${held?.id ?? ''}`,
    captured: capture !== undefined,
    refunded_minor: sumOf(refunds.filter(isRefunded).map(one => one.amount)),
    disputed: false,
    capture_before_s: held?.expiration_time ? secondsOf(held.expiration_time) : null,
    booked: capture ? bookedOf(capture) : null,
  }
}

/** The report of PayPal names a capture by the same id. */
function bookedOf(capture: Capture): BalanceTransaction | null {
  const { id, amount, create_time, seller_receivable_breakdown: parts } = capture
  const fee = parts?.paypal_fee
  if (fee === undefined || fee.currency_code !== amount.currency_code) return null
  const [amount_minor, fee_minor] = [minorOf(amount), minorOf(fee)]
  const at_s = secondsOf(create_time)
  return {
    id,
    kind: 'charge',
    source: refOf('capture', id),
    amount_minor,
    fee_minor,
    net_minor: amount_minor - fee_minor,
    currency: amount.currency_code,
    exchange_rate: null,
    available_on_s: at_s,
    created_s: at_s,
  }
}

const of_refund: Readonly<Record<string, RefundSnapshot['status']>> = {
  COMPLETED: 'succeeded',
  FAILED: 'failed',
  CANCELLED: 'failed',
}
const isRefunded = ({ status }: Refund) => status === 'COMPLETED'

export function refundOf(refund: Refund, handle: string | null): RefundSnapshot {
  const { id, status, amount } = refund
  const failed = of_refund[status] === 'failed'
  return {
    id: refOf('refund', id),
    handle,
    operation_id: refund.custom_id ?? null,
    amount_minor: minorOf(amount),
    currency: amount.currency_code,
    status: of_refund[status] ?? 'pending',
    failure_code: failed ? status.toLowerCase() : null,
    booked_ref: isRefunded(refund) ? id : null,
    failure_booked_ref: null,
    created_s: secondsOf(refund.create_time),
  }
}

/** The capture that a refund gives back. */
export function captureOf({ links = [] }: Refund): string | null {
  const up = links.find(({ rel }) => rel === 'up')?.href ?? ''
  return /\/captures\/([A-Z0-9]+)$/.exec(up)?.[1] ?? null
}

export function disputeOf(dispute: Dispute, handle: string | null): DisputeSnapshot {
  return {
    id: refOf('dispute', dispute.dispute_id),
    handle,
    amount_minor: minorOf(dispute.dispute_amount),
    currency: dispute.dispute_amount.currency_code,
    status: disputeStatusOf(dispute),
    reason: (dispute.reason ?? 'other').toLowerCase(),
    respond_by_s: dispute.seller_response_due_date
      ? secondsOf(dispute.seller_response_due_date)
      : null,
    // The report does not say to which dispute a movement belongs, so an operator sees it as an item.
    booked: [],
  }
}

function disputeStatusOf({
  status,
  dispute_life_cycle_stage: stage,
  dispute_outcome: outcome,
}: Dispute): DisputeSnapshot['status'] {
  if (status === 'RESOLVED') {
    const code = outcome?.outcome_code ?? ''
    if (code === 'RESOLVED_SELLER_FAVOUR') return 'won'
    return code === 'RESOLVED_BUYER_FAVOUR' ? 'lost' : 'closed'
  }
  if (stage === 'INQUIRY') return 'warning'
  return status === 'WAITING_FOR_SELLER_RESPONSE' ? 'needs_response' : 'under_review'
}

const of_code: readonly (readonly [pattern: RegExp, kind: 'charge' | 'refund' | 'payout'])[] = [
  [/^T00/, 'charge'],
  [/^T1107$/, 'refund'],
  [/^T040[0-3]$/, 'payout'],
]
/** What a transaction of the report is, or null for any other movement. */
export function kindOfCode({ transaction_event_code: code = '' }: ReportedTransaction) {
  return of_code.find(([pattern]) => pattern.test(code))?.[1] ?? null
}

export function reportedOf(one: ReportedTransaction): BalanceTransaction {
  const { transaction_id: id, transaction_amount: amount, fee_amount: fee } = one
  const kind = kindOfCode(one)
  const at_s = secondsOf(one.transaction_initiation_date)
  const amount_minor = minorOf(amount)
  // The report has the fee as a negative amount.
  const fee_minor = fee ? -minorOf(fee) : 0
  const source = kind === 'payout' ? `${id}@${at_s}` : id
  return {
    id,
    kind: kind ?? one.transaction_event_code ?? 'adjustment',
    source: kind === null ? null : refOf(kind === 'charge' ? 'capture' : kind, source),
    amount_minor,
    fee_minor,
    net_minor: amount_minor - fee_minor,
    currency: amount.currency_code,
    exchange_rate: null,
    available_on_s: at_s,
    created_s: at_s,
  }
}
