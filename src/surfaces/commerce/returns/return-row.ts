/** The row of a return, its view, and the only function that changes its state. */
import { type Static, Type } from 'typebox'
import { Amount, Id, nullable, oneOf, sql, Version } from '#dodeca/kernel'
import type { Reader, Sql, Tx } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { findOrder, lockOrder, type OrderRow } from '../orders/order-row.ts'
import type { Key } from '../schemas.ts'
import { return_states, type Return } from './schemas.ts'

export const ReturnRow = Type.Object({
  tenant_id: Id,
  id: Id,
  order_id: Id,
  buyer_id: Id,
  state: oneOf(...return_states),
  refund_shipping: oneOf('none', 'full'),
  restocking_fee_minor: Amount,
  refund_minor: nullable(Amount),
  version: Version,
})
export type ReturnRow = Static<typeof ReturnRow>
export type ReturnState = ReturnRow['state']

export const returnColumns = sql`r.tenant_id, r.id, r.order_id, r.buyer_id, r.state,
  r.refund_shipping, r.restocking_fee_minor, r.refund_minor, r.version`

export async function findReturn(reader: Reader, { tenant_id, id }: Key): Promise<ReturnRow> {
  const found = await reader.maybe(
    ReturnRow,
    sql`
      select ${returnColumns} from commerce.returns r
      where r.tenant_id = ${tenant_id} and r.id = ${id}`,
  )
  if (!found) throw problem('return_not_found')
  return found
}

/**
 * Both are locked under the lock of the order, so that shipping, returning and refunding run one
 * after the other.
 */
export async function lockReturn(
  tx: Tx,
  key: Key,
): Promise<{ readonly order: OrderRow; readonly found: ReturnRow }> {
  const { tenant_id, order_id } = await findReturn(tx, key)
  const order = await lockOrder(tx, { tenant_id, id: order_id })
  if (!order) throw problem('return_not_found')
  return { order, found: await findReturn(tx, key) }
}

export async function moveReturn(
  tx: Tx,
  { tenant_id, id }: Key,
  from: readonly ReturnState[],
  to: ReturnState,
  set?: Sql,
): Promise<ReturnRow> {
  const also = set ? sql`, ${set}` : sql.empty
  const moved = await tx.maybe(
    ReturnRow,
    sql`
      update commerce.returns r
      set state = ${to}, version = r.version + 1 ${also}
      where r.tenant_id = ${tenant_id} and r.id = ${id} and r.state = any(${[...from]})
      returning ${returnColumns}`,
  )
  if (moved) return moved
  const { state } = await findReturn(tx, { tenant_id, id })
  throw problem('invalid_transition', {
    current_state: state,
    detail: `A return that is ${state} cannot become ${to}.`,
  })
}

const View = Type.Object({ view: Type.Unsafe<Return>({ type: 'object' }) })

export async function showReturn(reader: Reader, { tenant_id, id }: Key): Promise<Return> {
  const { view } = await reader.one(
    View,
    sql`
      select commerce.return_view(r.tenant_id, r.id) as view from commerce.returns r
      where r.tenant_id = ${tenant_id} and r.id = ${id}`,
  )
  return view
}

export async function announceReturn(
  tx: Tx,
  type: string,
  { tenant_id, id, order_id, buyer_id, version, refund_minor }: ReturnRow,
  order?: OrderRow,
): Promise<void> {
  const of = order ?? (await findOrder(tx, { tenant_id, id: order_id }))
  tx.emit({
    type,
    tenant_id,
    aggregate_type: 'return',
    aggregate_id: id,
    aggregate_version: version,
    data: {
      return_id: id,
      order_id,
      buyer_id,
      number: of?.number ?? null,
      total_minor: of?.total_minor ?? 0,
      currency: of?.currency ?? '',
      refund_minor,
    },
  })
}
