/**
 * Rows of payments and operations, and how they are locked: always the operations first (the open
 * one before one that waits for the buyer), then the intent. So a request, the resolver and a
 * webhook for one payment run one after the other and cannot deadlock.
 */
import { type Static, Type } from 'typebox'
import { Id, nullable, oneOf, sql, type Reader, type Tx } from '#dodeca/kernel'

const Money = Type.Integer()
const Word = Type.String()

export const intent_states = [
  'requires_authorization',
  'requires_action',
  'authorized',
  'captured',
  'cancelled',
] as const
export const operation_types = ['create', 'authorize', 'capture', 'cancel', 'refund'] as const
export const operation_states = [
  'created',
  'pending_provider',
  'requires_action',
  'succeeded',
  'failed',
] as const

export const IntentRow = Type.Object({
  tenant_id: Id,
  id: Id,
  order_ref: nullable(Word),
  amount_minor: Money,
  currency: Word,
  state: oneOf(...intent_states),
  provider: Word,
  provider_handle: nullable(Word),
  charge_ref: nullable(Word),
  managed: Type.Boolean(),
  request_id: nullable(Id),
  customer_id: nullable(Id),
  amount_authorized_minor: Money,
  amount_captured_minor: Money,
  amount_refunded_minor: Money,
  amount_refund_pending_minor: Money,
  authorization_expires_at: nullable(Word),
  expired: Type.Boolean(),
  cancellation_reason: nullable(Word),
  disputed: Type.Boolean(),
  last_error: nullable(Type.Record(Word, Type.Unknown())),
  metadata: Type.Record(Word, Word),
  version: Type.Integer(),
  created_at: Word,
})
export type IntentRow = Static<typeof IntentRow>

export const OperationRow = Type.Object({
  tenant_id: Id,
  id: Id,
  intent_id: nullable(Id),
  principal_id: nullable(Id),
  type: oneOf(...operation_types),
  state: oneOf(...operation_states),
  provider_operation_id: nullable(Word),
  amount_minor: Money,
  payment_method: nullable(Word),
  payment_method_id: nullable(Id),
  customer_id: nullable(Id),
  save: Type.Boolean(),
  off_session: Type.Boolean(),
  return_url: nullable(Word),
  reason: nullable(Word),
  release_wanted: nullable(Word),
  error_code: nullable(Word),
  attempt_count: Type.Integer(),
  /** Seconds since the operation was first sent. */
  sent_age: nullable(Type.Number()),
  /** Seconds since its outcome came into doubt. */
  doubt_age: nullable(Type.Number()),
  created_at: Word,
  resolved_at: nullable(Word),
})
export type OperationRow = Static<typeof OperationRow>

export const intentColumns = sql`
  i.tenant_id, i.id, i.order_ref, i.amount_minor, i.currency, i.state, i.provider,
  i.provider_handle, i.charge_ref, i.managed, i.request_id, i.customer_id, i.amount_authorized_minor,
  i.amount_captured_minor, i.amount_refunded_minor, i.amount_refund_pending_minor, i.authorization_expires_at,
  coalesce(i.authorization_expires_at <= kernel.now(), false) as expired,
  i.cancellation_reason, i.disputed, i.last_error, i.metadata, i.version, i.created_at`

/** Members of the row that are no columns, for a list. */
export const intentExpressions = {
  expired: sql`coalesce(t.authorization_expires_at <= kernel.now(), false)`,
}

export const operationColumns = sql`
  o.tenant_id, o.id, o.intent_id, o.principal_id, o.type, o.state, o.provider_operation_id,
  o.amount_minor, o.payment_method, o.payment_method_id, o.customer_id, o.save, o.off_session,
  o.return_url, o.reason, o.release_wanted, o.error_code,
  o.attempt_count,
  extract(epoch from now() - o.sent_at)::float8 as sent_age,
  extract(epoch from now() - o.doubt_since)::float8 as doubt_age,
  o.created_at, o.resolved_at`

export type IntentKey = { readonly tenant_id: string; readonly id: string }

export function findIntent(reader: Reader, { tenant_id, id }: IntentKey) {
  return reader.maybe(
    IntentRow,
    sql`
      select ${intentColumns} from payments.payment_intents i
      where i.tenant_id = ${tenant_id} and i.id = ${id}`,
  )
}

export function lockIntent(tx: Tx, { tenant_id, id }: IntentKey) {
  return tx.maybe(
    IntentRow,
    sql`
      select ${intentColumns} from payments.payment_intents i
      where i.tenant_id = ${tenant_id} and i.id = ${id} for update`,
  )
}

/** Finds the operation by its own id. This id is unique on the platform. */
export function findOperation(reader: Reader, id: string) {
  return reader.maybe(
    OperationRow,
    sql`
      -- any tenant: the operation's own id
      select ${operationColumns} from payments.payment_operations o where o.id = ${id}`,
  )
}

/** The payment of an operation. */
export function findIntentOf(reader: Reader, operation_id: string) {
  return reader.maybe(
    IntentRow,
    sql`
      -- any tenant: the operation's own id
      select ${intentColumns} from payments.payment_operations o
      join payments.payment_intents i on i.tenant_id = o.tenant_id and i.id = o.intent_id
      where o.id = ${operation_id}`,
  )
}

/**
 * The operations that can still move an authorization: at most one open operation, and perhaps one
 * that waits for the buyer. The open one is locked first, because the resolver holds it already
 * when it comes here.
 */
export function lockOpenOperations(tx: Tx, { tenant_id, id }: IntentKey) {
  return tx.many(
    OperationRow,
    sql`
      select ${operationColumns} from payments.payment_operations o
      where o.tenant_id = ${tenant_id} and o.intent_id = ${id}
        and o.type in ('authorize', 'capture', 'cancel')
        and o.state in ('created', 'pending_provider', 'requires_action')
      order by o.state = 'requires_action', o.id for update`,
  )
}
