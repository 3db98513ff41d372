/** Operations that commerce requests from payments: rows in a queue, committed before the call. */
import { type Static, Type } from 'typebox'
import { Amount, Id, newId, nullable, oneOf, sql, type Reader, type Tx } from '#dodeca/kernel'
import { operations_name } from '../deps.ts'
import { OrderRow, orderColumns, setPayment } from '../orders/order-row.ts'
import type { Key } from '../schemas.ts'

const Operation = Type.Object({
  tenant_id: Id,
  id: Id,
  order_id: Id,
  type: oneOf('authorize', 'capture', 'void', 'refund'),
  amount_minor: Amount,
  state: oneOf('requested', 'pending', 'succeeded', 'failed'),
})
export type Operation = Static<typeof Operation>

export const OperationRow = Type.Object({
  ...Operation.properties,
  payment_method: nullable(Type.String()),
  save_method: Type.Boolean(),
  return_url: nullable(Type.String()),
  reason: nullable(Type.String()),
  currency: Type.String(),
  buyer_id: Id,
  intent_id: nullable(Id),
  payment_account: nullable(Type.String()),
  authorize_operation_id: nullable(Id),
})
export type OperationRow = Static<typeof OperationRow>

/** With the order's data about its payment. */
export async function findOperation(reader: Reader, id: string): Promise<OperationRow | undefined> {
  return await reader.maybe(
    OperationRow,
    sql`
      -- any tenant: the operation's own id
      select p.tenant_id, p.id, p.order_id, p.type, p.amount_minor, p.state, p.payment_method,
        p.save_method, p.return_url, p.reason, o.currency, o.buyer_id, o.intent_id,
        o.payment_account, o.authorize_operation_id
      from commerce.payment_operations p
      join commerce.orders o on o.tenant_id = p.tenant_id and o.id = p.order_id
      where p.id = ${id}`,
  )
}

/**
 * An operation and its order. Every writer locks them in this order, because the queue holds the
 * row of the operation when it finishes.
 */
export async function lockOperation(
  tx: Tx,
  id: string,
): Promise<{ readonly operation: Operation; readonly order: OrderRow } | undefined> {
  const [operation, order] = await Promise.all([
    tx.maybe(
      Operation,
      sql`
        -- any tenant: the operation's own id
        select tenant_id, id, order_id, type, amount_minor, state
        from commerce.payment_operations where id = ${id} for no key update`,
    ),
    tx.maybe(
      OrderRow,
      sql`
        select ${orderColumns}
        from commerce.payment_operations p
        join commerce.orders o on o.tenant_id = p.tenant_id and o.id = p.order_id
        where p.id = ${id} for update of o`,
    ),
  ])
  return operation && order && { operation, order }
}

export function isOpen({ state }: Pick<Operation, 'state'>): boolean {
  return state === 'requested' || state === 'pending'
}

export type NewOperation = {
  readonly tenant_id: string
  readonly id: string
  readonly order_id: string
  readonly type: Operation['type']
  readonly amount_minor: number
  readonly reason?: string
  /** If a request is about to make the call itself, the queue waits for this time. */
  readonly after_seconds?: number
}

/** Returns false if the order has an operation of this type that is running or has succeeded. */
export async function requestOperation(tx: Tx, given: NewOperation): Promise<boolean> {
  const { tenant_id, id, order_id, type, amount_minor, reason = null, after_seconds = 0 } = given
  const made = await tx.run(sql`
    insert into commerce.payment_operations (
      tenant_id, id, order_id, type, amount_minor, reason, due_at)
    values (
      ${tenant_id}, ${id}, ${order_id}, ${type}, ${amount_minor}, ${reason},
      kernel.now() + make_interval(secs => ${after_seconds}))
    on conflict do nothing`)
  if (made === 1 && after_seconds === 0) tx.wake(operations_name)
  return made === 1
}

/** Ends an open operation, or records that its outcome is awaited. The row must be locked. */
export async function settleOperation(
  tx: Tx,
  { tenant_id, id }: Key,
  state: 'pending' | 'succeeded' | 'failed',
  result: unknown,
): Promise<void> {
  await tx.run(sql`
    update commerce.payment_operations
    set state = ${state}, result = ${sql.json(result)}::jsonb,
      due_at = case when ${state} = 'pending' then due_at end,
      payment_method = case when ${state} = 'pending' then payment_method end,
      return_url = case when ${state} = 'pending' then return_url end
    where tenant_id = ${tenant_id} and id = ${id} and state in ('requested', 'pending')`)
}

/**
 * Releases or refunds the payment of an order that ended. The operation is stored with the end of
 * the order, and the queue carries it out.
 */
export async function requestVoid(
  tx: Tx,
  order: OrderRow,
  reason: 'order_expired' | 'order_cancelled',
  after_seconds = 0,
): Promise<void> {
  if (order.authorize_operation_id === null) return
  const { tenant_id, id: order_id, total_minor: amount_minor } = order
  const wanted = { tenant_id, id: newId(), order_id, type: 'void', amount_minor, reason } as const
  if (!(await requestOperation(tx, { ...wanted, after_seconds }))) return
  await setPayment(tx, order, 'releasing', sql`payment_error = null`)
}
