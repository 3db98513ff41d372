/** Creates a payment in PostgreSQL. The provider is first called when the payment is authorized. */
import { Type, type Static } from 'typebox'
import { newId, sql, violates, type RequestKey, type Tx } from '#dodeca/kernel'
import { chooseAccount } from '../accounts/choose-account.ts'
import type { Deps } from '../deps.ts'
import { holdCustomer } from '../methods/choose-method.ts'
import { problem } from '../errors.ts'
import { announce } from '../operations/announce.ts'
import { amountRules, readAmount, requireTaken, type GivenAmount } from '../money/read-amount.ts'

export type NewIntent = GivenAmount & {
  readonly order_ref?: string
  readonly provider?: string
  /** The name of an account of the tenant, or `platform`. */
  readonly account?: string
  /** The key of an account that is offered to the tenant. */
  readonly at?: string
  readonly metadata?: Readonly<Record<string, string>>
  /** Whose saved methods it may use. */
  readonly customer_id?: string
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

export type Created = {
  readonly id: string
  readonly operation_id: string
  /** Its account. */
  readonly provider: string
}

const Stored = Type.Object({ provider: Type.String() })

export async function createIntent(
  tx: Tx,
  deps: Deps,
  given: NewIntent,
  maker: Maker,
): Promise<Created> {
  const amount_minor = readAmount(given, amountRules(deps.kernel.settings))
  const { order_ref = null, currency, metadata = {}, customer_id = null } = given
  const { tenant_id, principal_id, key, managed, request_id = null, id = newId() } = maker
  const chosen = chooseAccount(tx, deps, tenant_id, given)
  // Without a wish nothing is awaited, because the caller sends further statements behind these.
  const account = chosen instanceof Promise ? await chosen : chosen
  const operation_id = newId()
  // A payer pays on, also if the customer was deleted meanwhile.
  if (customer_id !== null && request_id === null)
    await holdCustomer(tx, { tenant_id, id: customer_id }, '/customer_id')
  const intent = tx.one(
    Stored,
    sql`
    insert into payments.payment_intents (
      tenant_id, id, order_ref, amount_minor, currency, provider, managed, request_id, metadata,
      customer_id, created_by)
    values (
      ${tenant_id}, ${id}, ${order_ref}, ${amount_minor}, ${currency}, ${account},
      ${managed}, ${request_id}, ${sql.json(metadata)}::jsonb, ${customer_id},
      ${principal_id})
    returning provider`,
  )
  const operation = tx.run(sql`
    insert into payments.payment_operations (
      tenant_id, id, intent_id, type, principal_id, idempotency_key, request_fingerprint,
      state, provider, amount_minor, resolved_at)
    select ${tenant_id}, ${operation_id}, i.id, 'create', ${principal_id},
      ${key?.value ?? null}, ${key?.fingerprint ?? null}, 'succeeded', i.provider,
      ${amount_minor}, kernel.now()
    from payments.payment_intents i where i.tenant_id = ${tenant_id} and i.id = ${id}`)
  let stored: Static<typeof Stored>
  try {
    ;[stored] = await Promise.all([intent, operation])
  } catch (error) {
    // The recorded outcome was deleted, but the key stays in use forever.
    if (violates(error, 'payment_operations_key')) throw problem('idempotency_key_reused')
    throw error
  }
  requireTaken(stored.provider, amount_minor, currency)
  announce(
    tx,
    { tenant_id, id, order_ref, currency },
    {
      type: 'payment.created',
      version: 1,
      state: 'requires_authorization',
      operation_id,
      amount_minor,
    },
  )
  return { id, operation_id, ...stored }
}
