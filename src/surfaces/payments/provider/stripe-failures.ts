/**
 * Translates the failures of Stripe. A decline is final. A refused request had no effect. A
 * conflict, a 5xx, a broken connection or an unreadable reply leaves the outcome in doubt. A
 * request that was not sent is tried again.
 */
import type { Stripe } from 'stripe'
import { ProviderFailure, type Snapshot } from './port.ts'
import { snapshotOf } from './stripe-snapshots.ts'

const not_sent = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']
const other_state = ['payment_intent_unexpected_state', 'charge_already_refunded']
/** Declines that may succeed if the same card is tried again. */
const passing = [
  'processing_error',
  'issuer_not_available',
  'try_again_later',
  'reenter_transaction',
]

type StripeError = InstanceType<typeof Stripe.errors.StripeError>

export function isRetryableDecline(code: string): boolean {
  return passing.includes(code)
}

export function failureOf(error: unknown): ProviderFailure {
  if (error instanceof ProviderFailure) return error
  if (!isOfStripe(error)) {
    return new ProviderFailure('doubt', 'answer_unreadable', { cause: error })
  }
  const { statusCode, code = '', type } = error
  const with_cause = { cause: error }
  if (statusCode === undefined) return connectionFailure(error)
  if (statusCode === 402) {
    return new ProviderFailure('declined', error.decline_code ?? (code || 'card_declined'), {
      snapshot: intentIn(error),
      cause: error,
    })
  }
  if (statusCode === 401 || statusCode === 403) {
    return new ProviderFailure('not_sent', 'provider_unauthorized', with_cause)
  }
  if (statusCode === 429) {
    return new ProviderFailure('not_sent', code || 'provider_busy', with_cause)
  }
  // Using one key with different parameters is our own bug. Only reading the object shows the
  // outcome of the first request.
  if (type === 'StripeIdempotencyError') {
    return new ProviderFailure('doubt', 'idempotency_error', with_cause)
  }
  if (other_state.includes(code)) {
    return new ProviderFailure('unexpected_state', code, {
      snapshot: intentIn(error),
      cause: error,
    })
  }
  if (statusCode === 400 || statusCode === 404) {
    const missing_method = code === 'resource_missing' && error.param === 'payment_method'
    return new ProviderFailure(
      'refused',
      missing_method ? 'payment_method_invalid' : code || 'provider_refused',
      with_cause,
    )
  }
  return new ProviderFailure('doubt', code || `http_${statusCode}`, with_cause)
}

function connectionFailure(error: StripeError): ProviderFailure {
  const detail = error.detail as unknown
  const { code } = (typeof detail === 'object' ? (detail ?? {}) : {}) as { code?: string }
  const unsent = code !== undefined && not_sent.includes(code)
  return new ProviderFailure(unsent ? 'not_sent' : 'doubt', code ?? 'connection_broken', {
    cause: error,
  })
}

/** The object from the error. Using it saves a read. */
function intentIn(error: InstanceType<typeof Stripe.errors.StripeError>): Snapshot | null {
  const raw = error.raw as { payment_intent?: Stripe.PaymentIntent } | undefined
  return raw?.payment_intent ? snapshotOf(raw.payment_intent) : null
}

/** By its type, because the class would load the whole SDK before a call needs it. */
function isOfStripe(error: unknown): error is StripeError {
  return (
    error instanceof Error &&
    'type' in error &&
    typeof error.type === 'string' &&
    error.type.startsWith('Stripe')
  )
}
