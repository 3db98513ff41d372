/**
 * The state machine of a payment. The provider's state of its object (the columns) moves the intent
 * (the rows). A payment only moves forward: a snapshot that is behind our own state changes nothing.
 *
 * | intent                 | requires_payment_method | requires_action | approved | requires_capture | succeeded            | canceled  |
 * | ---------------------- | ----------------------- | --------------- | -------- | ---------------- | -------------------- | --------- |
 * | requires_authorization | declined, if refused    | requires_action | approved | authorized       | authorized, captured | cancelled |
 * | requires_action        | declined                | nothing         | approved | authorized       | authorized, captured | cancelled |
 * | authorized             | nothing                 | nothing         | nothing  | nothing          | captured             | cancelled |
 * | captured, cancelled    | nothing                 | nothing         | nothing  | nothing          | nothing              | nothing   |
 *
 * `approved` does not move the payment: its authorization is sent to finish it, unless it is being
 * cancelled. If the payer must act again then, the authorization waits again.
 *
 * Before the challenge of a card, a snapshot without a payment method changes nothing, because the
 * confirm request may still be running. The payment is declined only if the provider refused the
 * key that we sent. If object, currency or amount differ from our request, nothing moves, and the
 * difference becomes an item for an operator. A capture is final at the provider. So if an operator
 * has resolved the item about another captured amount, that amount counts.
 */
import { gone, type Snapshot } from '../provider/port.ts'
import type { IntentRow, OperationRow } from './rows.ts'

export type Move =
  | { readonly to: 'requires_action' }
  | { readonly to: 'approved' }
  | { readonly to: 'declined'; readonly code: string; readonly decline_code: string | null }
  | { readonly to: 'authorized' }
  | { readonly to: 'captured'; readonly amount_minor: number }
  | { readonly to: 'cancelled'; readonly reason: string }

export type Verdict =
  | { readonly moves: readonly Move[] }
  | { readonly disagrees: 'amount_mismatch' | 'currency_mismatch' | 'state_mismatch' }

export type Held = Pick<IntentRow, 'state' | 'provider_handle' | 'amount_minor' | 'currency'>
/** The reason of a capture whose other amount an operator has accepted. */
export const accepted_capture = 'as_at_provider'

type Open = Pick<OperationRow, 'type' | 'state' | 'amount_minor' | 'reason' | 'release_wanted'>
export type Report = {
  readonly snapshot: Snapshot
  /** Whether the provider refused the key of the current authorize operation. */
  readonly declined: string | null
}

export function nextState(held: Held, open: readonly Open[], report: Report): Verdict {
  const { snapshot, declined } = report
  if (held.state === 'captured' || held.state === 'cancelled') return { moves: [] }
  if (snapshot.handle !== held.provider_handle) return { disagrees: 'state_mismatch' }
  // It holds no money, whatever its amount was.
  if (snapshot.status === 'canceled') {
    if (snapshot.cancellation_reason === gone) return forget(held, open)
    return { moves: [{ to: 'cancelled', reason: reasonOf(open, snapshot) }] }
  }
  if (snapshot.currency !== held.currency) return { disagrees: 'currency_mismatch' }
  if (snapshot.amount_minor !== held.amount_minor) return { disagrees: 'amount_mismatch' }
  switch (snapshot.status) {
    case 'requires_payment_method':
      return { moves: decline(held, snapshot, declined) }
    case 'requires_action':
      return { moves: waits(held, open) ? [{ to: 'requires_action' }] : [] }
    case 'approved':
      return { moves: open.every(isWaiting) && open.length > 0 ? [{ to: 'approved' }] : [] }
    case 'requires_capture':
      if (snapshot.capturable_minor !== held.amount_minor) return { disagrees: 'amount_mismatch' }
      return { moves: held.state === 'authorized' ? [] : [{ to: 'authorized' }] }
    case 'succeeded':
      return capture(held, open, snapshot)
    default:
      return { moves: [] }
  }
}

/** It never held money, unless we know better or do not know. */
function forget(held: Held, open: readonly Open[]): Verdict {
  if (held.state === 'authorized') return { disagrees: 'state_mismatch' }
  const doubted = open.some(one => one.type === 'authorize' && !isWaiting(one))
  return { moves: doubted ? [] : [{ to: 'cancelled', reason: 'authorization_expired' }] }
}

const isWaiting = ({ state }: Open) => state === 'requires_action'

function waits({ state }: Held, open: readonly Open[]): boolean {
  if (state === 'requires_authorization') return true
  return (
    state === 'requires_action' && open.some(one => one.type === 'authorize' && !isWaiting(one))
  )
}

function decline(held: Held, { last_error }: Snapshot, declined: string | null): Move[] {
  if (held.state === 'requires_authorization' && declined === null) return []
  if (held.state !== 'requires_authorization' && held.state !== 'requires_action') return []
  const code = last_error?.code ?? declined ?? 'authentication_failed'
  const decline_code = last_error ? last_error.decline_code : declined
  return [{ to: 'declined', code, decline_code }]
}

function capture(held: Held, open: readonly Open[], { received_minor }: Snapshot): Verdict {
  const wanted = open.find(one => one.type === 'capture' && one.reason !== accepted_capture)
  const agreed = wanted === undefined || wanted.amount_minor === received_minor
  if (!agreed || received_minor < 1 || received_minor > held.amount_minor) {
    return { disagrees: 'amount_mismatch' }
  }
  const taken: Move = { to: 'captured', amount_minor: received_minor }
  return { moves: held.state === 'authorized' ? [taken] : [{ to: 'authorized' }, taken] }
}

/** The reasons of the platform. Any other is text of a person, and no event and no code has it. */
export const own_reasons: readonly string[] = [
  'requested',
  'order_expired',
  'order_cancelled',
  'authorization_expired',
  'unresolved_fenced',
  'account_closed',
]

export function codeOfReason(reason: string): string {
  return own_reasons.includes(reason) ? reason : 'requested'
}

function reasonOf(open: readonly Open[], { cancellation_reason }: Snapshot): string {
  const cancel = open.find(one => one.type === 'cancel')
  if (cancel) return cancel.reason ?? 'requested'
  const authorize = open.find(one => one.type === 'authorize')
  if (authorize?.release_wanted) return authorize.release_wanted
  if (cancellation_reason === 'automatic') return 'authorization_expired'
  if (authorize && authorize.state !== 'requires_action') return 'unresolved_fenced'
  return 'requested'
}

/** Returns whether the object shows the effect of an operation in doubt. */
export function isVisible(type: OperationRow['type'], { status }: Snapshot): boolean {
  if (status === 'canceled' || status === 'succeeded') return true
  if (type !== 'authorize') return false
  return status === 'requires_action' || status === 'requires_capture'
}
