/** Converts Stripe's objects to our names and units. */
import type { Stripe } from 'stripe'
import { fromStripe, nearestOfStripe } from '../money/currencies.ts'
import type {
  BalanceTransaction,
  Charge,
  DisputeSnapshot,
  PayoutSnapshot,
  ProviderEvent,
  RefundSnapshot,
  Snapshot,
} from './port.ts'

const statuses: Readonly<Record<string, Snapshot['status']>> = {
  requires_payment_method: 'requires_payment_method',
  requires_confirmation: 'requires_payment_method',
  requires_action: 'requires_action',
  requires_capture: 'requires_capture',
  succeeded: 'succeeded',
  canceled: 'canceled',
}

export function snapshotOf(intent: Stripe.PaymentIntent): Snapshot {
  const currency = intent.currency.toUpperCase()
  const minor = (amount: number) => fromStripe(amount, currency)
  const error = intent.last_payment_error
  return {
    handle: intent.id,
    status: statuses[intent.status] ?? 'processing',
    currency,
    amount_minor: minor(intent.amount),
    capturable_minor: minor(intent.amount_capturable),
    received_minor: minor(intent.amount_received),
    charge: chargeOf(intent.latest_charge),
    last_error: error
      ? { code: error.code ?? error.type, decline_code: error.decline_code ?? null }
      : null,
    cancellation_reason: intent.cancellation_reason,
    next_action: nextActionOf(intent),
    intent_id: intent.metadata['intent_id'] ?? null,
    tenant_id: intent.metadata['tenant_id'] ?? null,
    created_s: intent.created,
    ...methodIn(intent),
  }
}

function methodIn({ customer, latest_charge, setup_future_usage }: Stripe.PaymentIntent) {
  const customer_ref = idOf(customer)
  if (customer_ref === null || latest_charge === null || typeof latest_charge === 'string') {
    return {}
  }
  const { payment_method: ref, payment_method_details: used } = latest_charge
  if (ref === null || !used) return {}
  const { brand = null, last4 = null, exp_month, exp_year } = used.card ?? {}
  const exp = exp_month && exp_year ? `${exp_year}-${String(exp_month).padStart(2, '0')}` : null
  const kept = setup_future_usage === 'off_session'
  return { method: { ref, customer_ref, kept, method: used.type, brand, last4, exp } }
}

/** The secret of the payment is only for an action that the script of Stripe performs. */
function nextActionOf({ next_action, client_secret }: Stripe.PaymentIntent) {
  if (!next_action) return null
  const url = next_action.redirect_to_url?.url ?? null
  return { type: next_action.type, url, client_secret: url === null ? client_secret : null }
}

/** Only an expanded charge contains more than its id. */
function chargeOf(charge: string | Stripe.Charge | null): Charge | null {
  if (charge === null || typeof charge === 'string') return null
  const booked = charge.balance_transaction
  return {
    id: charge.id,
    captured: charge.captured,
    refunded_minor: fromStripe(charge.amount_refunded, charge.currency),
    disputed: charge.disputed,
    capture_before_s: charge.payment_method_details?.card?.capture_before ?? null,
    booked: booked === null || typeof booked === 'string' ? null : bookedIn(booked, charge),
  }
}

/**
 * Returns the amounts of a balance transaction, or null if its currency differs from the charge.
 * Reconciliation reports such a transaction.
 */
function bookedIn(booked: Stripe.BalanceTransaction, charge: Stripe.Charge) {
  return booked.currency === charge.currency ? bookedOf(booked) : null
}

/** Fees may be fractions of our unit (ISK, UGX). We round the fee and adjust the net amount. */
export function bookedOf(one: Stripe.BalanceTransaction): BalanceTransaction {
  const currency = one.currency.toUpperCase()
  const amount_minor = nearestOfStripe(one.amount, currency)
  const net_minor = nearestOfStripe(one.net, currency)
  return {
    id: one.id,
    kind: one.type,
    source: typeof one.source === 'string' ? one.source : (one.source?.id ?? null),
    amount_minor,
    fee_minor: amount_minor - net_minor,
    net_minor,
    currency,
    exchange_rate: one.exchange_rate === null ? null : String(one.exchange_rate),
    available_on_s: one.available_on,
    created_s: one.created,
  }
}

export function refundOf(refund: Stripe.Refund): RefundSnapshot {
  const { status } = refund
  return {
    id: refund.id,
    handle: idOf(refund.payment_intent),
    operation_id: refund.metadata?.['operation_id'] ?? null,
    amount_minor: fromStripe(refund.amount, refund.currency),
    currency: refund.currency.toUpperCase(),
    status: refunded[status ?? ''] ?? 'pending',
    failure_code: refund.failure_reason ?? null,
    booked_ref: idOf(refund.balance_transaction),
    failure_booked_ref: idOf(refund.failure_balance_transaction ?? null),
    created_s: refund.created,
  }
}

const refunded: Readonly<Record<string, RefundSnapshot['status']>> = {
  succeeded: 'succeeded',
  failed: 'failed',
  canceled: 'failed',
}

const disputed: Readonly<Record<string, DisputeSnapshot['status']>> = {
  warning_needs_response: 'warning',
  warning_under_review: 'warning',
  warning_closed: 'closed',
  prevented: 'closed',
  needs_response: 'needs_response',
  under_review: 'under_review',
  won: 'won',
  lost: 'lost',
}

export function disputeOf(dispute: Stripe.Dispute): DisputeSnapshot {
  return {
    id: dispute.id,
    handle: idOf(dispute.payment_intent),
    amount_minor: fromStripe(dispute.amount, dispute.currency),
    currency: dispute.currency.toUpperCase(),
    status: disputed[dispute.status] ?? 'under_review',
    reason: dispute.reason,
    respond_by_s: dispute.evidence_details.due_by,
    booked: dispute.balance_transactions.map(bookedOf),
  }
}

export function payoutOf(payout: Stripe.Payout): PayoutSnapshot {
  return {
    id: payout.id,
    amount_minor: fromStripe(payout.amount, payout.currency),
    currency: payout.currency.toUpperCase(),
    status: payout.status,
    arrival_s: payout.arrival_date,
    booked_ref: idOf(payout.balance_transaction),
    failure_booked_ref: idOf(payout.failure_balance_transaction),
  }
}

/** Only the id of the object to read. Other contents of an event are not trusted. */
export function eventOf(event: {
  readonly id: string
  readonly type: string
  readonly created: number
  readonly data: { readonly object: object }
}): ProviderEvent | null {
  const { id, payment_intent } = event.data.object as {
    id?: unknown
    payment_intent?: unknown
  }
  const charge = typeof id === 'string' && /^(ch|py)_/.test(id)
  const object_ref = charge && typeof payment_intent === 'string' ? payment_intent : id
  if (typeof object_ref !== 'string' || object_ref.length > 255) return null
  return { event_id: event.id, type: event.type, object_ref, created_s: event.created }
}

export function idOf(value: string | { readonly id: string } | null | undefined): string | null {
  return typeof value === 'string' ? value : (value?.id ?? null)
}
