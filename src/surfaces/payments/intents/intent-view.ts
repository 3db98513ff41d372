/**
 * A payment as its merchant sees it. It contains no secrets, so that a reply can be stored and
 * replayed.
 */
import { type Static, Type } from 'typebox'
import { Amount, Id, nullable, oneOf, sql, Time, Version, viewTag } from '#dodeca/kernel'
import type { Db, Reader, Tx } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import {
  findIntent,
  intent_states,
  operation_states,
  operation_types,
  OperationRow,
  operationColumns,
  type IntentKey,
  type IntentRow,
} from '../operations/rows.ts'
import { accountIdOf, vendorOf } from '../provider/account-key.ts'

const Short = Type.String({ maxLength: 255 })

const OperationView = Type.Object(
  {
    id: Id,
    type: oneOf(...operation_types),
    state: oneOf(...operation_states),
    amount_minor: Amount,
    provider_operation_id: nullable(Short),
    attempt_count: Type.Integer({ minimum: 0 }),
    error_code: nullable(Short),
    created_at: Time,
    resolved_at: nullable(Time),
  },
  { title: 'PaymentOperation' },
)
type OperationView = Static<typeof OperationView>

const Url = nullable(Type.String({ maxLength: 2048 }))
const NextAction = Type.Object({ type: Short, url: Url }, { title: 'PaymentNextAction' })
/** For who pays or authorizes only: with the secret, a browser can confirm the payment. */
export const NextStep = Type.Object(
  { type: Short, url: Url, client_secret: nullable(Type.String({ maxLength: 512 })) },
  { title: 'PaymentNextStep' },
)
export type NextStep = Static<typeof NextStep>

const intentMembers = {
  id: Id,
  merchant_id: Id,
  order_ref: nullable(Type.String({ maxLength: 128 })),
  amount_minor: Amount,
  currency: Type.String({ minLength: 3, maxLength: 3 }),
  state: oneOf(...intent_states),
  provider: Short,
  payment_account_id: nullable(Id),
  request_id: nullable(Id),
  customer_id: nullable(Id),
  provider_customer_ref: nullable(Short),
  amount_authorized_minor: Amount,
  amount_capturable_minor: Amount,
  amount_captured_minor: Amount,
  amount_refunded_minor: Amount,
  /** Of refunds that are not decided yet. */
  amount_refund_pending_minor: Amount,
  authorization_expires_at: nullable(Time),
  cancellation_reason: nullable(Short),
  disputed: Type.Boolean(),
  last_error: nullable(
    Type.Object({
      code: Short,
      decline_code: nullable(Short),
      operation_id: nullable(Id),
    }),
  ),
  metadata: Type.Record(Type.String(), Type.String()),
  version: Version,
  created_at: Time,
}

export const IntentSummary = Type.Object(intentMembers, { title: 'PaymentIntentSummary' })
export const Intent = Type.Object(
  {
    ...intentMembers,
    operation_id: Type.Optional(Id),
    status: Type.Optional(oneOf('pending')),
    next_action: nullable(NextAction),
    pending_operation: nullable(OperationView),
    operations: Type.Array(OperationView, { maxItems: 20 }),
  },
  { title: 'PaymentIntent' },
)
export type Intent = Static<typeof Intent>

export function summaryOf(row: IntentRow): Static<typeof IntentSummary> {
  return {
    id: row.id,
    merchant_id: row.tenant_id,
    order_ref: row.order_ref,
    amount_minor: row.amount_minor,
    currency: row.currency,
    state: row.state,
    provider: vendorOf(row.provider),
    payment_account_id: accountIdOf(row.provider),
    request_id: row.request_id,
    customer_id: row.customer_id,
    provider_customer_ref: null,
    amount_authorized_minor: row.amount_authorized_minor,
    amount_capturable_minor:
      row.state === 'authorized' ? row.amount_authorized_minor - row.amount_captured_minor : 0,
    amount_captured_minor: row.amount_captured_minor,
    amount_refunded_minor: row.amount_refunded_minor,
    amount_refund_pending_minor: row.amount_refund_pending_minor,
    authorization_expires_at: row.authorization_expires_at,
    cancellation_reason: row.cancellation_reason,
    disputed: row.disputed,
    last_error: row.last_error as Static<typeof IntentSummary>['last_error'],
    metadata: row.metadata,
    version: row.version,
    created_at: row.created_at,
  }
}

function operationView(row: OperationRow): OperationView {
  const { id, type, state, amount_minor, provider_operation_id, attempt_count } = row
  const { error_code, created_at, resolved_at } = row
  return {
    id,
    type,
    state,
    amount_minor,
    provider_operation_id,
    attempt_count,
    error_code,
    created_at,
    resolved_at,
  }
}

export async function showIntent(
  reader: Reader | Tx | Db,
  key: IntentKey,
  nextActionOf: (row: IntentRow) => Promise<NextStep | null> = async () => null,
): Promise<Intent> {
  // Before the payment: an operation that ends in between is shown as pending, not as without effect.
  const operations = await operationsOf(reader, key)
  const row = await findIntent(reader, key)
  if (!row) throw problem('payment_intent_not_found')
  const pending = operations.find(
    one => one.state === 'created' || one.state === 'pending_provider',
  )
  const step = await nextActionOf(row)
  return {
    ...summaryOf(row),
    next_action: step && { type: step.type, url: step.url },
    pending_operation: pending ? operationView(pending) : null,
    operations: operations.map(operationView),
  }
}

function operationsOf(reader: Reader, { tenant_id, id }: IntentKey): Promise<OperationRow[]> {
  return reader.many(
    OperationRow,
    sql`
      select ${operationColumns} from payments.payment_operations o
      where o.tenant_id = ${tenant_id} and o.intent_id = ${id}
      order by o.id desc limit 20`,
  )
}

/** The next step and the operations change without a new version of the payment. */
export function tagOf({ version, next_action, operations }: Intent): string {
  return viewTag(version, [next_action, operations])
}
