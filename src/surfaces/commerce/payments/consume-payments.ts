/**
 * Consumes events of payments. An event about one of our operations makes that operation due. Then
 * its state is read from payments and applied in the usual way, so a repeated or late event changes
 * nothing. Other events (an authorization that expired, a capture at the provider, a refund made in
 * payments, a refund that the bank returned) are matched by the payment.
 */
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { dueNow, Id, isId, nullable, sql } from '#dodeca/kernel'
import type { Consumer, LoggedEvent, Tx } from '#dodeca/kernel'
import { operations_name } from '../deps.ts'
import { lockOrder, setPayment, type OrderRow } from '../orders/order-row.ts'
import { bounceRefund } from '../returns/end-refund.ts'
import { addRefunded } from './apply-refund.ts'

const Payload = Type.Object({
  intent_id: nullable(Id),
  operation_id: nullable(Id),
  order_ref: nullable(Type.String()),
  amount_minor: Type.Integer(),
})
const OrderId = Type.Object({ id: Id })
const OwnRefund = Type.Object({
  type: Type.String(),
  state: Type.String(),
  amount_minor: Type.Integer(),
})

export const paymentsConsumer: Consumer = {
  name: 'commerce.payments',
  events: [
    'payment.authorized',
    'payment.declined',
    'payment.action_required',
    'payment.deferred',
    'payment.captured',
    'payment.capture_failed',
    'payment.released',
    'refund.succeeded',
    'refund.failed',
  ],
  run: (tx, event) => consume(tx, [event]),
  runAll: consume,
  portion: 50,
}

async function consume(tx: Tx, events: readonly LoggedEvent[]): Promise<void> {
  const known = events.flatMap(({ tenant_id, type, payload }) => {
    if (!Value.Check(Payload, payload)) throw new Error('not an event of a payment')
    const { intent_id, order_ref } = payload
    // The payment of an order names it. Other payments may name anything.
    const order_id = order_ref !== null && isId(order_ref) ? order_ref : null
    return intent_id === null ? [] : [{ ...payload, tenant_id, type, intent_id, order_id }]
  })
  await lookAgain(tx, known)
  for (const one of known) {
    if (one.type === 'payment.released') await applyLapse(tx, one.tenant_id, one.intent_id)
    if (one.type === 'payment.captured') await applyForeignCapture(tx, one.tenant_id, one)
    if (!one.type.startsWith('refund.') || one.operation_id === null) continue
    await applyForeignRefund(tx, one.tenant_id, one.type, one)
  }
}

type Changed = Pick<Static<typeof Payload>, 'operation_id'> & {
  readonly tenant_id: string
  readonly order_id: string | null
}

export async function lookAgain(tx: Tx, changed: readonly Changed[]): Promise<void> {
  if (changed.length === 0) return
  const columns = { tenant_id: 'uuid', order_id: 'uuid', operation_id: 'uuid' }
  const made_due = await tx.run(sql`
    with named as materialized (
      select p.tenant_id, p.id
      from ${sql.table(changed, columns)} c
      join commerce.payment_operations p on p.tenant_id = c.tenant_id and p.id = c.operation_id
      where p.state in ('requested', 'pending')
      union
      select p.tenant_id, p.id
      from ${sql.table(changed, columns)} c
      join commerce.payment_operations p
        on p.tenant_id = c.tenant_id and p.order_id = c.order_id
      where p.state = 'pending'
    ), locked as materialized (
      select p.tenant_id, p.id
      from named n
      join commerce.payment_operations p on p.tenant_id = n.tenant_id and p.id = n.id
      where p.state in ('requested', 'pending')
      order by p.tenant_id, p.id for no key update of p
    )
    update commerce.payment_operations p set ${dueNow()}
    from locked l
    where p.tenant_id = l.tenant_id and p.id = l.id`)
  if (made_due > 0) tx.wake(operations_name)
}

/** The authorization expired, so its order can no longer be shipped. */
async function applyLapse(tx: Tx, tenant_id: string, intent_id: string): Promise<void> {
  const order = await orderOf(tx, tenant_id, intent_id)
  if (order?.payment_state === 'authorized') await setPayment(tx, order, 'released')
}

