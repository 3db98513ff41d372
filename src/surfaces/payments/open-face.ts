/**
 * The face, with the same operations as the routes. Each call begins and commits, calls the
 * provider, and applies the result.
 */
import { dueNow, sql, violates, type Tx } from '#dodeca/kernel'
import { atAccount, isAccepting, resolver_name, type Deps } from './deps.ts'
import { chooseOffered } from './accounts/choose-account.ts'
import type { Inside, PaymentResult, RefundResult } from './face.ts'
import { beginForOrder } from './intents/begin-authorize.ts'
import { beginCancel } from './intents/begin-cancel.ts'
import { beginCapture } from './intents/begin-capture.ts'
import { refuseCardData } from './intents/card-data.ts'
import { requireMethods } from './methods/choose-method.ts'
import { nextActionOf } from './intents/next-action.ts'
import { amountRules, readAmount, requireTaken, stepAt } from './money/read-amount.ts'
import { carryOut } from './operations/carry-out.ts'
import {
  findIntentOf,
  findOperation,
  lockIntent,
  lockOpenOperations,
  type IntentRow,
  type OperationRow,
} from './operations/rows.ts'
import { findRefund } from './refunds/find-refund.ts'
import { requestRefund } from './refunds/request-refund.ts'
import { ownedRequests } from './requests/owned-requests.ts'

type Void = Parameters<Inside['void']>[0]
type Operation = { readonly operation_id: string; readonly tenant_id: string }

export function openFace(deps: Deps): Inside {
  const face: Inside = {
    requests: ownedRequests(deps),
    authorize: async order => {
      const { operation_id, tenant_id, amount_minor, return_url = null, account = null } = order
      const at = account === null ? deps : ((await atAccount(deps, account)) ?? deps)
      await once(deps, order, { type: 'authorize', amount_minor }, async tx => {
        await beginForOrder(tx, at, { ...order, return_url, account })
        return true
      })
      return await resultOf(deps, tenant_id, operation_id)
    },
    capture: async order => {
      const { operation_id, tenant_id, intent_id, amount_minor } = order
      await once(deps, order, { type: 'capture', amount_minor, intent_id }, async tx => {
        const asked = { operation_id, tenant_id, intent_id, amount_minor }
        await beginCapture(tx, deps, { ...asked, principal_id: null, key: null, managed: true })
        return true
      })
      return await resultOf(deps, tenant_id, operation_id)
    },
    void: order => release(deps, order),
    refund: async order => {
      const { operation_id, tenant_id, intent_id, amount_minor } = order
      await once(deps, order, { type: 'refund', amount_minor, intent_id }, async tx => {
        await requestRefund(tx, deps, { ...order, note: null, principal_id: null, key: null })
        return true
      })
      return await refundResult(deps, tenant_id, operation_id)
    },
    get: async (tenant_id, operation_id) => {
      const operation = await findOperation(deps.kernel.db, operation_id)
      if (!operation || operation.tenant_id !== tenant_id) return undefined
      return await resultOf(deps, tenant_id, operation_id)
    },
    choose: (reader, tenant_id, wish, about) => chooseOffered(reader, deps, tenant_id, wish, about),
    accepting: account => isAccepting(deps, account),
    requirePayable: (amount_minor, currency, about, account) => {
      readAmount({ amount_minor, currency }, amountRules(deps.kernel.settings), about)
      if (account !== undefined) requireTaken(account, amount_minor, currency, about)
    },
    stepOf: (currency, account) => stepAt(account ?? deps.provider.name, currency),
    requireMethods,
    refuseCardData,
  }
  return face
}

type Wanted = {
  readonly type: OperationRow['type']
  readonly amount_minor: number
  readonly intent_id?: string
}

/** Begins the operation unless it exists, and continues it as far as is possible now. */
async function once(
  deps: Deps,
  { operation_id, tenant_id }: Operation,
  wanted: Wanted,
  begin: (tx: Tx) => Promise<boolean>,
): Promise<void> {
  const { db } = deps.kernel
  const known = await findOperation(db, operation_id)
  if (known) return requireSame(known, tenant_id, wanted)
  let sends: boolean
  try {
    sends = await db.tx(begin)
  } catch (error) {
    // Another process began it at the same time and continues it.
    const rival =
      violates(error, 'payment_operations_pkey') || violates(error, 'payment_operations_id_key')
    const same = rival ? await findOperation(db, operation_id) : undefined
    if (!same) throw error
    return requireSame(same, tenant_id, wanted)
  }
  await deps.kernel.fault('payments.after_operation')
  if (sends) await carryOut(deps, operation_id)
}

function requireSame(known: OperationRow, tenant_id: string, wanted: Wanted): void {
  const same =
    known.tenant_id === tenant_id &&
    known.type === wanted.type &&
    // A release that arrives before its authorization has no amount.
    (known.intent_id === null || known.amount_minor === wanted.amount_minor) &&
    (wanted.intent_id === undefined || known.intent_id === wanted.intent_id)
  if (!same) throw new Error(`the operation ${known.id} was begun with other arguments`)
}

