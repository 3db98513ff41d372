/**
 * Writes the result of an attempt. This is the last step of a request and of each run of the
 * resolver.
 */
import { sql, type Tx } from '#dodeca/kernel'
import { resolver_name, type Deps } from '../deps.ts'
import { applyRefund, failRefund, RefundRow, refundColumns } from '../refunds/apply-refund.ts'
import { announce } from './announce.ts'
import { applyProviderState, cancelLocally } from './apply-provider-state.ts'
import { deferOperation, endOperation, retryOperation } from './end-operation.ts'
import { too_many_declines } from './limit-declines.ts'
import type { Certain } from './perform.ts'
import { followPayment, releasePayment } from '../requests/follow-payment.ts'
import { lockIntent, OperationRow, operationColumns, type IntentRow } from './rows.ts'

export async function settleOperation(
  tx: Tx,
  deps: Deps,
  operation_id: string,
  outcome: Certain,
): Promise<void> {
  const operation = await tx.maybe(
    OperationRow,
    sql`
      -- any tenant: the operation's own id
      select ${operationColumns} from payments.payment_operations o
      where o.id = ${operation_id} for update`,
  )
  const open = operation?.state === 'created' || operation?.state === 'pending_provider'
  if (!open || operation.intent_id === null) return
  const key = { tenant_id: operation.tenant_id, id: operation.intent_id }
  switch (outcome.kind) {
    case 'snapshot':
    case 'declined': {
      const declined = outcome.kind === 'declined' ? outcome.code : null
      await applyProviderState(tx, deps, key, { snapshot: outcome.snapshot, declined })
      return
    }
    case 'refund':
      return await applyRefund(tx, await refundOf(tx, operation), outcome.refund)
    case 'refused':
      return await refuse(tx, deps, operation, key, outcome.code)
    case 'closed':
      return await close(tx, deps, operation, key)
    case 'doubt':
    case 'not_sent':
      return await putOff(tx, deps, operation, key, outcome)
    default:
  }
}

function refundOf(tx: Tx, { tenant_id, id }: OperationRow) {
  return tx.one(
    RefundRow,
    sql`
      select ${refundColumns} from payments.refunds r
      where r.tenant_id = ${tenant_id} and r.operation_id = ${id}`,
  )
}

type Key = { readonly tenant_id: string; readonly id: string }

async function lockedIntent(tx: Tx, key: Key): Promise<IntentRow> {
  const intent = await lockIntent(tx, key)
  if (!intent) throw new Error(`the intent ${key.id} of an operation is gone`)
  return intent
}

/** It was refused without effect. The payment is unchanged, and the caller may try another way. */
async function refuse(
  tx: Tx,
  deps: Deps,
  operation: OperationRow,
  key: Key,
  code: string,
): Promise<void> {
  const intent = await lockedIntent(tx, key)
  if (operation.type === 'refund') {
    const refund = await refundOf(tx, operation)
    const refusal = { code, external_ref: null, provider_refund_id: null }
    return await failRefund(tx, intent, refund, refusal)
  }
  // The limit says nothing about the card.
  const declined = operation.type === 'authorize' && code !== too_many_declines
  await endOperation(tx, operation, { state: 'failed', error_code: code, declined })
  if (operation.type === 'cancel') return
  const version = intent.version + 1
  const last_error = { code, decline_code: null, operation_id: operation.id }
  await tx.run(sql`
    update payments.payment_intents
    set version = ${version}, last_error = ${sql.json(last_error)}::jsonb
    where tenant_id = ${key.tenant_id} and id = ${key.id}`)
  announce(tx, intent, {
    type: operation.type === 'capture' ? 'payment.capture_failed' : 'payment.declined',
    version,
    state: intent.state,
    operation_id: operation.id,
    amount_minor: operation.amount_minor,
    reason_code: code,
  })
  if (operation.type === 'capture') return await releasePayment(tx, deps, intent)
  await followPayment(tx, deps, { ...intent, version }, false)
}

/** No object at the provider was ever confirmed. */
async function close(tx: Tx, deps: Deps, operation: OperationRow, key: Key): Promise<void> {
  if (operation.type === 'authorize' || operation.type === 'cancel') {
    const reason = operation.reason ?? operation.release_wanted ?? 'unresolved_fenced'
    return await cancelLocally(tx, deps, key, reason)
  }
  await refuse(tx, deps, operation, key, 'nothing_authorized')
}

async function putOff(
  tx: Tx,
  { kernel }: Deps,
  operation: OperationRow,
  key: Key,
  outcome: Extract<Certain, { kind: 'doubt' | 'not_sent' }>,
): Promise<void> {
  const first = kernel.settings['payments.resolve_first_seconds']
  tx.wake(resolver_name)
  if (outcome.kind === 'not_sent') return await retryOperation(tx, operation, outcome.code, first)
  await deferIfNew(tx, operation, key, outcome.code, first)
}

/** The event about a doubt is emitted once. */
export async function deferIfNew(
  tx: Tx,
  operation: OperationRow,
  key: Key,
  code: string,
  after_seconds: number,
): Promise<void> {
  const intent = await lockedIntent(tx, key)
  if (!(await deferOperation(tx, operation, code, after_seconds))) return
  const version = intent.version + 1
  await tx.run(sql`
    update payments.payment_intents set version = ${version}
    where tenant_id = ${key.tenant_id} and id = ${key.id}`)
  announce(tx, intent, {
    type: 'payment.deferred',
    version,
    state: intent.state,
    operation_id: operation.id,
    amount_minor: operation.amount_minor,
    reason_code: code,
  })
}
