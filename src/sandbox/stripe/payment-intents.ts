/** Payment intents: create, confirm, capture, cancel, and what happens later by itself. */
import { ApiError, invalidRequest, malformed, missing } from './api-error.ts'
import { cardOf, type Card, type LastError } from './cards.ts'
import { cardBehind, laterUse, methodKept, usableCard } from './customers.ts'
import { useToken } from './confirmation-tokens.ts'
import { integerOf, known, mapOf, requiredText, textOf, type Form } from './form.ts'
import {
  hold_seconds,
  newBalanceTransaction,
  newCharge,
  newPaymentIntent,
  type Charge,
  type PaymentIntent,
} from './objects.ts'
import { openDispute } from './disputes.ts'
import type { Work } from './work.ts'

export function createIntent(work: Work, form: Form): PaymentIntent {
  known(
    form,
    'amount',
    'currency',
    'capture_method',
    'allowed_payment_method_types',
    'payment_method',
    'metadata',
    'description',
    'confirm',
    'return_url',
    'customer',
    'setup_future_usage',
  )
  const amount = integerOf(form, 'amount')
  if (amount === null)
    throw malformed('parameter_missing', 'amount', 'Missing required param: amount.')
  if (amount < 1) throw malformed('amount_too_small', 'amount', 'Amount must be at least 1.')
  if (amount > 99_999_999) throw malformed('amount_too_large', 'amount', 'Amount is too large.')
  const intent = newPaymentIntent(
    {
      amount,
      currency: requiredText(form, 'currency').toLowerCase(),
      capture_method: textOf(form, 'capture_method') === 'manual' ? 'manual' : 'automatic',
      metadata: mapOf(form, 'metadata'),
    },
    textOf(form, 'payment_method'),
    work.now_s,
  )
  Object.assign(intent, laterUse(work, form))
  work.put('payment_intent', intent.id, intent)
  work.emit('payment_intent.created', intent)
  if (textOf(form, 'confirm') !== 'true') return intent
  const { return_url = '' } = form
  return confirmIntent(work, intent.id, { return_url })
}

export function confirmIntent(work: Work, id: string, form: Form): PaymentIntent {
  known(
    form,
    'payment_method',
    'confirmation_token',
    'return_url',
    'off_session',
    'setup_future_usage',
  )
  const intent = { ...intentOf(work, id), ...laterUse(work, form) }
  if (!['requires_payment_method', 'requires_confirmation'].includes(intent.status)) {
    throw unexpectedState(intent, 'confirm')
  }
  const token = useToken(work, intent, form)
  const method = token?.payment_method ?? textOf(form, 'payment_method') ?? intent.payment_method
  if (!method) {
    throw malformed('parameter_missing', 'payment_method', 'A payment method is required.')
  }
  const card = usableCard(work, intent, method, form)
  if (!card) throw missing('PaymentMethod', method, 'payment_method')
  if (card.decline) throw decline(work, intent, method, card.decline)
  if (!card.action) return authorize(work, intent, method)
  const waiting: PaymentIntent = {
    ...intent,
    payment_method: method,
    status: 'requires_action',
    last_payment_error: null,
    next_action: nextAction(work, id, method, form),
  }
  work.put('payment_intent', id, waiting)
  work.emit('payment_intent.requires_action', waiting)
  return waiting
}

/** `POST /v1/payment_intents/{id}` */
export function updateIntent(work: Work, id: string, form: Form): PaymentIntent {
  known(form, 'customer', 'setup_future_usage')
  const intent = intentOf(work, id)
  if (!['requires_payment_method', 'requires_confirmation'].includes(intent.status)) {
    throw unexpectedState(intent, 'update')
  }
  const updated = { ...intent, ...laterUse(work, form) }
  work.put('payment_intent', id, updated)
  return updated
}

/** With a token of its element, the page itself shows most challenges in a frame. */
function nextAction(
  { config }: Work,
  id: string,
  method: string,
  form: Form,
): PaymentIntent['next_action'] {
  const framed = textOf(form, 'confirmation_token') !== null
  if (framed && method !== 'pm_card_threeDSecure2Required') {
    return { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'three_d_secure_redirect' } }
  }
  const return_url = textOf(form, 'return_url')
  return {
    type: 'redirect_to_url',
    redirect_to_url: { url: `${config.address}/3ds/${id}`, return_url },
  }
}

/** The cardholder passed or failed the challenge. */
export function authenticate(work: Work, id: string, succeeded: boolean): PaymentIntent {
  const intent = intentOf(work, id)
  if (intent.status !== 'requires_action') throw unexpectedState(intent, 'authenticate')
  const method = intent.payment_method ?? ''
  if (succeeded) return authorize(work, intent, method)
  decline(work, intent, method, { code: 'payment_intent_authentication_failure' })
  return intentOf(work, id)
}

/** The decline is an outcome. Its changes stay, and the reply is 402. */
function decline(
  work: Work,
  intent: PaymentIntent,
  method: string,
  { code, decline_code }: NonNullable<Card['decline']>,
): ApiError {
  const used = { payment_method: method, card: cardBehind(work, method) }
  const charge = newCharge(intent, used, code, work.now_s)
  const last_payment_error: LastError = {
    type: 'card_error',
    code,
    ...(decline_code ? { decline_code } : {}),
    message: 'Your card was declined.',
    charge: charge.id,
  }
  const declined: PaymentIntent = {
    ...intent,
    status: 'requires_payment_method',
    payment_method: null,
    next_action: null,
    latest_charge: charge.id,
    last_payment_error,
  }
  work.put('charge', charge.id, charge)
  work.put('payment_intent', intent.id, declined)
  work.emit('charge.failed', charge)
  work.emit('payment_intent.payment_failed', declined)
  const { message, ...fields } = last_payment_error
  return new ApiError(402, { ...fields, payment_intent: declined }, message)
}

