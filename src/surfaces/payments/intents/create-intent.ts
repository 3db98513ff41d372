/** Creates a payment in PostgreSQL. The provider is first called when the payment is authorized. */
import { newId, sql, violates, type RequestKey, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem, refuseMember } from '../errors.ts'
import { announce } from '../operations/announce.ts'
import { amountRules, readAmount, type GivenAmount } from '../money/read-amount.ts'

export type NewIntent = GivenAmount & {
  readonly order_ref?: string
  readonly provider?: string
  readonly metadata?: Readonly<Record<string, string>>
}

export type Maker = {
  readonly tenant_id: string
  /** Null if another surface creates the payment. */
  readonly principal_id: string | null
  readonly key: RequestKey | null
  readonly managed: boolean
  /** The payment request that it pays. */
  readonly request_id?: string
  /** The id of the new payment, if the caller has already chosen it. */
  readonly id?: string
}

export type Created = { readonly id: string; readonly operation_id: string }

export async function createIntent(
  tx: Tx,
  { kernel, provider }: Deps,
  given: NewIntent,
  maker: Maker,
): Promise<Created> {
  const amount_minor = readAmount(given, amountRules(kernel.settings))
  const { order_ref = null, currency, metadata = {} } = given
  if ((given.provider ?? provider.name) !== provider.name) {
    throw refuseMember('provider_unsupported', '/provider')
  }
  const { tenant_id, principal_id, key, managed, request_id = null, id = newId() } = maker
  const made = { id, operation_id: newId() }
  const intent = tx.run(sql`
    insert into payments.payment_intents (
      tenant_id, id, order_ref, amount_minor, currency, provider, managed, request_id, metadata,
      created_by)
    values (
      ${tenant_id}, ${made.id}, ${order_ref}, ${amount_minor}, ${currency}, ${provider.name},
      ${managed}, ${request_id}, ${sql.json(metadata)}::jsonb, ${principal_id})`)
  const operation = tx.run(sql`
    insert into payments.payment_operations (
      tenant_id, id, intent_id, type, principal_id, idempotency_key, request_fingerprint,
      state, provider, amount_minor, resolved_at)
    values (
      ${tenant_id}, ${made.operation_id}, ${made.id}, 'create', ${principal_id},
      ${key?.value ?? null}, ${key?.fingerprint ?? null}, 'succeeded', ${provider.name},
      ${amount_minor}, kernel.now())`)
  try {
    await Promise.all([intent, operation])
  } catch (error) {
    // The recorded outcome was deleted, but the key stays in use forever.
    if (violates(error, 'payment_operations_key')) throw problem('idempotency_key_reused')
    throw error
  }
  announce(
    tx,
    { tenant_id, id: made.id, order_ref, currency },
    {
      type: 'payment.created',
      version: 1,
      state: 'requires_authorization',
      operation_id: made.operation_id,
      amount_minor,
    },
  )
  return made
}
