/**
 * The payment request of a cart. Its attempts are checkouts of the owner, so it keeps what the owner saw
 * and with which session: at each attempt the account, the tenant and the session are asked again.
 */
import { type Static, Type } from 'typebox'
import { Id, nullable, oneOf, sql, type Reader, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import type { CartKey } from '../pricing/load-facts.ts'
import { Address, type Key } from '../schemas.ts'

const CartRequest = Type.Object({
  tenant_id: Id,
  owner_id: Id,
  cart_id: Id,
  request_id: Id,
  cart_version: Type.Integer(),
  pricing_fingerprint: Type.String(),
  owner_kind: oneOf('account', 'service'),
  session_id: nullable(Id),
  guest: Type.Boolean(),
  email: nullable(Type.String()),
  billing_address: nullable(Address),
})
export type CartRequest = Static<typeof CartRequest>

export function findCartRequest(
  reader: Reader,
  { tenant_id, id }: Key,
): Promise<CartRequest | undefined> {
  return reader.maybe(
    CartRequest,
    sql`
      select tenant_id, owner_id, cart_id, request_id, cart_version, pricing_fingerprint,
        owner_kind, session_id, guest, email, billing_address
      from commerce.cart_requests
      where tenant_id = ${tenant_id} and request_id = ${id}`,
  )
}

const Found = Type.Object({ tenant_id: Id, id: Id })

/** The key of the request in payments. */
export function findOfCart(reader: Reader, { tenant_id, owner_id, id }: CartKey) {
  return reader.maybe(
    Found,
    sql`
      select tenant_id, request_id as id from commerce.cart_requests
      where tenant_id = ${tenant_id} and owner_id = ${owner_id} and cart_id = ${id}`,
  )
}

/** A cart has one request: the newer one ends the older one. */
export async function insertCartRequest(tx: Tx, one: CartRequest): Promise<void> {
  const billing_address = one.billing_address && sql.json(one.billing_address)
  await tx.run(sql`
    insert into commerce.cart_requests (
      tenant_id, owner_id, cart_id, request_id, cart_version, pricing_fingerprint, owner_kind,
      session_id, guest, email, billing_address)
    values (
      ${one.tenant_id}, ${one.owner_id}, ${one.cart_id}, ${one.request_id}, ${one.cart_version},
      ${one.pricing_fingerprint}, ${one.owner_kind}, ${one.session_id}, ${one.guest},
      ${one.email}, ${billing_address}::jsonb)`)
}

const Ended = Type.Object({ request_id: Id })

/** The cart is locked and open, so nothing is being paid. */
export async function endRequest(
  tx: Tx,
  { payments }: Pick<Deps, 'payments'>,
  { tenant_id, owner_id, id }: CartKey,
): Promise<void> {
  const ended = await tx.maybe(
    Ended,
    sql`
      delete from commerce.cart_requests
      where tenant_id = ${tenant_id} and owner_id = ${owner_id} and cart_id = ${id}
      returning request_id`,
  )
  if (ended) await payments.requests.cancel(tx, { tenant_id, id: ended.request_id })
}
