/**
 * All changes of a payment go through this file. It takes the provider's state of an object, and
 * writes state, operation, ledger and events in one transaction, under the locks of the operations
 * and of the intent. It is idempotent and only moves forward. Requests, the resolver, webhooks and
 * reconciliation all use it.
 */
import { newId, sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { post, transfer } from '../ledger/post-transaction.ts'
import { postFee } from '../ledger/post-fee.ts'
import { accountIdOf } from '../provider/account-key.ts'
import type { Snapshot } from '../provider/port.ts'
import { keepMethod } from '../methods/keep-method.ts'
import { openItem } from '../reconciliation/open-item.ts'
import { followPayment } from '../requests/follow-payment.ts'
import { announce } from './announce.ts'
import { codeOfReason, nextState, type Move } from './state-after-answer.ts'
import { endOperation, parkOperations, sendWaiting } from './end-operation.ts'
import { releaseUnwanted } from './release-unwanted.ts'
import { lockIntent, lockOpenOperations } from './rows.ts'
import type { IntentKey, IntentRow, OperationRow } from './rows.ts'

export type Report = {
  readonly snapshot: Snapshot
  readonly declined?: string | null
  /** The version before the provider was called. If the payment has changed, it is too old. */
  readonly seen_version?: number
}

export type Applied = 'applied' | 'stale' | 'disagrees' | 'absent'

export async function applyProviderState(
  tx: Tx,
  deps: Deps,
  key: IntentKey,
  { snapshot, declined = null, seen_version }: Report,
): Promise<Applied> {
  // Sent together. The connection runs them in this order.
  const [open, intent] = await Promise.all([lockOpenOperations(tx, key), lockIntent(tx, key)])
  if (!intent) return 'absent'
  if (seen_version !== undefined && seen_version !== intent.version) return 'stale'
  const verdict = nextState(intent, open, { snapshot, declined })
  if ('disagrees' in verdict) {
    const parked = await parkOperations(tx, key, verdict.disagrees)
    await openItem(tx, {
      blocks: parked > 0,
      tenant_id: key.tenant_id,
      provider: intent.provider,
      discrepancy: verdict.disagrees,
      external_ref: snapshot.handle,
      local_ref: intent.id,
      amount_minor: snapshot.received_minor || snapshot.capturable_minor,
      currency: snapshot.currency,
      details: { expected_minor: intent.amount_minor, status: snapshot.status },
    })
    return 'disagrees'
  }
  let held = intent
  for (const move of verdict.moves) held = await make(tx, deps, held, open, snapshot, move)
  if (held === intent) return 'applied'
  const released = await releaseUnwanted(tx, deps, held, ofType(open, 'authorize'))
  await followPayment(tx, deps, held, released)
  return 'applied'
}

async function make(
  tx: Tx,
  deps: Deps,
  intent: IntentRow,
  open: readonly OperationRow[],
  snapshot: Snapshot,
  move: Move,
): Promise<IntentRow> {
  switch (move.to) {
    case 'requires_action':
      return await waitForBuyer(tx, intent, open)
    case 'approved':
      return await sendWaiting(tx, intent, ofType(open, 'authorize'))
    case 'declined':
      return await decline(tx, intent, open, move)
    case 'authorized':
      return await authorize(tx, intent, open, snapshot)
    case 'captured':
      return await capture(tx, deps, intent, open, snapshot, move.amount_minor)
    default:
      return await cancel(tx, intent, open, move.reason)
  }
}

const ofType = (open: readonly OperationRow[], type: OperationRow['type']) =>
  open.find(one => one.type === type)

async function waitForBuyer(tx: Tx, intent: IntentRow, open: readonly OperationRow[]) {
  const operation = ofType(open, 'authorize')
  const next = { ...intent, state: 'requires_action' as const, version: intent.version + 1 }
  await store(tx, next)
  if (operation) await endOperation(tx, operation, { state: 'requires_action' })
  announce(tx, next, {
    type: 'payment.action_required',
    version: next.version,
    state: next.state,
    operation_id: operation?.id ?? null,
    amount_minor: intent.amount_minor,
  })
  return next
}

async function decline(
  tx: Tx,
  intent: IntentRow,
  open: readonly OperationRow[],
  { code, decline_code }: Extract<Move, { to: 'declined' }>,
) {
  const operation = ofType(open, 'authorize')
  const error_code = decline_code ?? code
  const next = {
    ...intent,
    state: 'requires_authorization' as const,
    last_error: { code, decline_code, operation_id: operation?.id ?? null },
    version: intent.version + 1,
  }
  await store(tx, next)
  const ending = { state: 'failed', error_code, declined: true } as const
  if (operation) await endOperation(tx, operation, ending)
  announce(tx, next, {
    type: 'payment.declined',
    version: next.version,
    state: next.state,
    operation_id: operation?.id ?? null,
    amount_minor: intent.amount_minor,
    reason_code: error_code,
  })
  return next
}

async function authorize(
  tx: Tx,
  intent: IntentRow,
  open: readonly OperationRow[],
  snapshot: Snapshot,
) {
  const { charge } = snapshot
  const operation = ofType(open, 'authorize')
  const expires_s = charge?.capture_before_s
  const next = {
    ...intent,
    state: 'authorized' as const,
    amount_authorized_minor: intent.amount_minor,
    charge_ref: charge?.id ?? intent.charge_ref,
    authorization_expires_at: expires_s ? new Date(expires_s * 1000).toISOString() : null,
    last_error: null,
    version: intent.version + 1,
  }
  const ending = { state: 'succeeded', provider_operation_id: charge?.id ?? null } as const
  await Promise.all([store(tx, next), operation && endOperation(tx, operation, ending)])
  if (operation) await keepMethod(tx, intent, operation, snapshot)
  announce(tx, next, {
    type: 'payment.authorized',
    version: next.version,
    state: next.state,
    operation_id: operation?.id ?? null,
    amount_minor: intent.amount_minor,
  })
  return next
}

async function capture(
  tx: Tx,
  deps: Deps,
  intent: IntentRow,
  open: readonly OperationRow[],
  { charge }: Snapshot,
  amount_minor: number,
) {
  const begun = ofType(open, 'capture')
  // An operator has accepted another amount, so the capture was not ours.
  const other = begun?.amount_minor === amount_minor ? undefined : begun
  const asked = other ? undefined : begun
  let { version } = intent
  if (other) {
    await endOperation(tx, other, { state: 'failed', error_code: 'captured' })
    announceFailed(tx, intent, other, { version: ++version, reason_code: 'captured' })
  }
  const operation_id = asked?.id ?? (await noteForeignCapture(tx, intent, amount_minor))
  const external_ref = charge?.booked?.id ?? null
  const next = {
    ...intent,
    state: 'captured' as const,
    amount_captured_minor: amount_minor,
    charge_ref: charge?.id ?? intent.charge_ref,
    version: version + 1,
  }
  await store(tx, next)
  if (asked) {
    await endOperation(tx, asked, { state: 'succeeded', provider_operation_id: external_ref })
  }
  const cancel = ofType(open, 'cancel')
  if (cancel) await endOperation(tx, cancel, { state: 'failed', error_code: 'captured' })
  await post(tx, {
    tenant_id: intent.tenant_id,
    payment_account_id: accountIdOf(intent.provider),
    operation_id,
    intent_id: intent.id,
    purpose: 'capture',
    external_ref,
    currency: intent.currency,
    description: `Capture of payment ${intent.id}`,
    legs: transfer('provider_clearing', 'merchant_balance', amount_minor),
  })
  if (charge?.booked) await postFee(tx, deps, intent, charge.booked)
  announce(tx, next, {
    type: 'payment.captured',
    version: next.version,
    state: next.state,
    operation_id,
    amount_minor,
  })
  return next
}

/**
 * Captured outside the platform, for example in the provider's dashboard. The ledger entry still
 * needs an operation.
 */
async function noteForeignCapture(tx: Tx, intent: IntentRow, amount_minor: number) {
  const id = newId()
  await tx.run(sql`
    insert into payments.payment_operations (
      tenant_id, id, intent_id, type, state, provider, amount_minor, reason, resolved_at)
    values (
      ${intent.tenant_id}, ${id}, ${intent.id}, 'capture', 'succeeded', ${intent.provider},
      ${amount_minor}, 'made_at_provider', kernel.now())`)
  return id
}

function announceFailed(
  tx: Tx,
  intent: IntentRow,
  { id: operation_id, amount_minor }: OperationRow,
  more: { readonly version: number; readonly reason_code: string },
): void {
  const { state } = intent
  const type = 'payment.capture_failed'
  announce(tx, intent, { type, state, operation_id, amount_minor, ...more })
}

async function cancel(tx: Tx, intent: IntentRow, open: readonly OperationRow[], reason: string) {
  let version = intent.version
  const code = codeOfReason(reason)
  const capture_op = ofType(open, 'capture')
  for (const one of open) {
    await (one.type === 'cancel'
      ? endOperation(tx, one, { state: 'succeeded' })
      : endOperation(tx, one, { state: 'failed', error_code: code }))
  }
  if (capture_op) {
    announceFailed(tx, intent, capture_op, { version: ++version, reason_code: code })
  }
  const next = {
    ...intent,
    state: 'cancelled' as const,
    cancellation_reason: reason,
    version: version + 1,
  }
  await store(tx, next)
  const operation = ofType(open, 'cancel') ?? ofType(open, 'authorize')
  announce(tx, next, {
    type: 'payment.released',
    version: next.version,
    state: next.state,
    operation_id: operation?.id ?? null,
    amount_minor: intent.amount_minor,
    reason_code: code,
  })
  return next
}

/** For a payment without an object at the provider. One that was made meanwhile may hold money. */
export async function cancelLocally(tx: Tx, deps: Deps, key: IntentKey, reason: string) {
  const open = await lockOpenOperations(tx, key)
  const intent = await lockIntent(tx, key)
  const free = intent?.state === 'requires_authorization' || intent?.state === 'requires_action'
  if (intent?.provider_handle !== null || !free) return
  await followPayment(tx, deps, await cancel(tx, intent, open, reason), false)
}

async function store(tx: Tx, next: IntentRow): Promise<void> {
  await tx.run(sql`
    update payments.payment_intents
    set state = ${next.state}, charge_ref = ${next.charge_ref},
      amount_authorized_minor = ${next.amount_authorized_minor},
      amount_captured_minor = ${next.amount_captured_minor},
      authorization_expires_at = ${next.authorization_expires_at},
      cancellation_reason = ${next.cancellation_reason},
      last_error = ${next.last_error === null ? null : sql.json(next.last_error)}::jsonb,
      version = ${next.version}
    where tenant_id = ${next.tenant_id} and id = ${next.id}`)
}
