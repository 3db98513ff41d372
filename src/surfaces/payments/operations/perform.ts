/**
 * Sends an operation to the provider, and returns the certain result. The object's id is stored
 * before any money moves. So every doubt can be resolved by reading or closing the object. A call
 * is repeated only with its own key. Only an authorization is closed (fenced). A capture in doubt
 * may belong to goods that were shipped, so the capture is read and sent again until its outcome is
 * certain.
 */
import { sql, type Db } from '#dodeca/kernel'
import { atAccount, type Deps } from '../deps.ts'
import {
  ProviderFailure,
  type OpenProvider,
  type RefundSnapshot,
  type Snapshot,
} from '../provider/port.ts'
import { providerCustomer } from '../customers/provider-customers.ts'
import { isWithdrawn } from '../methods/detach-method.ts'
import { waitForPlace } from './limit-declines.ts'
import { isVisible } from './state-after-answer.ts'
import {
  findIntentOf,
  findOperation,
  OperationRow,
  operationColumns,
  type IntentRow,
} from './rows.ts'

export type Certain =
  | { readonly kind: 'snapshot'; readonly snapshot: Snapshot }
  | { readonly kind: 'declined'; readonly code: string; readonly snapshot: Snapshot }
  | { readonly kind: 'refund'; readonly refund: RefundSnapshot }
  | { readonly kind: 'refused'; readonly code: string }
  /** The call may have had its effect. */
  | { readonly kind: 'doubt'; readonly code: string }
  | { readonly kind: 'not_sent'; readonly code: string }
  /** No object exists that could ever hold money. */
  | { readonly kind: 'closed' }
  /** Another process has ended the operation. */
  | { readonly kind: 'ended' }

type Sending = {
  readonly operation: OperationRow
  readonly intent: IntentRow
  readonly attempt: 'first' | 'resumed'
}

export async function perform(
  deps: Deps,
  operation_id: string,
  attempt: 'first' | 'resumed',
): Promise<Certain> {
  const sending = await take(deps, operation_id, attempt)
  if (!sending) return { kind: 'ended' }
  // Another account would not know the payment, or would take the money twice.
  const at = await atAccount(deps, sending.intent.provider)
  if (!at) return { kind: 'not_sent', code: 'provider_missing' }
  await deps.kernel.fault('payments.before_call')
  try {
    const outcome = attempt === 'resumed' ? await resume(at, sending) : await send(at, sending)
    await deps.kernel.fault('payments.after_call')
    return outcome
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error
    return await meaningOf(at, sending, error)
  }
}

/**
 * Counts each attempt before anything is sent. So after a crash we know that the request may have
 * been sent. The transaction that began the operation counted the first attempt.
 */
async function take(
  { kernel: { db } }: Deps,
  operation_id: string,
  attempt: 'first' | 'resumed',
): Promise<Sending | undefined> {
  const read = attempt === 'first' ? findOperation : countAttempt
  const [operation, intent] = await Promise.all([
    read(db, operation_id),
    findIntentOf(db, operation_id),
  ])
  const open = operation?.state === 'created' || operation?.state === 'pending_provider'
  return open && intent ? { operation, intent, attempt } : undefined
}

function countAttempt(db: Db, operation_id: string) {
  return db.maybe(
    OperationRow,
    sql`
      -- any tenant: the operation's own id
      update payments.payment_operations o
      set attempt_count = o.attempt_count + 1
      where o.id = ${operation_id} and o.state in ('created', 'pending_provider')
      returning ${operationColumns}`,
  )
}

