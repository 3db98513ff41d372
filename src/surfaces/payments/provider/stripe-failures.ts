/**
 * Translates the failures of Stripe. A decline is final. A refused request had no effect. A
 * conflict, a 5xx, a broken connection or an unreadable reply leaves the outcome in doubt. A
 * request that was not sent is tried again.
 */
import type { Buffer } from 'node:buffer'
import type { Stripe } from 'stripe'
import { UpstreamFailure } from '#dodeca/kernel'
import { ProviderFailure } from './port.ts'
import { snapshotOf } from './stripe-snapshots.ts'

const other_state = ['payment_intent_unexpected_state', 'charge_already_refunded']
const methods = ['payment_method', 'confirmation_token']
/** Declines that may succeed if the same card is tried again. */
const passing = [
  'processing_error',
  'issuer_not_available',
  'try_again_later',
  'reenter_transaction',
]

/** The `error` of a refusal. The error page of a gateway has none. */
type Refusal = {
  readonly type?: string
  readonly code?: string
  readonly decline_code?: string
  readonly param?: string
  readonly message?: string
  readonly payment_intent?: Stripe.PaymentIntent
}

export function isRetryableDecline(code: string): boolean {
  return passing.includes(code)
}

export function failureOf(error: unknown): ProviderFailure {
  if (error instanceof ProviderFailure) return error
  if (!(error instanceof UpstreamFailure)) {
    return new ProviderFailure('doubt', 'answer_unreadable', { cause: error })
  }
  const { response, ambiguous, cause } = error
  if (response) {
    return failureOfReply(response.status, response.body, response.headers['request-id'])
  }
  const { code } = deepest(cause) as { code?: unknown }
  return new ProviderFailure(
    ambiguous ? 'doubt' : 'not_sent',
    typeof code === 'string' ? code : `connection_${error.reason}`,
    { cause: error },
  )
}

function deepest(cause: unknown): object {
  if (!(cause instanceof Error)) return {}
  return cause.cause instanceof Error ? deepest(cause.cause) : cause
}

export function failureOfReply(
  status: number,
  body: Buffer,
  request_id: string | string[] | undefined,
): ProviderFailure {
  const error = refusalIn(body)
  const { code = '', type, param, payment_intent, message = 'no reason' } = error
  const cause = new Error(`Stripe answers ${status}: ${message} (request ${String(request_id)})`)
  const snapshot = payment_intent ? snapshotOf(payment_intent) : null
  if (status === 402) {
    const decline = error.decline_code ?? (code || 'card_declined')
    return new ProviderFailure('declined', decline, { snapshot, cause })
  }
  if (status === 401 || status === 403) {
    return new ProviderFailure('not_sent', 'provider_unauthorized', { cause })
  }
  if (status === 429) return new ProviderFailure('not_sent', code || 'provider_busy', { cause })
  // Using one key with different parameters is our own bug. Only reading the object shows the
  // outcome of the first request.
  if ((status === 400 || status === 404) && type === 'idempotency_error') {
    return new ProviderFailure('doubt', 'idempotency_error', { cause })
  }
  if (other_state.includes(code)) {
    return new ProviderFailure('unexpected_state', code, { snapshot, cause })
  }
  if (status === 400 || status === 404) {
    const missing_method = code === 'resource_missing' && methods.includes(param ?? '')
    const named = missing_method ? 'payment_method_invalid' : code || 'provider_refused'
    return new ProviderFailure('refused', named, { cause })
  }
  return new ProviderFailure('doubt', code || `http_${status}`, { cause })
}

function refusalIn(body: Buffer): Refusal {
  try {
    const { error } = (JSON.parse(body.toString('utf8')) ?? {}) as { error?: Refusal | null }
    return error ?? {}
  } catch {
    return {}
  }
}
