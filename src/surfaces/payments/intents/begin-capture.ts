/**
 * Begins a capture of the whole authorization or a part of it. This is possible once. The rest is
 * released.
 */
import { formatMoney, type RequestKey, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { beginOperation, lockMovable, requireProvider } from '../operations/begin-operation.ts'
import { readPart, type GivenPart } from '../money/read-amount.ts'

export type CaptureAsked = GivenPart & {
  readonly operation_id: string
  readonly tenant_id: string
  readonly intent_id: string
  readonly principal_id: string | null
  readonly key: RequestKey | null
  readonly managed: boolean
  /** The resolver makes the first attempt, because no caller waits for it. */
  readonly by_resolver?: boolean
}

export async function beginCapture(tx: Tx, deps: Deps, asked: CaptureAsked): Promise<void> {
  const { tenant_id, intent_id } = asked
  const intent = await lockMovable(tx, { tenant_id, id: intent_id }, asked.managed)
  const { state, cancellation_reason } = intent
  // Whether its provider has reported the end of the authorization already or not.
  if (state === 'authorized' ? intent.expired : cancellation_reason === 'authorization_expired') {
    throw problem('authorization_expired', {
      detail: 'The money is not held any more. Create a new payment intent.',
    })
  }
  if (state !== 'authorized') {
    throw problem('invalid_transition', {
      current_state: state,
      detail: 'Only an authorized payment can be captured, and only once.',
    })
  }
  const amount_minor = readPart(asked, intent, intent.amount_authorized_minor)
  if (amount_minor > intent.amount_authorized_minor) {
    throw problem('amount_exceeds_capturable', {
      detail: `At most ${formatMoney(intent.amount_authorized_minor, intent.currency, 'en')} can be captured.`,
    })
  }
  requireProvider(deps, intent, asked)
  await beginOperation(tx, deps, { ...asked, type: 'capture', amount_minor })
}
