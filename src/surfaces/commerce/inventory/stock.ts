/** Calls the stock functions of the schema: reserve, release, ship, adjust. */
import { type Static, Type } from 'typebox'
import { newId, sql, type Tx } from '#dodeca/kernel'
import type { Key } from '../schemas.ts'

const Missing = Type.Object({
  sku: Type.String(),
  requested: Type.Integer(),
  available: Type.Integer(),
})
export type Missing = Static<typeof Missing>

export type Goods = readonly { readonly sku: string; readonly quantity: number }[]

/**
 * Returns the missing units. If any are missing, the caller must roll back. If none are missing,
 * all units are reserved.
 */
export function reserve(
  tx: Tx,
  order: Key,
  goods: Goods,
  held_seconds: number,
): Promise<readonly Missing[]> {
  return tx.many(
    Missing,
    sql`
      select sku, requested, available from commerce.reserve(
        ${order.tenant_id}, ${order.id}, ${goods.map(() => newId())}::uuid[],
        ${goods.map(one => one.sku)}::text[], ${goods.map(one => one.quantity)}::bigint[],
        kernel.now() + make_interval(secs => ${held_seconds}))`,
  )
}

export async function giveBack(tx: Tx, { tenant_id, id }: Key, state: 'expired' | 'released') {
  await tx.run(sql`select commerce.give_back(${tenant_id}, ${id}, ${state})`)
}

export async function takeOut(tx: Tx, order: Key, cause_id: string, goods: Goods): Promise<void> {
  if (goods.length === 0) return
  await tx.run(sql`
    select commerce.take_out(
      ${order.tenant_id}, ${order.id}, ${cause_id}, ${goods.map(one => one.sku)}::text[],
      ${goods.map(one => one.quantity)}::bigint[])`)
}

export type Adjustment = {
  readonly tenant_id: string
  readonly sku: string
  readonly delta: number
  readonly reason: string
  readonly cause_id: string
  readonly note?: string
}

/** Returns false if on_hand would fall below the reserved units. */
export async function adjust(tx: Tx, given: Adjustment): Promise<boolean> {
  const { tenant_id, sku, delta, reason, cause_id, note = null } = given
  const moved = await tx.run(sql`
    select from commerce.move_stock(
      ${tenant_id}, ${sku}, ${delta}::bigint, 0, ${reason}, ${cause_id}, ${note})`)
  return moved === 1
}
