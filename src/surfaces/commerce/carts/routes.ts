/**
 * Routes of carts. Owners see and change only their own carts; other carts do not exist for them.
 */
import { Type } from 'typebox'
import { Id, newId, page, reply, routesOf, sql, viewTag, type Headers } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import type { CartKey } from '../pricing/load-facts.ts'
import { requireCurrency } from '../prices/add-price.ts'
import { Sku } from '../schemas.ts'
import { changeCart } from './change-cart.ts'
import { deleteCart } from './delete-cart.ts'
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

const { open, create, list, get, put, del } = routesOf<Deps>({
  permission: 'authenticated',
  rate_tenant: false,
  absent,
})

export const cartRoutes = open({
  openCart: create(
    path,
    'Open a cart',
    {
      description: 'If you send an `id` and the cart exists, it is returned unchanged.',
      added: true,
      body: OpenCart,
      replies: { 200: Cart, 201: Cart },
      fails: ['cart_not_found', 'currency_unsupported', 'quota_exceeded'],
    },
    async ({ tx, principal, body: { currency, id = newId() } }, deps) => {
      requireCurrency(currency)
      const key = keyOf(principal, id)
      const made = await openCart(tx, deps, key, currency)
      const { cart } = await showCart(tx, deps, key)
      const tag = tagOf(cart)
      if (!made) return reply(200, cart, tag)
      return reply(201, cart, { ...tag, location: `${path}/${id}` })
    },
  ),

  listCarts: list(
    path,
    'List your carts, newest first',
    { added: true, item: CartSummary },
    async ({ tx, principal: { id, tenant_id }, list }) => {
      // The buyer chooses the ids, so they do not sort by time. An owner has few carts, which are
      // sorted in memory.
      return await page(tx, {
        scope: list,
        row: CartRow,
        place: ['created_us', 'id'],
        view: ({ created_us: _at, ...cart }) => cart,
        fetch: (after, n) => sql`
          select id, state, currency, order_id, version, created_at, updated_at,
            (extract(epoch from created_at) * 1000000)::bigint as created_us
          from commerce.carts
          where tenant_id = ${tenant_id} and owner_id = ${id} and deleted_at is null
            and (${after.id}::uuid is null or (created_at, id) < (
              timestamptz 'epoch' + ${after.created_us}::bigint * interval '1 microsecond',
              ${after.id}::uuid))
          order by created_at desc, id desc limit ${n}`,
      })
    },
  ),

  setCartItem: put(
    item,
    'Set the quantity of a SKU in a cart',
    {
      sends: ['etag', 'location'],
      description:
        'If there is no cart with this UUID, it is created in the currency of the shop. A quantity of 0 removes the SKU.',
      params: { cart_id: Id, sku: Sku },
      absent: 'validation_failed',
      body: SetItem,
      replies: { 200: Cart, 201: Cart },
      fails: [
        'sku_not_found',
        'cart_not_found',
        'cart_not_open',
        'quantity_limit',
        'variant_not_purchasable',
        'cart_line_limit',
        'quota_exceeded',
      ],
    },
    async ({ tx, principal, params: { cart_id, sku }, body: { quantity } }, deps) => {
      const key = keyOf(principal, cart_id)
      const { cart, made } = await setItem(tx, deps, key, sku, quantity)
      const tag = tagOf(cart)
      if (!made) return reply(200, cart, tag)
      return reply(201, cart, { ...tag, location: `${path}/${cart_id}` })
    },
  ),

  changeCart: put(
    one,
    'Set the address, shipping method, currency, codes and language of a cart',
    (deps: Deps) => ({
      description:
        'Properties that you leave out do not change. Totals are calculated again at each read.',
      added: true,
      body: ChangeCart,
      inspectBody: body => deps.payments.refuseCardData(body),
      reply: Cart,
      fails: [
        'cart_not_open',
        'price_unavailable',
        'variant_not_purchasable',
        'currency_unsupported',
        'shipping_method_unavailable',
        'rate_limited',
        'precondition_failed',
        'card_data_refused',
      ],
    }),
    async ({ tx, principal, params: { cart_id }, body, request: { headers } }, deps) => {
      const key = keyOf(principal, cart_id)
      const cart = await changeCart(tx, deps, key, body, headers['if-match'])
      return reply(200, cart, tagOf(cart))
    },
  ),

  getCart: get(
    one,
    'Get a cart with its current totals',
    { tool: 'read', reply: Cart },
    async ({ tx, principal, params: { cart_id } }, deps) => {
      const { cart } = await showCart(tx, deps, keyOf(principal, cart_id))
      return reply(200, cart, tagOf(cart))
    },
  ),

  deleteCart: del(
    one,
    'Delete a cart that no order holds',
    { added: true, fails: ['cart_not_open'] },
    async ({ tx, principal, params: { cart_id } }, deps) =>
      await deleteCart(tx, deps, keyOf(principal, cart_id)),
  ),
})