/**
 * The whole payment was captured outside of the platform. A capture of our own finds that out by
 * itself. After a capture of a part, the order stays as it is: it can only be cancelled, which
 * refunds the part.
 */
async function applyForeignCapture(
  tx: Tx,
  tenant_id: string,
  { intent_id, amount_minor }: { readonly intent_id: string; readonly amount_minor: number },
): Promise<void> {
  const order = await orderOf(tx, tenant_id, intent_id)
  if (order?.state !== 'confirmed' || order.payment_state !== 'authorized') return
  if (amount_minor !== order.total_minor) return
  const own = await tx.maybe(
    OrderId,
    sql`
      select id from commerce.payment_operations
      where tenant_id = ${tenant_id} and order_id = ${order.id} and type = 'capture'
        and state <> 'failed'`,
  )
  if (own) return
  const captured = sql`amount_captured_minor = ${amount_minor}, payment_error = null`
  await setPayment(tx, order, 'captured', captured)
}

async function applyForeignRefund(
  tx: Tx,
  tenant_id: string,
  type: string,
  { intent_id, operation_id, amount_minor }: Static<typeof Payload>,
): Promise<void> {
  const own = await tx.maybe(
    OwnRefund,
    sql`
      select type, state, amount_minor from commerce.payment_operations
      where tenant_id = ${tenant_id} and id = ${operation_id}`,
  )
  const bounced = own?.state === 'succeeded' && type === 'refund.failed'
  if (bounced && own.type === 'void') await failRelease(tx, tenant_id, operation_id ?? '')
  const order = await orderOf(tx, tenant_id, intent_id ?? '')
  if (!order) return
  if (!own) return await applyOtherRefund(tx, order, type, { id: operation_id ?? '', amount_minor })
  if (!bounced) return
  // The bank returned the refund after it had succeeded.
  if (own.type === 'void') return void (await setPayment(tx, order, 'captured'))
  await addRefunded(tx, order, -own.amount_minor)
  await bounceRefund(tx, order, operation_id ?? '')
}

/** A refund that was made in payments. It is noted, in case that the bank returns it later. */
async function applyOtherRefund(
  tx: Tx,
  order: OrderRow,
  type: string,
  { id, amount_minor }: { readonly id: string; readonly amount_minor: number },
): Promise<void> {
  const { tenant_id, id: order_id } = order
  if (type === 'refund.succeeded') {
    // The order does not know of a capture of a part that was made outside of the platform.
    if (order.amount_captured_minor === 0 && !(await isCapturing(tx, order))) return
    await tx.run(sql`
      insert into commerce.refunds (tenant_id, id, order_id, amount_minor, state)
      values (${tenant_id}, ${id}, ${order_id}, ${amount_minor}, 'succeeded')`)
    return void (await addRefunded(tx, order, amount_minor))
  }
  const returned = await tx.run(sql`
    update commerce.refunds set state = 'failed'
    where tenant_id = ${tenant_id} and id = ${id} and state = 'succeeded'`)
  if (returned === 1) await addRefunded(tx, order, -amount_minor)
}

/** So that the order can be cancelled once more. */
async function failRelease(tx: Tx, tenant_id: string, id: string): Promise<void> {
  await tx.run(sql`
    update commerce.payment_operations set state = 'failed'
    where tenant_id = ${tenant_id} and id = ${id} and type = 'void' and state = 'succeeded'`)
}

async function isCapturing(tx: Tx, { tenant_id, id }: OrderRow): Promise<boolean> {
  const open = await tx.run(sql`
    select from commerce.payment_operations
    where tenant_id = ${tenant_id} and order_id = ${id} and type = 'capture'
      and state in ('requested', 'pending')`)
  return open > 0
}

async function orderOf(tx: Tx, tenant_id: string, intent_id: string) {
  const found = await tx.maybe(
    OrderId,
    sql`
      select id from commerce.orders
      where tenant_id = ${tenant_id} and intent_id = ${intent_id}`,
  )
  return found && (await lockOrder(tx, { tenant_id, id: found.id }))
}