async function send(deps: Deps, sending: Sending): Promise<Certain> {
  const { provider } = deps
  const { operation, intent } = sending
  const { id, amount_minor } = operation
  const { currency } = intent
  if (operation.type === 'authorize') return await sendAuthorize(deps, sending)
  const handle = intent.provider_handle
  if (!handle) return { kind: 'closed' }
  if (operation.type === 'refund') {
    const reason = operation.reason ?? 'other'
    const key = `${id}:refund`
    const how = { handle, amount_minor, currency, operation_id: id, reason, key }
    return { kind: 'refund', refund: await provider.refund(how) }
  }
  const snapshot =
    operation.type === 'capture'
      ? await provider.capture(handle, { amount_minor, currency, key: `${id}:capture` })
      : await provider.cancel(handle, { key: `${id}:cancel` })
  return { kind: 'snapshot', snapshot }
}

async function sendAuthorize(deps: Deps, sending: Sending): Promise<Certain> {
  const { provider, kernel } = deps
  const { operation, intent, attempt } = sending
  // A request waits for its place. The resolver comes again.
  if (operation.sent_age === null) await waitForPlace(deps, operation, attempt === 'first')
  const { customer_id } = operation
  const customer =
    customer_id === null
      ? null
      : await providerCustomer(deps, { ...operation, customer_id, provider: provider.name })
  const handle = intent.provider_handle ?? (await makeHandle(deps, intent))
  // The payment was released while its object was being made. Nothing was confirmed, so no money is
  // held.
  if (!handle) return { kind: 'ended' }
  await kernel.fault('payments.after_handle')
  const { payment_method, return_url, id, save, off_session } = operation
  if (customer !== null) await assign(deps, sending, handle, customer)
  const snapshot = await provider.confirm(handle, {
    payment_method: payment_method ?? '',
    return_url,
    key: `${id}:confirm`,
    ...(intent.customer_id === null ? {} : { save, off_session }),
  })
  return { kind: 'snapshot', snapshot }
}

/** It moves no money, so what is in doubt is tried again. A method that was detached is not charged. */
async function assign(
  deps: Deps,
  { operation, attempt }: Sending,
  handle: string,
  customer: string,
): Promise<void> {
  const { id } = operation
  try {
    await deps.provider.customers?.assign(handle, customer, { key: `${id}:assign` })
  } catch (error) {
    if (!(error instanceof ProviderFailure) || error.kind !== 'doubt') throw error
    throw new ProviderFailure('not_sent', error.code, { cause: error })
  }
  await deps.kernel.fault('payments.after_assign')
  if (!(await isWithdrawn(deps, operation))) return
  // An earlier attempt may have been sent. The next one closes the payment for certain.
  throw new ProviderFailure(attempt === 'first' ? 'refused' : 'not_sent', 'payment_method_invalid')
}

/**
 * A lost reply is harmless: the same key returns the same object, and that object holds no money.
 */
async function makeHandle(deps: Deps, intent: IntentRow): Promise<string | null> {
  const { id, tenant_id, amount_minor, currency } = intent
  const order = { intent_id: id, tenant_id, amount_minor, currency, key: `${id}:handle` }
  const { handle, intent_id } = await deps.provider.createHandle(order)
  if (intent_id !== id) throw new ProviderFailure('doubt', 'wrong_object')
  await deps.kernel.fault('payments.before_handle')
  const stored = await deps.kernel.db.run(sql`
    update payments.payment_intents i
    set provider_handle = ${handle}, provider_handle_at = coalesce(i.provider_handle_at, now())
    where i.tenant_id = ${tenant_id} and i.id = ${id}
      and (i.provider_handle is null or i.provider_handle = ${handle})
      and i.state in ('requires_authorization', 'requires_action')`)
  return stored === 1 ? handle : null
}

