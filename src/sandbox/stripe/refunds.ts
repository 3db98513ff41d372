/**
 * Refunds of charges. Money leaves the balance when a refund is made, and returns if the bank
 * refuses the refund.
 */
import { invalidRequest, malformed, missing } from './api-error.ts'
import { cardOf } from './cards.ts'
import { cardBehind } from './customers.ts'
import { integerOf, known, mapOf, textOf, type Form } from './form.ts'
import { newBalanceTransaction, type Charge, type Refund } from './objects.ts'
import { stripeId } from './stripe-id.ts'
import type { Work } from './work.ts'

const settles_after_seconds = 5
const bounces_after_seconds = 3 * 86_400
const reasons = ['duplicate', 'fraudulent', 'requested_by_customer']

export function createRefund(work: Work, form: Form): Refund {
  known(form, 'payment_intent', 'charge', 'amount', 'reason', 'metadata')
  const charge = chargeOf(work, form)
  const left = charge.amount_captured - charge.amount_refunded
  if (!charge.captured || left === 0) {
    throw invalidRequest(
      'charge_already_refunded',
      `Charge ${charge.id} has already been refunded.`,
    )
  }
  const amount = integerOf(form, 'amount') ?? left
  if (amount > left || amount < 1) {
    throw invalidRequest('amount_too_large', 'The amount exceeds what is left of the charge.')
  }
  const reason = textOf(form, 'reason')
  if (reason !== null && !reasons.includes(reason)) {
    throw malformed(
      'parameter_invalid',
      'reason',
      `Invalid reason: must be one of ${reasons.join(', ')}.`,
    )
  }
  const behaviour = cardOf(cardBehind(work, charge.payment_method))?.refund
  const id = stripeId('re')
  const booked = work.book(
    newBalanceTransaction(
      { amount: -amount, fee: 0, currency: charge.currency, source: id, type: 'refund' },
      work.now_s,
      true,
    ),
  )
  const refund: Refund = {
    id,
    object: 'refund',
    amount,
    balance_transaction: booked.id,
    charge: charge.id,
    created: work.now_s,
    currency: charge.currency,
    metadata: mapOf(form, 'metadata'),
    payment_intent: charge.payment_intent,
    reason,
    status: behaviour === 'pending' ? 'pending' : 'succeeded',
  }
  const { currency, metadata } = refund
  work.put('refund', id, refund)
  work.put('charge', charge.id, refunded(charge, amount))
  work.effect({ kind: 'refund', object: charge.payment_intent, amount, currency, metadata })
  work.emit('refund.created', refund)
  work.emit('charge.refunded', refunded(charge, amount))
  if (behaviour === 'pending') work.later('refund_succeeds', id, settles_after_seconds)
  if (behaviour === 'fail') work.later('refund_fails', id, bounces_after_seconds)
  return refund
}

export function settleRefund(work: Work, id: string): void {
  const refund = work.get('refund', id)
  if (refund?.status !== 'pending') return
  const settled: Refund = { ...refund, status: 'succeeded' }
  work.put('refund', id, settled)
  work.emit('refund.updated', settled, { status: 'pending' })
}

/** The bank sends the money back, so the refund fails days after it succeeded. */
export function failRefund(work: Work, id: string): void {
  const refund = work.get('refund', id)
  const charge = refund && work.get('charge', refund.charge)
  if (!refund || !charge || refund.status === 'failed') return
  const { amount, currency } = refund
  const booked = work.book(
    newBalanceTransaction(
      { amount, fee: 0, currency, source: id, type: 'refund_failure' },
      work.now_s,
      true,
    ),
  )
  const failed: Refund = {
    ...refund,
    status: 'failed',
    failure_reason: 'expired_or_canceled_card',
    failure_balance_transaction: booked.id,
  }
  work.put('refund', id, failed)
  work.put('charge', charge.id, refunded(charge, -amount))
  work.emit('refund.failed', failed, { status: refund.status })
}

function refunded(charge: Charge, amount: number): Charge {
  const amount_refunded = charge.amount_refunded + amount
  return { ...charge, amount_refunded, refunded: amount_refunded === charge.amount_captured }
}

function chargeOf(work: Work, form: Form): Charge {
  const handle = textOf(form, 'payment_intent')
  const intent = handle === null ? undefined : work.get('payment_intent', handle)
  if (handle !== null && !intent) throw missing('payment_intent', handle, 'payment_intent')
  const id = intent?.latest_charge ?? textOf(form, 'charge') ?? ''
  const charge = work.get('charge', id)
  if (!charge) throw missing('charge', id, 'charge')
  return charge
}
