/** How an operation ends, waits for the buyer, is put off, or is left to an operator. Never backwards. */
import type { Tx } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import type { IntentKey, OperationRow } from './rows.ts'

export type Ending = {
  readonly state: 'succeeded' | 'failed' | 'requires_action'
  readonly error_code?: string | null
  readonly provider_operation_id?: string | null
}

export async function endOperation(
  tx: Tx,
  { tenant_id, id }: Pick<OperationRow, 'tenant_id' | 'id'>,
  { state, error_code = null, provider_operation_id = null }: Ending,
): Promise<void> {
  await tx.run(sql`
    update payments.payment_operations
    set state = ${state}, error_code = ${error_code},
      provider_operation_id = coalesce(${provider_operation_id}, provider_operation_id),
      due_at = null,
      resolved_at = case when ${state} = 'requires_action' then null else kernel.now() end
    where tenant_id = ${tenant_id} and id = ${id}
      and state in ('created', 'pending_provider', 'requires_action')`)
}

/** Nothing automatic can go on: the open operations stay as they are, and no queue looks at them. */
export async function parkOperations(tx: Tx, { tenant_id, id }: IntentKey): Promise<void> {
  await tx.run(sql`
    update payments.payment_operations
    set state = 'pending_provider', due_at = null,
      doubt_since = coalesce(doubt_since, now())
    where tenant_id = ${tenant_id} and intent_id = ${id}
      and state in ('created', 'pending_provider')
      and type in ('authorize', 'capture', 'cancel')`)
}

/** True if its outcome has come into doubt now, and was not before. */
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
