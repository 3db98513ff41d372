/**
 * Translates the failures of PayPal. A 422 has no effect, and its issue says why. A conflict, a 5xx, a
 * broken connection or an unreadable reply leaves the outcome in doubt.
 */
import type { Buffer } from 'node:buffer'
import { UpstreamFailure } from '#dodeca/kernel'
import { ProviderFailure } from './port.ts'

/** The object is further than the request, or has not come as far. It is read. */
const other_state = [
  'AUTHORIZATION_ALREADY_CAPTURED',
  'AUTHORIZATION_VOIDED',
  'CANNOT_BE_VOIDED',
  'CAPTURE_FULLY_REFUNDED',
  'MAX_AUTHORIZATION_COUNT_EXCEEDED',
  'MAX_CAPTURE_COUNT_EXCEEDED',
  'ORDER_ALREADY_AUTHORIZED',
  'ORDER_ALREADY_CAPTURED',
  'ORDER_ALREADY_COMPLETED',
  'ORDER_COMPLETED_OR_VOIDED',
  'ORDER_IS_PENDING_APPROVAL',
  'ORDER_NOT_APPROVED',
  'PAYER_ACTION_REQUIRED',
  'PAYMENT_ALREADY_APPROVED',
  'PREVIOUSLY_CAPTURED',
  'PREVIOUSLY_VOIDED',
]

type Refusal = {
  readonly name?: string
  readonly debug_id?: string
  readonly details?: readonly { readonly issue?: string }[]
}

export function failureOf(error: unknown): ProviderFailure {
  if (error instanceof ProviderFailure) return error
  if (!(error instanceof UpstreamFailure)) {
    return new ProviderFailure('doubt', 'answer_unreadable', { cause: error })
  }
  const { response, ambiguous, reason } = error
  if (response) return failureOfReply(response.status, response.body)
  const kind = ambiguous ? 'doubt' : 'not_sent'
  return new ProviderFailure(kind, `connection_${reason}`, { cause: error })
}

export function failureOfReply(status: number, body: Buffer): ProviderFailure {
  const { name = '', debug_id = '', details = [] } = refusalIn(body)
  const issue = details[0]?.issue ?? name
  const cause = new Error(`PayPal answers ${status}: ${issue} (debug id ${debug_id})`)
  const code = issue === '' ? `http_${status}` : issue.toLowerCase()
  if (status === 401 || status === 403) {
    return new ProviderFailure('not_sent', 'provider_unauthorized', { cause })
  }
  if (status === 429) return new ProviderFailure('not_sent', 'provider_busy', { cause })
  if (status === 422 && other_state.includes(issue)) {
    return new ProviderFailure('unexpected_state', code, { cause })
  }
  const refused = status === 400 || status === 404 || status === 422
  return new ProviderFailure(refused ? 'refused' : 'doubt', code, { cause })
}

function refusalIn(body: Buffer): Refusal {
  try {
    return (JSON.parse(body.toString('utf8')) ?? {}) as Refusal
  } catch {
    return {}
  }
}
