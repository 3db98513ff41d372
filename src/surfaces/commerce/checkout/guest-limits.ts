/**
 * What a guest may order. Anyone can make many anonymous accounts, so their pending orders are counted
 * by network; the count is exact, because checkouts of one network of a shop run one after the other.
 * A guest says an address, and an order that costs nothing needs a proven one.
 */
import { Type } from 'typebox'
import { isLoopback, networkOf, nullable, Problem, sql } from '#dodeca/kernel'
import type { Bucket, Principal, Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import type { OrderRow } from '../orders/order-row.ts'
import type { Checkout } from './schemas.ts'

/** A keyed hash of the network; null for this machine in development. */
export type GuestOrigin = { readonly network: Buffer | null }

/** Null if the caller is no guest. A session of an anonymous account always has this word. */
export function guestOrigin(
  deps: Pick<Deps, 'kernel'>,
  { scope, tenant_id }: Principal,
  ip: string,
): GuestOrigin | null {
  return scope?.has('anonymous') ? guestOriginOf(deps, tenant_id, ip) : null
}

export function guestOriginOf(
  { kernel: { keys, settings } }: Pick<Deps, 'kernel'>,
  tenant_id: string,
  ip: string,
): GuestOrigin {
  if (isLoopback(ip) && !settings['kernel.throttle_loopback']) return { network: null }
  return { network: keys.fingerprint('commerce.guest_network', `${tenant_id} ${networkOf(ip)}`) }
}

/** The address of the order as mails are sent to it; null if the account has one and no other was given. */
export function emailOf(
  { messages }: Pick<Deps, 'messages'>,
  { email }: Pick<Checkout, 'email'>,
  guest: GuestOrigin | null,
): string | null {
  if (email === undefined) {
    if (!guest) return null
    throw problem('validation_failed', {
      detail: 'A guest has no address. Say where mails about the order go: email.',
      errors: [{ location: 'body', pointer: '/email', constraint: 'required' }],
    })
  }
  const address = messages.readEmail(email)
  if (address) return address.address
  throw problem('validation_failed', {
    detail: 'This is not an email address. Send one such as ann@example.com.',
    errors: [{ location: 'body', pointer: '/email', constraint: 'email' }],
  })
}

/** Nothing of such an order costs its buyer anything, so it would be ordered again and again. */
export function requireProven(guest: GuestOrigin | null, total_minor: number): void {
  if (!guest || total_minor > 0) return
  throw problem('proven_address_required', {
    detail:
      'The order costs nothing. Prove an address first with POST /v1/email-changes, in this session.',
  })
}

/** Thieves try many stolen cards, each with another anonymous account. */
export async function countDecline(
  tx: Tx,
  { kernel }: Pick<Deps, 'kernel'>,
  { tenant_id, id, guest }: Pick<OrderRow, 'tenant_id' | 'id' | 'guest'>,
): Promise<void> {
  if (!guest) return
  const { guest_network } = await tx.one(
    Network,
    sql`select guest_network from commerce.orders where tenant_id = ${tenant_id} and id = ${id}`,
  )
  if (!guest_network) return
  try {
    await kernel.take(tx, [declinesOf(kernel, guest_network)])
  } catch (error) {
    // None is left already.
    if (!(error instanceof Problem) || error.code !== 'rate_limited') throw error
  }
}

function declinesOf({ settings }: Deps['kernel'], network: Buffer): Bucket {
  const many = settings['commerce.guest_declines_per_hour']
  const of = network.toString('base64')
  return { name: 'commerce.guest_declines', of, many, per_seconds: 3600, exact: true }
}

const Network = Type.Object({ guest_network: nullable(Type.Unsafe<Buffer>({})) })
const Pending = Type.Object({ n: Type.Integer() })

export async function requireFewGuests(
  tx: Tx,
  { kernel }: Pick<Deps, 'kernel'>,
  tenant_id: string,
  guest: GuestOrigin | null,
): Promise<void> {
  if (!guest?.network) return
  const { network } = guest
  const lock = `commerce.guests:${network.toString('base64')}`
  const [, { n }] = await Promise.all([
    tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`),
    tx.one(
      Pending,
      sql`
        select count(*)::int as n from commerce.orders
        where tenant_id = ${tenant_id} and guest_network = ${network} and state = 'pending'`,
    ),
    // Refused if too many cards of the network were declined; the attempt itself does not count.
    kernel.take(tx, [declinesOf(kernel, network)]).then(taken => taken.giveBackWith(tx)),
  ])
  if (n < kernel.settings['commerce.guest_pending_orders']) return
  throw problem('pending_order_limit', {
    detail: `${n} orders of guests of your network wait for their payment. Pay or cancel one first.`,
  })
}
