/**
 * Confirmation tokens: what a browser has typed into the payment element, for one payment. A page
 * makes them with the publishable key. The amount that the page showed is checked at the
 * confirmation, as Stripe does.
 */
import type { Stripe } from 'stripe'
import { invalidRequest, malformed, missing } from './api-error.ts'
import { cardOf, cardOfNumber } from './cards.ts'
import type { ConfirmationToken } from './confirmation-token.ts'
import { known, mapOf, requiredText, textOf, type Form } from './form.ts'
import type { PaymentIntent } from './objects.ts'
import { stripeId } from './stripe-id.ts'
import type { Work } from './work.ts'

const lives_seconds = 12 * 3600

/** As the payment element does. */
export function createToken(work: Work, form: Form): object {
  known(form, 'payment_method_data', 'return_url', 'shown')
  const { type, number = '', exp, cvc } = mapOf(form, 'payment_method_data')
  if (type !== 'card') throw malformed('parameter_invalid', 'payment_method_data', 'Only cards.')
  const digits = number.replaceAll(' ', '')
  const payment_method = cardOfNumber(digits)
  if (!payment_method || !exp || !cvc) {
    throw malformed('incorrect_number', 'number', 'Your card number is invalid.')
  }
  const { amount, currency } = mapOf(form, 'shown')
  return store(work, form, payment_method, {
    last4: digits.slice(-4),
    shown: { amount: amount ? Number(amount) : null, currency: currency ?? null },
  })
}

/** `POST /v1/test_helpers/confirmation_tokens`, for servers without a browser. */
export function createTestToken(work: Work, form: Form): object {
  known(form, 'payment_method', 'return_url')
  const payment_method = requiredText(form, 'payment_method')
  if (!cardOf(payment_method)) throw missing('PaymentMethod', payment_method, 'payment_method')
  const shown = { amount: null, currency: null }
  return store(work, form, payment_method, { last4: '4242', shown })
}

function store(
  work: Work,
  form: Form,
  payment_method: string,
  { last4, shown }: { last4: string; shown: ConfirmationToken['shown'] },
): object {
  const made = {
    id: stripeId('ctoken'),
    object: 'confirmation_token',
    created: work.now_s,
    expires_at: work.now_s + lives_seconds,
    livemode: false,
    payment_intent: null,
    payment_method_preview: { type: 'card', card: { last4 } },
    return_url: textOf(form, 'return_url'),
    setup_intent: null,
    use_stripe_sdk: true,
    payment_method,
    shown,
  } as const
  work.put('confirmation_token', made.id, made)
  return viewOf(made)
}

export function viewOf({ payment_method: _card, shown: _shown, ...view }: ConfirmationToken) {
  return view satisfies Omit<Partial<Stripe.ConfirmationToken>, 'payment_method_preview'>
}

/** Uses the token that confirms this payment, if one does. It works for one payment only. */
export function useToken(work: Work, intent: PaymentIntent, form: Form) {
  const id = textOf(form, 'confirmation_token')
  if (id === null) return undefined
  const token = work.get('confirmation_token', id)
  if (!token) throw missing('confirmation_token', id, 'confirmation_token')
  if (token.payment_intent !== null || (token.expires_at ?? 0) <= work.now_s) {
    throw invalidRequest('resource_missing', 'The confirmation token was used or has expired.', {
      param: 'confirmation_token',
    })
  }
  const { amount, currency } = token.shown
  if (
    (amount ?? intent.amount) !== intent.amount ||
    (currency ?? intent.currency) !== intent.currency
  ) {
    throw invalidRequest('parameter_invalid', 'The page has shown another amount or currency.')
  }
  const used = { ...token, payment_intent: intent.id, expires_at: null }
  work.put('confirmation_token', id, used)
  return used
}