/** We read the object before we send anything again. */
async function resume(deps: Deps, sending: Sending): Promise<Certain> {
  const { provider, kernel } = deps
  const { operation, intent } = sending
  if (operation.type === 'refund') return await resumeRefund(deps, sending)
  const handle = intent.provider_handle
  const unwanted = operation.release_wanted !== null
  const old =
    (operation.sent_age ?? 0) > kernel.settings['payments.fence_after_seconds'] ||
    (await isWithdrawn(deps, operation))
  const fenced = operation.type === 'authorize' && (unwanted || old)
  if (!handle) return fenced ? { kind: 'closed' } : await send(deps, sending)
  const snapshot = await provider.read(handle)
  if (fenced && snapshot.status !== 'canceled' && (unwanted || !isVisible('authorize', snapshot))) {
    return await fence(deps, handle, operation, snapshot)
  }
  if (isVisible(operation.type, snapshot)) return { kind: 'snapshot', snapshot }
  // The provider has forgotten the key, and would do it once more.
  if (isOld(deps, operation)) return { kind: 'doubt', code: 'outcome_not_visible' }
  return snapshot.status === 'approved' && operation.type === 'authorize'
    ? { kind: 'snapshot', snapshot: await finish(provider, handle, operation) }
    : await send(deps, sending)
}

function isOld({ provider }: Deps, { type, sent_age }: OperationRow): boolean {
  const { refund, other } = provider.rules.resend_seconds
  return (sent_age ?? 0) > (type === 'refund' ? refund : other)
}

/** One key for life, so that the money is held once. */
function finish(provider: OpenProvider, handle: string, { id }: OperationRow): Promise<Snapshot> {
  if (!provider.finish) throw new ProviderFailure('doubt', 'state_unknown')
  return provider.finish(handle, { key: `${id}:finish` })
}

/**
 * The provider processes one request on an object at a time. Either the confirm came first and its
 * hold is released now, or the confirm can never succeed. In both cases the object is certainly
 * cancelled. What its payer has approved may be being finished: so it is finished with the same key
 * and then released.
 */
async function fence(
  deps: Deps,
  handle: string,
  operation: OperationRow,
  { status }: Snapshot,
): Promise<Certain> {
  const { provider } = deps
  const { id } = operation
  if (status === 'approved' && !isOld(deps, operation)) {
    try {
      await finish(provider, handle, operation)
    } catch (error) {
      const refused = error instanceof ProviderFailure && ends.includes(error.kind)
      if (!refused) throw error
    }
  }
  return { kind: 'snapshot', snapshot: await provider.cancel(handle, { key: `${id}:fence` }) }
}

const ends: readonly string[] = ['declined', 'refused', 'unexpected_state']

async function resumeRefund(deps: Deps, sending: Sending): Promise<Certain> {
  const { operation, intent } = sending
  const made = await deps.provider.refundsOf(intent.provider_handle ?? '')
  const refund = made.find(one => one.operation_id === operation.id)
  if (refund) return { kind: 'refund', refund }
  if (isOld(deps, operation)) {
    return { kind: 'doubt', code: 'refund_not_visible' }
  }
  return await send(deps, sending)
}

async function meaningOf(
  deps: Deps,
  { operation, intent }: Sending,
  failure: ProviderFailure,
): Promise<Certain> {
  const { kind, code, snapshot } = failure
  switch (kind) {
    case 'declined':
      if (snapshot && operation.type === 'authorize') return { kind, code, snapshot }
      return { kind: 'refused', code }
    case 'refused':
      return { kind, code }
    case 'unexpected_state':
      return await readInstead(deps, operation, intent, snapshot)
    default:
      return { kind, code }
  }
}

/** The object at the provider has a later state than expected. Its current state counts. */
async function readInstead(
  { provider }: Deps,
  operation: OperationRow,
  intent: IntentRow,
  shown: Snapshot | null,
): Promise<Certain> {
  const handle = intent.provider_handle ?? shown?.handle ?? ''
  try {
    if (operation.type === 'refund') {
      const made = await provider.refundsOf(handle)
      const refund = made.find(one => one.operation_id === operation.id)
      return refund ? { kind: 'refund', refund } : { kind: 'refused', code: 'already_refunded' }
    }
    const snapshot = await provider.read(handle)
    if (isVisible(operation.type, snapshot)) return { kind: 'snapshot', snapshot }
    return { kind: 'doubt', code: 'unexpected_state' }
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error
    return { kind: 'doubt', code: error.code }
  }
}
