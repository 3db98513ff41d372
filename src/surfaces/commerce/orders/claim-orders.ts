/**
 * Moves orders of guests to the person who has proven their address. Only orders of accounts that are
 * anonymous now are moved, so an order never leaves a person. A pending order stays, because its
 * checkout is not over. The keys of the requests go, so that they cannot meet keys of the person.
 */
import { Type } from 'typebox'
import { Id, sql, type Principal, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { announceOrder, OrderRow, orderColumns } from './order-row.ts'

const Found = Type.Object({ id: Id, buyer_id: Id, email: Type.String() })
const Moved = Type.Object({ ...OrderRow.properties, guest_id: Id })

/** The most orders of one call. */
const portion = 200

export const ClaimedOrders = Type.Object(
  { order_ids: Type.Array(Id), more: Type.Boolean() },
  { title: 'ClaimedOrders' },
)

export async function claimOrders(
  tx: Tx,
  { people, messages }: Pick<Deps, 'people' | 'messages'>,
  { id: principal_id, tenant_id }: Principal,
) {
  const [person] = await people.recipients(tx, [{ tenant_id, principal_id }])
  const proven = person?.address && messages.readEmail(person.address)
  if (!person || !proven) throw problem('proven_address_required')
  const found = await tx.many(
    Found,
    sql`
      select o.id, o.buyer_id, o.email from commerce.orders o
      where o.tenant_id = ${tenant_id} and o.guest and o.state <> 'pending'
        and o.buyer_id <> ${person.id}
        and kernel.plain(o.email) collate "C" = kernel.plain(${proven.address}) collate "C"
      order by o.id limit ${portion}`,
  )
  const guests = await people.recipients(
    tx,
    found.map(({ buyer_id }) => ({ tenant_id, principal_id: buyer_id })),
  )
  const anonymous = new Set(guests.filter(one => one.address === null).map(one => one.id))
  const ids = found
    // The index compares without accents.
    .filter(({ email }) => messages.readEmail(email)?.normalized === proven.normalized)
    .filter(({ buyer_id }) => anonymous.has(buyer_id))
    .map(one => one.id)
  const moved = ids.length === 0 ? [] : await move(tx, tenant_id, person.id, ids)
  for (const { guest_id: previous_buyer_id, ...order } of moved) {
    announceOrder(tx, order, 'order.claimed', { previous_buyer_id })
  }
  const more = found.length === portion && moved.length > 0
  return { order_ids: moved.map(one => one.id).toSorted(), more }
}

function move(tx: Tx, tenant_id: string, buyer_id: string, ids: readonly string[]) {
  return tx.many(
    Moved,
    sql`
      with old as (
        select o.id, o.buyer_id, o.cart_id from commerce.orders o
        where o.tenant_id = ${tenant_id} and o.id = any(${ids}::uuid[])
          and o.guest and not o.buyer_erased and o.state <> 'pending'
        order by o.id for update
      ), returns as (
        update commerce.returns r set buyer_id = ${buyer_id}, idempotency_key = null
        from old where r.tenant_id = ${tenant_id} and r.order_id = old.id
      ), carts as (
        update commerce.carts c set shipping_address = null
        from old where c.tenant_id = ${tenant_id} and c.owner_id = old.buyer_id
          and c.id = old.cart_id and c.order_id = old.id
      )
      update commerce.orders o
      set buyer_id = ${buyer_id}, guest = false, idempotency_key = null, version = o.version + 1
      from old where o.tenant_id = ${tenant_id} and o.id = old.id
      returning ${orderColumns}, old.buyer_id as guest_id`,
  )
}
