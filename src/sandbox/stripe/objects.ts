/**
 * The objects of Stripe's API as this sandbox stores and shows them. The builders are checked
 * against the types of the official SDK, so a field with a wrong name or type does not compile.
 */
import type { Stripe } from 'stripe'
import { shownOf, type LastError } from './cards.ts'
import type { ConfirmationToken } from './confirmation-token.ts'
import type { Customer, PaymentMethod, ShownCard } from './customer.ts'
import { stripeId } from './stripe-id.ts'

export type Metadata = Record<string, string>

export type PaymentIntent = {
  id: string
  object: 'payment_intent'
  amount: number
  amount_capturable: number
  amount_received: number
  currency: string
  status:
    | 'requires_payment_method'
    | 'requires_confirmation'
    | 'requires_action'
    | 'requires_capture'
    | 'succeeded'
    | 'canceled'
  capture_method: 'manual' | 'automatic'
  cancellation_reason: Stripe.PaymentIntent.CancellationReason | null
  canceled_at: number | null
  client_secret: string
  created: number
  last_payment_error: LastError | null
  latest_charge: string | null
  livemode: false
  metadata: Metadata
  next_action:
    | { type: 'redirect_to_url'; redirect_to_url: { url: string; return_url: string | null } }
    | { type: 'use_stripe_sdk'; use_stripe_sdk: { type: string } }
    | null
  payment_method: string | null
  payment_method_types: string[]
  customer: string | null
  setup_future_usage: 'off_session' | 'on_session' | null
}

export type Charge = {
  id: string
  object: 'charge'
  amount: number
  amount_captured: number
  amount_refunded: number
  balance_transaction: string | null
  captured: boolean
  created: number
  currency: string
  disputed: boolean
  failure_code: string | null
  livemode: false
  metadata: Metadata
  outcome: null
  paid: boolean
  payment_intent: string
  payment_method: string
  payment_method_details: {
    type: 'card'
    card: ShownCard & { capture_before: number }
  }
  refunded: boolean
  status: 'succeeded' | 'failed'
}

export type Refund = {
  id: string
  object: 'refund'
  amount: number
  balance_transaction: string | null
  charge: string
  created: number
  currency: string
  failure_balance_transaction?: string
  failure_reason?: string
  metadata: Metadata
  payment_intent: string
  reason: string | null
  status: 'pending' | 'succeeded' | 'failed'
}

export type BalanceTransaction = {
  id: string
  object: 'balance_transaction'
  amount: number
  available_on: number
  created: number
  currency: string
  description: string | null
  exchange_rate: number | null
  fee: number
  fee_details: never[]
  net: number
  reporting_category: string
  source: string
  status: 'available' | 'pending'
  type: 'charge' | 'refund' | 'refund_failure' | 'adjustment' | 'payout' | 'payout_failure'
  /** The payout that contains the transaction. It is not shown. */
  payout?: string
}

export type Dispute = {
  id: string
  object: 'dispute'
  amount: number
  balance_transactions: BalanceTransaction[]
  charge: string
  created: number
  currency: string
  evidence_details: { due_by: number; has_evidence: boolean }
  is_charge_refundable: boolean
  livemode: false
  metadata: Metadata
  payment_intent: string
  reason: string
  status: 'warning_needs_response' | 'warning_closed' | 'needs_response' | 'won' | 'lost'
}

export type Payout = {
  id: string
  object: 'payout'
  amount: number
  arrival_date: number
  balance_transaction: string
  created: number
  currency: string
  failure_balance_transaction: string | null
  failure_code: string | null
  livemode: false
  metadata: Metadata
  status: 'in_transit' | 'paid' | 'failed'
}

export type StripeEvent = {
  id: string
  object: 'event'
  api_version: string
  created: number
  data: { object: object; previous_attributes?: object }
  livemode: false
  pending_webhooks: number
  request: { id: string | null; idempotency_key: string | null }
  type: string
}

