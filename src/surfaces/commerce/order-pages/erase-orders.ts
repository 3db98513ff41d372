/**
 * Removes what orders say about a person: mail address, addresses, language, notes and keys, also in
 * their carts, and what is kept about their mails. Numbers, goods, sums, taxes and payments stay, because
 * bookkeeping requires them. An order that is not sent yet is not sent any more.
 */
import { Type } from 'typebox'
import { Id, sql, type Sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { lockOrder } from '../orders/order-row.ts'
import type { Key } from '../schemas.ts'

const Erased = Type.Object({ tenant_id: Id, id: Id })
const portion = 200

/** Returns how many orders `t` of the condition were erased: at most a portion. */
export async function eraseOrders(
  tx: Tx,
  { messages }: Pick<Deps, 'messages'>,
  whose: Sql,
): Promise<number> {
  const erased = await tx.many(
    Erased,
    sql`
      -- any tenant: the orders of one person
      with old as (
        select t.tenant_id, t.id, t.buyer_id, t.cart_id from commerce.orders t
        where ${whose} and not t.buyer_erased order by t.tenant_id, t.id
        limit ${portion} for update
      ), carts as (
        update commerce.carts c set shipping_address = null from old
        where c.tenant_id = old.tenant_id and c.owner_id = old.buyer_id and c.id = old.cart_id
          and c.order_id = old.id and c.shipping_address is not null
      ), notes as (
        update commerce.returns r set note = null, idempotency_key = null from old
        where r.tenant_id = old.tenant_id and r.order_id = old.id
          and (r.note is not null or r.idempotency_key is not null)
      )
      update commerce.orders o
      set email = null, bought_by = null, locale = null, shipping_address = null, billing_address = null,
        idempotency_key = null, guest_network = null, buyer_erased = true, version = o.version + 1
      from old where o.tenant_id = old.tenant_id and o.id = old.id
      returning o.tenant_id, o.id`,
  )
  for (const tenant_id of new Set(erased.map(one => one.tenant_id))) {
    const ids = erased.filter(one => one.tenant_id === tenant_id).map(one => one.id)
    await messages.forgetMails(tx, tenant_id, 'order_mail', ids)
  }
  return erased.length
}

const Open = Type.Object({ open: Type.Boolean() })

/** For who reads the mailbox of the order. An order that still needs its address is refused. */
export async function eraseOrder(tx: Tx, deps: Pick<Deps, 'messages'>, key: Key): Promise<void> {
  const { tenant_id, id } = key
  const order = await lockOrder(tx, key)
  if (!order) throw problem('order_not_found')
  const { open } = await tx.one(
    Open,
    sql`
      select exists (
        select from commerce.returns r
        where r.tenant_id = ${tenant_id} and r.order_id = ${id}
          and r.state in ('requested', 'approved', 'received', 'refund_pending', 'refund_failed'))
        as open`,
  )
  if (open || order.state === 'pending' || order.state === 'confirmed') {
    throw problem('order_in_progress', { current_state: order.state })
  }
  await eraseOrders(tx, deps, sql`t.tenant_id = ${tenant_id} and t.id = ${id}`)
  tx.audit('commerce.orders.erase', `order:${id}`, { by: { tenant_id, id: 'system' } })
}