function authorize(work: Work, intent: PaymentIntent, given: string): PaymentIntent {
  const method = methodKept(work, intent, given)
  const used = { payment_method: method, card: cardBehind(work, method) }
  const charge = newCharge(intent, used, null, work.now_s)
  const { id, currency, amount, metadata } = intent
  const held: PaymentIntent = {
    ...intent,
    status: 'requires_capture',
    payment_method: method,
    amount_capturable: amount,
    next_action: null,
    last_payment_error: null,
    latest_charge: charge.id,
  }
  work.put('charge', charge.id, charge)
  work.put('payment_intent', id, held)
  work.effect({ kind: 'authorize', object: id, amount, currency, metadata })
  work.emit('charge.succeeded', charge)
  work.emit('payment_intent.amount_capturable_updated', held)
  work.later('expire', id, hold_seconds)
  return intent.capture_method === 'manual' ? held : take(work, held, amount)
}

export function captureIntent(work: Work, id: string, form: Form): PaymentIntent {
  known(form, 'amount_to_capture')
  const intent = intentOf(work, id)
  if (intent.status !== 'requires_capture') throw unexpectedState(intent, 'capture')
  const amount = integerOf(form, 'amount_to_capture') ?? intent.amount_capturable
  if (amount > intent.amount_capturable) {
    throw invalidRequest('amount_too_large', 'The amount exceeds what can be captured.')
  }
  return take(work, intent, amount)
}

function take(work: Work, intent: PaymentIntent, amount: number): PaymentIntent {
  const charge = chargeOf(work, intent)
  const { fee_percent, fee_fixed_minor } = work.config
  const card = cardOf(cardBehind(work, charge.payment_method))
  const booked = work.book(
    newBalanceTransaction(
      {
        amount,
        fee: inSteps((amount * fee_percent) / 100 + fee_fixed_minor, intent.currency),
        currency: intent.currency,
        source: charge.id,
        type: 'charge',
      },
      work.now_s,
      card?.at_once === true,
    ),
  )
  const captured: Charge = {
    ...charge,
    captured: true,
    amount_captured: amount,
    balance_transaction: booked.id,
  }
  const done: PaymentIntent = {
    ...intent,
    status: 'succeeded',
    amount_capturable: 0,
    amount_received: amount,
  }
  const { id, currency, metadata } = intent
  work.put('charge', charge.id, captured)
  work.put('payment_intent', id, done)
  work.effect({ kind: 'capture', object: id, amount, currency, metadata })
  work.emit('charge.captured', captured)
  work.emit('payment_intent.succeeded', done)
  if (card?.dispute) openDispute(work, captured, card.dispute === 'inquiry')
  return done
}

/** Some currencies allow only amounts in larger steps. This applies to fees too. */
function inSteps(amount: number, currency: string): number {
  const step = ['isk', 'ugx'].includes(currency) ? 100 : 1
  return Math.round(amount / step) * step
}

export function cancelIntent(work: Work, id: string, form: Form): PaymentIntent {
  known(form, 'cancellation_reason')
  const intent = intentOf(work, id)
  if (intent.status === 'succeeded' || intent.status === 'canceled') {
    throw unexpectedState(intent, 'cancel')
  }
  const reason = textOf(form, 'cancellation_reason')
  return close(work, intent, reason)
}

/** Cancels an authorization that was not captured within seven days. */
export function expireIntent(work: Work, id: string): void {
  const intent = work.get('payment_intent', id)
  if (intent?.status !== 'requires_capture') return
  close(work, intent, 'automatic')
  work.emit('charge.expired', chargeOf(work, intent))
}

function close(
  work: Work,
  intent: PaymentIntent,
  cancellation_reason: PaymentIntent['cancellation_reason'],
): PaymentIntent {
  const { id, currency, metadata, amount_capturable } = intent
  const closed: PaymentIntent = {
    ...intent,
    status: 'canceled',
    amount_capturable: 0,
    next_action: null,
    cancellation_reason,
    canceled_at: work.now_s,
  }
  work.put('payment_intent', id, closed)
  work.effect({ kind: 'cancel', object: id, amount: amount_capturable, currency, metadata })
  work.emit('payment_intent.canceled', closed)
  return closed
}

function intentOf(work: Work, id: string): PaymentIntent {
  const intent = work.get('payment_intent', id)
  if (!intent) throw missing('payment_intent', id, 'intent')
  return intent
}

function chargeOf(work: Work, intent: PaymentIntent): Charge {
  const charge = work.get('charge', intent.latest_charge ?? '')
  if (!charge) throw missing('charge', intent.latest_charge ?? '')
  return charge
}

function unexpectedState(intent: PaymentIntent, action: string): ApiError {
  return invalidRequest(
    'payment_intent_unexpected_state',
    `You cannot ${action} this PaymentIntent because it has a status of ${intent.status}.`,
    { payment_intent: intent },
  )
}
