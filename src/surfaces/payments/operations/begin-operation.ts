/**
 * Records the intent of an effect, and commits it before anything is sent. A unique index allows
 * one open operation per authorization. Refunds may run in parallel; a check constraint limits
 * their sum. A known key returns its existing operation.
 */
import { sql, violates, type RequestKey, type Tx } from '#dodeca/kernel'
import { isAccepting, resolver_name, type Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { isParked } from './end-operation.ts'
import {
  lockIntent,
  lockOpenOperations,
  OperationRow,
  operationColumns,
  type IntentRow,
} from './rows.ts'

export type Beginning = {
  readonly operation_id: string
  readonly tenant_id: string
  readonly intent_id: string
  readonly type: 'authorize' | 'capture' | 'cancel' | 'refund'
  readonly principal_id: string | null
  readonly key: RequestKey | null
  readonly amount_minor: number
  readonly payment_method?: string | null
  readonly payment_method_id?: string
  readonly customer_id?: string
  readonly save?: boolean | undefined
  readonly off_session?: boolean | undefined
  readonly return_url?: string | null
  readonly reason?: string | null
  /** False if nothing must be sent, because the operation has succeeded in this transaction. */
  readonly sends?: boolean
  /** The resolver also makes the first attempt, because no caller waits for it. */
  readonly by_resolver?: boolean
}

/**
 * Finds the operation that this key began, however long ago. A different request with the same key
 * is refused.
 */
export async function findByKey(
  tx: Tx,
  tenant_id: string,
  principal_id: string,
  type: Beginning['type'] | 'create',
  key: RequestKey,
): Promise<OperationRow | undefined> {
  const known = await tx.maybe(
    OperationRow,
    sql`
      select ${operationColumns} from payments.payment_operations o
      where o.tenant_id = ${tenant_id} and o.principal_id = ${principal_id}
        and o.type = ${type} and o.idempotency_key = ${key.value}
        and o.request_fingerprint = ${key.fingerprint}`,
  )
  if (known) return known
  const other = await tx.run(sql`
    select 1 from payments.payment_operations
    where tenant_id = ${tenant_id} and principal_id = ${principal_id}
      and type = ${type} and idempotency_key = ${key.value}`)
  if (other > 0) throw problem('idempotency_key_reused')
  return undefined
}

/** Returns the payment, locked, if this caller may change it. */
export async function lockMovable(
  tx: Tx,
  key: { readonly tenant_id: string; readonly id: string },
  managed: boolean,
): Promise<IntentRow> {
  // Sent together. The connection runs them in this order.
  const [open, intent] = await Promise.all([lockOpenOperations(tx, key), lockIntent(tx, key)])
  if (!intent) throw problem('payment_intent_not_found')
  if (intent.managed !== managed) {
    throw problem('intent_managed', {
      detail: 'This payment belongs to an order. Move it through the order.',
    })
  }
  const rival = open.find(({ state }) => state !== 'requires_action')
  if (rival) throw pending(isParked(rival))
  return intent
}

function pending(parked = false) {
  return problem('operation_pending', {
    detail: parked
      ? 'The outcome could not be settled automatically. An operator of the platform has to resolve the reconciliation item of this payment first.'
      : 'Wait until pending_operation of the payment is null, then try again.',
  })
}

/**
 * The time limit of one attempt. An attempt is at most four calls: read, create the object,
 * confirm, read again. The SDK repeats a broken call once.
 */
export function leaseSeconds(provider_timeout_ms: number): number {
  return Math.ceil((provider_timeout_ms * 6) / 1000) + 5
}

/** While the account's provider cannot be reached, only what the resolver sends is begun. */
export function requireProvider(
  deps: Deps,
  { provider }: Pick<IntentRow, 'provider'>,
  { by_resolver = false }: Pick<Beginning, 'by_resolver'>,
): void {
  if (!by_resolver && !isAccepting(deps, provider)) throw problem('payment_provider_unavailable')
}

export async function beginOperation(
  tx: Tx,
  { kernel }: Pick<Deps, 'kernel'>,
  begun: Beginning,
): Promise<void> {
  const { sends = true, by_resolver = false } = begun
  // If the process dies, the resolver continues when this attempt must have ended.
  const lease = by_resolver ? 0 : leaseSeconds(kernel.settings['payments.provider_timeout_ms'])
  if (by_resolver) tx.wake(resolver_name)
  const sent = sends && !by_resolver
  try {
    await tx.run(sql`
      insert into payments.payment_operations (
        tenant_id, id, intent_id, type, principal_id, idempotency_key, request_fingerprint, state,
        provider, amount_minor, payment_method, payment_method_id, customer_id, save, off_session,
        return_url, reason, attempt_count, sent_at, due_at,
        resolved_at)
      values (
        ${begun.tenant_id}, ${begun.operation_id}, ${begun.intent_id}, ${begun.type},
        ${begun.principal_id}, ${begun.key?.value ?? null}, ${begun.key?.fingerprint ?? null},
        ${sends ? 'created' : 'succeeded'}, (
          select i.provider from payments.payment_intents i
          where i.tenant_id = ${begun.tenant_id} and i.id = ${begun.intent_id}
        ), ${begun.amount_minor},
        ${begun.payment_method ?? null}, ${begun.payment_method_id ?? null},
        ${begun.customer_id ?? null}, ${begun.save ?? false}, ${begun.off_session ?? false},
        ${begun.return_url ?? null}, ${begun.reason ?? null},
        ${sent ? 1 : 0}, case when ${sent} then now() end,
        case when ${sends} then kernel.now() + make_interval(secs => ${lease}) end,
        case when ${sends} then null else kernel.now() end)`)
  } catch (error) {
    if (violates(error, 'payment_operations_open')) throw pending()
    throw error
  }
}
