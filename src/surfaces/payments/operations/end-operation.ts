/**
 * How an operation ends, waits for the buyer, is postponed, or is left to an operator. It never
 * moves backwards, except that one whose payer has agreed is sent.
 */
import { dueNow, sql, type Sql, type Tx } from '#dodeca/kernel'
import { resolver_name } from '../deps.ts'
import type { IntentKey, IntentRow, OperationRow } from './rows.ts'

export type Ending = {
  readonly state: 'succeeded' | 'failed' | 'requires_action'
  readonly error_code?: string | null
  readonly provider_operation_id?: string | null
  /** The payment method was refused. */
  readonly declined?: boolean
}

export async function endOperation(
  tx: Tx,
  { tenant_id, id }: Pick<OperationRow, 'tenant_id' | 'id'>,
  { state, error_code = null, provider_operation_id = null, declined = false }: Ending,
): Promise<void> {
  await tx.run(sql`
    update payments.payment_operations
    set state = ${state}, error_code = ${error_code}, declined = ${declined},
      provider_operation_id = coalesce(${provider_operation_id}, provider_operation_id),
      due_at = null,
      -- kept no longer than they are needed
      payment_method = case when ${state} = 'requires_action' then payment_method end,
      return_url = case when ${state} = 'requires_action' then return_url end,
      resolved_at = case when ${state} = 'requires_action' then null else kernel.now() end
    where tenant_id = ${tenant_id} and id = ${id}
      and state in ('created', 'pending_provider', 'requires_action')`)
}

/** The payer has agreed. The authorization that waited for that is sent by the resolver. */
export async function sendWaiting(
  tx: Tx,
  intent: IntentRow,
  operation: OneOperation | undefined,
): Promise<IntentRow> {
  if (!operation) return intent
  await tx.run(sql`
    update payments.payment_operations
    set state = 'created', sent_at = now(), doubt_since = null, ${dueNow()}
    where tenant_id = ${operation.tenant_id} and id = ${operation.id}
      and state = 'requires_action'`)
  tx.wake(resolver_name)
  return intent
}

/**
 * Stops the open operations of a payment until an operator resolves the item about it, and returns
 * how many there are. For an operation in doubt, the error code says so.
 */
export async function parkOperations(tx: Tx, { tenant_id, id }: IntentKey, code: string) {
  return await park(
    tx,
    code,
    sql`
    tenant_id = ${tenant_id} and intent_id = ${id} and type in ('authorize', 'capture', 'cancel')`,
  )
}

type OneOperation = Pick<OperationRow, 'tenant_id' | 'id'>

export async function parkOperation(tx: Tx, { tenant_id, id }: OneOperation, code: string) {
  return await park(tx, code, sql`tenant_id = ${tenant_id} and id = ${id}`)
}

async function park(tx: Tx, code: string, which: Sql): Promise<number> {
  return await tx.run(sql`
    -- any tenant: the condition begins with the tenant
    update payments.payment_operations
    set state = 'pending_provider', due_at = null, error_code = ${code},
      doubt_since = coalesce(doubt_since, now())
    where ${which} and state in ('created', 'pending_provider')`)
}

/** Returns whether an operator must act before the payment can continue. */
export function isParked({ state, error_code }: Pick<OperationRow, 'state' | 'error_code'>) {
  return state === 'pending_provider' && error_code !== null
}

/** Returns true if its outcome is in doubt now and was not before. */
export async function deferOperation(
  tx: Tx,
  { tenant_id, id }: Pick<OperationRow, 'tenant_id' | 'id'>,
  code: string,
  after_seconds: number,
): Promise<boolean> {
  const deferred = await tx.run(sql`
    update payments.payment_operations
    set state = 'pending_provider', doubt_since = now(), last_error_code = ${code},
      due_at = kernel.now() + make_interval(secs => ${after_seconds})
    where tenant_id = ${tenant_id} and id = ${id} and state = 'created'`)
  return deferred === 1
}

export async function retryOperation(
  tx: Tx,
  { tenant_id, id }: Pick<OperationRow, 'tenant_id' | 'id'>,
  code: string,
  after_seconds: number,
): Promise<void> {
  await tx.run(sql`
    update payments.payment_operations
    set last_error_code = ${code},
      due_at = kernel.now() + make_interval(secs => ${after_seconds})
    where tenant_id = ${tenant_id} and id = ${id} and state in ('created', 'pending_provider')`)
}
