/**
 * The reply about an operation. The reply contains the certain result, or says that the operation
 * is pending. It never guesses.
 */
import { etag, reply, type Problem, type Reader, type Reply } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { showIntent, type Intent } from '../intents/intent-view.ts'
import { isRetryableDecline } from '../provider/stripe-failures.ts'
import { isParked } from './end-operation.ts'
import { refusedForDeclines, too_many_declines } from './limit-declines.ts'
import { findOperation, type OperationRow } from './rows.ts'

export type IntentReply = Reply<200, Intent> | Reply<202, Intent>

export async function replyFor(
  reader: Reader,
  operation_id: string,
): Promise<IntentReply | Problem> {
  const operation = await findOperation(reader, operation_id)
  if (!operation?.intent_id) throw new Error(`there is no operation ${operation_id}`)
  const key = { tenant_id: operation.tenant_id, id: operation.intent_id }
  if (operation.state === 'failed') return refusalOf(operation)
  const intent = { ...(await showIntent(reader, key)), operation_id }
  const location = `/v1/payment-intents/${key.id}`
  const headers = { location, etag: etag(intent.version) }
  if (operation.state === 'created' || operation.state === 'pending_provider') {
    const pending = { ...intent, status: 'pending' as const }
    // An operation that waits for an operator does not end within seconds.
    return reply(202, pending, isParked(operation) ? headers : { ...headers, 'retry-after': '2' })
  }
  return reply(200, intent, { etag: etag(intent.version) })
}

/** The ways in which another operation ended this operation, each with the caller's next step. */
const overtaken: Readonly<Record<string, string>> = {
  captured: 'The payment was captured meanwhile. Refund it.',
  authorization_expired: 'The authorization expired meanwhile. Create a new payment intent.',
  unresolved_fenced:
    'The outcome could not be learned in time, so the payment was cancelled for certain. Create a new payment intent.',
}

export function refusalOf({ id, type, error_code }: OperationRow): Problem {
  const code = error_code ?? 'provider_refused'
  const more = { operation_id: id, error_code: code }
  const at = { location: 'body', pointer: '/payment_method' } as const
  if (code === 'payment_method_invalid') {
    return problem('payment_method_invalid', {
      detail: 'The provider does not know this payment method. Send another one.',
      errors: [{ ...at, constraint: 'known' }],
      more,
    })
  }
  if (code === too_many_declines) return refusedForDeclines()
  if (code === 'authentication_required') {
    return problem('payment_declined', {
      detail:
        'The bank wants the payer to authenticate. Send the payer the page of a payment request with this `intent_id`.',
      errors: [{ ...at, constraint: 'accepted' }],
      more: { operation_id: id, decline_code: code, retryable: false },
    })
  }
  const detail = overtaken[code]
  if (detail) return problem('payment_refused', { detail, more })
  if (type === 'authorize') {
    return problem('payment_declined', {
      detail: 'The payment method was declined. Try again with another one.',
      errors: [{ ...at, constraint: 'accepted' }],
      more: { operation_id: id, decline_code: code, retryable: isRetryableDecline(code) },
    })
  }
  return problem('payment_refused', { detail: `The provider says ${code}.`, more })
}
