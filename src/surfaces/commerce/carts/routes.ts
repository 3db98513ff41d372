/**
 * Routes of carts. Owners see and change only their own carts; other carts do not exist for them.
 */
import { Type } from 'typebox'
import { sql } from '../../../kernel/database/sql.ts'
import { viewTag } from '../../../kernel/http/etag.ts'
import { page as pageOf } from '../../../kernel/http/page.ts'
import { reply, route, type Headers, type Route } from '../../../kernel/http/route.ts'
import { Id, page, pageQuery } from '../../../kernel/http/shapes.ts'
import { newId } from '../../../kernel/ids.ts'
import type { Deps } from '../deps.ts'
import type { CartKey } from '../pricing/load-facts.ts'
import { requireCurrency } from '../prices/add-price.ts'
import { Sku } from '../schemas.ts'
import { changeCart } from './change-cart.ts'
import { openCart } from './open-cart.ts'
import { Cart, CartSummary, ChangeCart, OpenCart, SetItem } from './schemas.ts'
import { setItem } from './set-item.ts'
import { showCart } from './show-cart.ts'

const path = '/v1/carts'
const one = `${path}/{cart_id}` as const
const item = `${one}/items/{sku}` as const
const absent = 'cart_not_found'

const CartRow = Type.Object({ ...CartSummary.properties, created_us: Type.Integer() })
type Owner = { readonly id: string; readonly tenant_id: string }

function keyOf({ id: owner_id, tenant_id }: Owner, cart_id: string): CartKey {
  return { tenant_id, owner_id, id: cart_id }
}

/** Prices, stock and rules change what is shown of a cart without a change of the cart. */
function tagOf(cart: Cart): Headers {
  return { etag: viewTag(cart.version, cart) }
}

export function cartRoutes(deps: Deps): readonly Route[] {
  return [openRoute(deps), listRoute(), setRoute(deps), changeRoute(deps), getRoute(deps)]
}

function openRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path,
    name: 'openCart',
    summary: 'Open a cart',
    description: 'If you send an `id` and the cart exists, it is returned unchanged.',
    permission: 'authenticated',
    rate_tenant: false,
    added: true,
    body: OpenCart,
    sends: ['etag', 'location'],
    replies: { 200: Cart, 201: Cart },
    fails: ['currency_unsupported', 'quota_exceeded'],
    handle: async ({ tx, principal, body: { currency, id = newId() } }) => {
      requireCurrency(currency)
      const key = keyOf(principal, id)
      const made = await openCart(tx, deps, key, currency)
      const { cart } = await showCart(tx, deps, key)
      const tag = tagOf(cart)
      if (!made) return reply(200, cart, tag)
      return reply(201, cart, { ...tag, location: `${path}/${id}` })
    },
  })
}

function listRoute(): Route {
  return route({
    method: 'GET',
    path,
    name: 'listCarts',
    summary: 'List your carts, newest first',
    permission: 'authenticated',
    rate_tenant: false,
    added: true,
    query: pageQuery({}),
    replies: { 200: page(CartSummary) },
    handle: async ({ tx, principal: { id, tenant_id }, list }) => {
      // The buyer chooses the ids, so they do not sort by time. An owner has few carts, which are
      // sorted in memory.
      const { body, headers } = await pageOf(tx, {
        scope: list,
        row: CartRow,
        place: ['created_us', 'id'],
        view: ({ created_us: _at, ...cart }) => cart,
        fetch: (after, n) => sql`
          select id, state, currency, order_id, version, created_at, updated_at,
            (extract(epoch from created_at) * 1000000)::bigint as created_us
          from commerce.carts
          where tenant_id = ${tenant_id} and owner_id = ${id}
            and (${after.id}::uuid is null or (created_at, id) < (
              timestamptz 'epoch' + ${after.created_us}::bigint * interval '1 microsecond',
              ${after.id}::uuid))
          order by created_at desc, id desc limit ${n}`,
      })
      return reply(200, body, headers)
    },
  })
}

function setRoute(deps: Deps): Route {
  return route({
    method: 'PUT',
    path: item,
    name: 'setCartItem',
    summary: 'Set the quantity of a SKU in a cart',
    description:
      'If there is no cart with this UUID, it is created in the currency of the shop. A quantity of 0 removes the SKU.',
    permission: 'authenticated',
    rate_tenant: false,
    params: { cart_id: Id, sku: Sku },
    absent: 'validation_failed',
    body: SetItem,
    sends: ['etag', 'location'],
    replies: { 200: Cart, 201: Cart },
    fails: [
      'sku_not_found',
      'cart_not_open',
      'quantity_limit',
      'variant_not_purchasable',
      'cart_line_limit',
      'quota_exceeded',
    ],
    handle: async ({ tx, principal, params: { cart_id, sku }, body: { quantity } }) => {
      const key = keyOf(principal, cart_id)
      const { cart, made } = await setItem(tx, deps, key, sku, quantity)
      const tag = tagOf(cart)
      if (!made) return reply(200, cart, tag)
      return reply(201, cart, { ...tag, location: `${path}/${cart_id}` })
    },
  })
}

function changeRoute(deps: Deps): Route {
  return route({
    method: 'PUT',
    path: one,
    name: 'changeCart',
    summary: 'Set the address, shipping method, currency and codes of a cart',
    description:
      'Properties that you leave out do not change. Totals are calculated again at each read.',
    permission: 'authenticated',
    rate_tenant: false,
    added: true,
    absent,
    body: ChangeCart,
    inspectBody: body => deps.payments.refuseCardData(body),
    sends: ['etag'],
    replies: { 200: Cart },
    fails: [
      absent,
      'cart_not_open',
      'price_unavailable',
      'variant_not_purchasable',
      'currency_unsupported',
      'shipping_method_unavailable',
      'rate_limited',
      'precondition_failed',
      'card_data_refused',
    ],
    handle: async ({ tx, principal, params: { cart_id }, body, request: { headers } }) => {
      const key = keyOf(principal, cart_id)
      const cart = await changeCart(tx, deps, key, body, headers['if-match'])
      return reply(200, cart, tagOf(cart))
    },
  })
}

function getRoute(deps: Deps): Route {
  return route({
    method: 'GET',
    path: one,
    name: 'getCart',
    summary: 'Get a cart with its current totals',
    permission: 'authenticated',
    rate_tenant: false,
    absent,
    sends: ['etag'],
    replies: { 200: Cart },
    fails: [absent],
    handle: async ({ tx, principal, params: { cart_id } }) => {
      const { cart } = await showCart(tx, deps, keyOf(principal, cart_id))
      return reply(200, cart, tagOf(cart))
    },
  })
}