async function release(deps: Deps, order: Void): Promise<PaymentResult | RefundResult> {
  const { db } = deps.kernel
  const { operation_id, tenant_id } = order
  const known = await findOperation(db, operation_id)
  const how = known ? null : await db.tx(tx => beginRelease(tx, deps, order))
  if (how === 'sends') await carryOut(deps, operation_id)
  const operation = await findOperation(db, operation_id)
  if (operation?.type === 'refund') return await refundResult(deps, tenant_id, operation_id)
  const result = await resultOf(deps, tenant_id, order.authorize_operation_id)
  if (result.status === 'captured' && (await isRefunded(deps, order))) {
    return { ...result, status: 'released' }
  }
  // The cancellation is not certain yet. One that failed has to be ordered again.
  const holds = result.status === 'authorized' || result.status === 'requires_action'
  return holds && operation?.state !== 'failed' ? { ...result, status: 'pending' } : result
}

/** Returns whether nothing is left to refund. */
async function isRefunded(
  { kernel: { db } }: Deps,
  { authorize_operation_id }: Void,
): Promise<boolean> {
  const intent = await findIntentOf(db, authorize_operation_id)
  return intent !== undefined && refundable(intent) === 0
}

function refundable(intent: IntentRow): number {
  const { amount_captured_minor, amount_refunded_minor, amount_refund_pending_minor } = intent
  return amount_captured_minor - amount_refunded_minor - amount_refund_pending_minor
}

/**
 * The effect of a release depends on the state of the authorization. The state is checked under the
 * authorization's locks.
 */
async function beginRelease(tx: Tx, deps: Deps, order: Void): Promise<'sends' | 'ended'> {
  const { operation_id, tenant_id, authorize_operation_id, reason } = order
  if (await leaveTombstone(tx, deps, order)) return 'ended'
  const authorize = await findOperation(tx, authorize_operation_id)
  if (!authorize || authorize.tenant_id !== tenant_id || authorize.type !== 'authorize') {
    throw new Error(`${authorize_operation_id} is no authorization of this tenant`)
  }
  if (authorize.intent_id === null) return 'ended'
  const key = { tenant_id, id: authorize.intent_id }
  const open = await lockOpenOperations(tx, key)
  const intent = await lockIntent(tx, key)
  if (!intent || intent.state === 'cancelled') return 'ended'
  const asked = { operation_id, tenant_id, intent_id: key.id, principal_id: null, key: null }
  if (intent.state === 'captured') {
    if (refundable(intent) === 0) return 'ended'
    await requestRefund(tx, deps, { ...asked, amount_minor: null, reason, note: null })
    return 'sends'
  }
  const pending = open.find(one => one.state !== 'requires_action')
  if (pending) {
    // The authorization is in doubt. The resolver closes it as soon as it can, and that releases
    // the money.
    await tx.run(sql`
      update payments.payment_operations
      set release_wanted = ${reason}, ${dueNow()}
      where tenant_id = ${tenant_id} and id = ${pending.id}
        and state in ('created', 'pending_provider')`)
    tx.wake(resolver_name)
    return 'ended'
  }
  return (await beginCancel(tx, deps, { ...asked, reason, managed: true })) ? 'sends' : 'ended'
}

/** The release came before the authorization. A later authorization with that id is refused. */
async function leaveTombstone(
  tx: Tx,
  { provider }: Deps,
  { tenant_id, authorize_operation_id }: Void,
): Promise<boolean> {
  const left = await tx.run(sql`
    insert into payments.payment_operations (
      tenant_id, id, type, state, provider, amount_minor, error_code, resolved_at)
    values (
      ${tenant_id}, ${authorize_operation_id}, 'authorize', 'failed', ${provider.name}, 0,
      'released', kernel.now())
    on conflict do nothing`)
  return left === 1
}

async function resultOf(
  deps: Deps,
  tenant_id: string,
  operation_id: string,
): Promise<PaymentResult> {
  const { db } = deps.kernel
  const [operation, intent] = await Promise.all([
    findOperation(db, operation_id),
    findIntentOf(db, operation_id),
  ])
  if (!operation) throw new Error(`there is no operation ${operation_id}`)
  const { intent_id } = operation
  const unknown = { intent_id, decline_code: null, next_action: null }
  if (intent_id === null) {
    const never = { decline_code: 'released', authorization_expires_at: null }
    return { ...unknown, ...never, amount_captured_minor: 0, status: 'declined' }
  }
  if (intent?.tenant_id !== tenant_id) throw new Error(`there is no payment intent ${intent_id}`)
  const { authorization_expires_at, amount_captured_minor } = intent
  const nothing = { ...unknown, authorization_expires_at, amount_captured_minor }
  if (intent.state === 'cancelled') return { ...nothing, status: 'released' }
  if (operation.state === 'created' || operation.state === 'pending_provider') {
    return { ...nothing, status: 'pending' }
  }
  if (operation.state === 'failed') {
    return { ...nothing, status: 'declined', decline_code: operation.error_code }
  }
  if (operation.state === 'requires_action') {
    const next_action = await nextActionOf(deps, intent)
    return { ...nothing, status: 'requires_action', next_action }
  }
  return { ...nothing, status: intent.state === 'captured' ? 'captured' : 'authorized' }
}

async function refundResult(deps: Deps, tenant_id: string, operation_id: string) {
  const refund = await findRefund(deps.kernel.db, tenant_id, { operation_id })
  return { status: refund.state, intent_id: refund.intent_id, refund_id: refund.id }
}