/** An effect on money, for tests. Each operation may have at most one. */
export type Effect = {
  kind: 'authorize' | 'capture' | 'cancel' | 'refund'
  object: string
  amount: number
  currency: string
  idempotency_key: string | null
  metadata: Metadata
  created_ms: number
}

export type SavedReply = { fingerprint: string; status: number; body: unknown; at_ms: number }
export type Delivery = {
  id: string
  event_id: string
  state: 'pending' | 'delivered' | 'dropped'
  attempts: number
  due_ms: number
  last_status: number | null
}
/** Something that happens by itself at a time of this vendor's clock. */
export type Scheduled = {
  id: string
  at_ms: number
  kind: string
  object: string
  request?: LateRequest
}
export type LateRequest = { path: string; body: string; key: string | null }

export type Config = {
  /** Where this vendor listens. */
  address: string
  webhook_url: string | null
  secrets: string[]
  fee_percent: number
  fee_fixed_minor: number
  dispute_fee_minor: number
  backoff_ms: number[]
  lock_wait_ms: number
}

export type Tables = {
  payment_intent: PaymentIntent
  charge: Charge
  customer: Customer
  payment_method: PaymentMethod
  confirmation_token: ConfirmationToken
  refund: Refund
  balance_transaction: BalanceTransaction
  dispute: Dispute
  payout: Payout
  event: StripeEvent
  effect: Effect
  reply: SavedReply
  delivery: Delivery
  scheduled: Scheduled
  config: Config
}
export type TableName = keyof Tables

export const hold_seconds = 7 * 86_400
const available_after_seconds = 2 * 86_400

export function newPaymentIntent(
  given: Pick<PaymentIntent, 'amount' | 'currency' | 'capture_method' | 'metadata'>,
  payment_method: string | null,
  created: number,
): PaymentIntent {
  const id = stripeId('pi')
  return {
    id,
    object: 'payment_intent',
    ...given,
    amount_capturable: 0,
    amount_received: 0,
    status: payment_method ? 'requires_confirmation' : 'requires_payment_method',
    cancellation_reason: null,
    canceled_at: null,
    client_secret: `${id}_secret_${stripeId('s').slice(-12)}`,
    created,
    last_payment_error: null,
    latest_charge: null,
    livemode: false,
    next_action: null,
    payment_method,
    payment_method_types: ['card'],
    customer: null,
    setup_future_usage: null,
  } satisfies Partial<Stripe.PaymentIntent>
}

export function newCharge(
  intent: PaymentIntent,
  { payment_method, card }: { payment_method: string; card: string },
  failure_code: string | null,
  created: number,
): Charge {
  return {
    id: stripeId('ch'),
    object: 'charge',
    amount: intent.amount,
    amount_captured: 0,
    amount_refunded: 0,
    balance_transaction: null,
    captured: false,
    created,
    currency: intent.currency,
    disputed: false,
    failure_code,
    livemode: false,
    metadata: intent.metadata,
    outcome: null,
    paid: failure_code === null,
    payment_intent: intent.id,
    payment_method,
    payment_method_details: {
      type: 'card',
      card: { ...shownOf(card), capture_before: created + hold_seconds },
    },
    refunded: false,
    status: failure_code === null ? 'succeeded' : 'failed',
  }
}

export function newBalanceTransaction(
  given: Pick<BalanceTransaction, 'amount' | 'fee' | 'currency' | 'source' | 'type'>,
  created: number,
  at_once: boolean,
): BalanceTransaction {
  const made: BalanceTransaction = {
    id: stripeId('txn'),
    object: 'balance_transaction',
    ...given,
    available_on: at_once ? created : created + available_after_seconds,
    created,
    description: null,
    exchange_rate: null,
    fee_details: [],
    net: given.amount - given.fee,
    reporting_category: given.type,
    status: at_once ? 'available' : 'pending',
  }
  return made satisfies Partial<Stripe.BalanceTransaction>
}
