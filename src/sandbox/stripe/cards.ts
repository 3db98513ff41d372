/** Stripe's test payment methods, and what each of them does when it is confirmed. */
export type Card = {
  readonly decline?: { readonly code: string; readonly decline_code?: string }
  /** A challenge: at every payment, or until the card was set up for later payments. */
  readonly action?: 'always' | 'until_set_up'
  readonly dispute?: 'dispute' | 'inquiry'
  readonly refund?: 'pending' | 'fail'
  readonly at_once?: true
}

/** What a payment says about the decline of its card. */
export type LastError = {
  type: 'card_error'
  code: string
  decline_code?: string
  message: string
  charge?: string
}

const declined = (decline_code: string): Card => ({
  decline: { code: 'card_declined', decline_code },
})

const cards: ReadonlyMap<string, Card> = new Map(
  Object.entries({
    pm_card_visa: {},
    pm_card_mastercard: {},
    pm_card_amex: {},
    pm_card_visa_chargeDeclined: declined('generic_decline'),
    pm_card_visa_chargeDeclinedInsufficientFunds: declined('insufficient_funds'),
    pm_card_visa_chargeDeclinedLostCard: declined('lost_card'),
    pm_card_visa_chargeDeclinedStolenCard: declined('stolen_card'),
    pm_card_chargeDeclinedExpiredCard: { decline: { code: 'expired_card' } },
    pm_card_chargeDeclinedIncorrectCvc: { decline: { code: 'incorrect_cvc' } },
    pm_card_chargeDeclinedProcessingError: { decline: { code: 'processing_error' } },
    pm_card_authenticationRequired: { action: 'always' },
    pm_card_authenticationRequiredOnSetup: { action: 'until_set_up' },
    pm_card_threeDSecure2Required: { action: 'always' },
    pm_card_createDispute: { dispute: 'dispute' },
    pm_card_createDisputeInquiry: { dispute: 'inquiry' },
    pm_card_pendingRefund: { refund: 'pending' },
    pm_card_refundFail: { refund: 'fail' },
    pm_card_bypassPending: { at_once: true },
  } satisfies Record<string, Card>),
)

export function cardOf(payment_method: string): Card | undefined {
  return cards.get(payment_method)
}

/** What a person types into the payment element, as in Stripe's documentation of its tests. */
const numbers: ReadonlyMap<string, string> = new Map(
  Object.entries({
    4242424242424242: 'pm_card_visa',
    5555555555554444: 'pm_card_mastercard',
    378282246310005: 'pm_card_amex',
    4000000000000002: 'pm_card_visa_chargeDeclined',
    4000000000009995: 'pm_card_visa_chargeDeclinedInsufficientFunds',
    4000000000009987: 'pm_card_visa_chargeDeclinedLostCard',
    4000000000009979: 'pm_card_visa_chargeDeclinedStolenCard',
    4000000000000069: 'pm_card_chargeDeclinedExpiredCard',
    4000000000000127: 'pm_card_chargeDeclinedIncorrectCvc',
    4000000000000119: 'pm_card_chargeDeclinedProcessingError',
    4000002500003155: 'pm_card_authenticationRequiredOnSetup',
    4000002760003184: 'pm_card_authenticationRequired',
    4000000000003220: 'pm_card_threeDSecure2Required',
    4000000000000259: 'pm_card_createDispute',
  }),
)

export function cardOfNumber(digits: string): string | undefined {
  return numbers.get(digits)
}

/** What replies show of a test card. */
export function shownOf(payment_method: string) {
  const [number = '4242424242424242'] =
    [...numbers].find(([, name]) => name === payment_method) ?? []
  const brand = brands[number[0] ?? ''] ?? 'visa'
  return { brand, last4: number.slice(-4), exp_month: 12, exp_year: 2034 }
}

const brands: Readonly<Record<string, string>> = { 3: 'amex', 5: 'mastercard' }
