/** A platform with the payment provider's sandbox beside it, and shops in it with goods, rules and buyers. */
import { expect } from 'vitest'
import type { Member, People, Tenant } from '../../../../test/product-world.ts'
import { eventually, newKey, type Answer } from '../../../../test/world.ts'
import { newId } from '#dodeca/kernel'
import { openPaymentWorld, type PaymentWorld } from '../../payments/test/payment-world.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads members that it then asserts
type Json = any

export type Buyer = Member & {
  ask(method: string, path: string, body?: object, key?: string): Promise<Answer>
  /** A cart with goods, an address and a way to send them. */
  cart(items: Readonly<Record<string, number>>, more?: object): Promise<string>
  checkout(cart_id: string, more?: object, key?: string): Promise<Answer>
  /** An order that is confirmed. */
  order(items: Readonly<Record<string, number>>, more?: object): Promise<Json>
  read(order_id: string): Promise<Json>
  reaches(order_id: string, state: string): Promise<Json>
  /** Waits until what the order shows of its payment is in a state. */
  pays(order_id: string, state: string): Promise<Json>
}

export type Shop = {
  readonly manager: Buyer
  buyer(): Promise<Buyer>
  /** A visitor who says nothing about themselves. */
  guest(): Promise<Buyer>
  /** The same person in another session. */
  as(member: Member): Buyer
  /** A product with one SKU; its price is in EUR. */
  product(more?: Partial<Goods>): Promise<string>
  stock(sku: string): Promise<Json>
  ship(order: Json, quantities?: readonly number[]): Promise<Answer>
  /** Money effects at the provider for an order. */
  money(order_id: string): Promise<string[]>
  /** As an operator of the shop does in the provider's dashboard. */
  captureAtProvider(order: { readonly id: string }, more?: Record<string, string>): Promise<void>
  /** Verified by the shop itself. */
  sound(): Promise<void>
}

type Goods = {
  readonly amount_minor: number
  readonly stock: number
  readonly requires_shipping: boolean
  readonly track_inventory: boolean
  readonly category: string
}

export type ShopWorld = PaymentWorld & {
  shop(settings?: object): Promise<Shop>
}

const permissions = [
  'commerce.products.write',
  'commerce.prices.write',
  'commerce.inventory.read',
  'commerce.inventory.adjust',
  'commerce.settings.write',
  'commerce.orders.read_any',
  'commerce.shipments.write',
  'commerce.audits.read',
  'payments.intents.read',
]
export const address = {
  name: 'Mara Lindqvist',
  line1: 'Lindenstraße 12',
  city: 'Berlin',
  postal_code: '10969',
  country: 'DE',
}
export const usual_settings = {
  default_currency: 'EUR',
  rounding_mode: 'line',
  capture_policy: 'on_first_shipment',
  capture_before_expiry: false,
  return_window_days: 30,
}
export const visa = { payment: { payment_method: 'pm_card_visa' } }

export async function openShopWorld(settings?: Record<string, string>): Promise<ShopWorld> {
  const world = await openPaymentWorld({
    // Longer than a machine full of tests takes: only lost answers leave a payment in doubt.
    COMMERCE_PAYMENT_WAIT_MS: '60000',
    // Where buyers come back to.
    KERNEL_CORS_ORIGINS: 'https://shop.test',
    ...settings,
  })
  return { ...world, shop: more => openShop(world, more) }
}

/** What a shop needs of its platform. */
type Shopping = People & Pick<PaymentWorld, 'control'> & Partial<Pick<PaymentWorld, 'atProvider'>>

export async function openShop(world: Shopping, more: object = {}): Promise<Shop> {
  const manager = buyerOf(world, await world.member())
  await world.allow(manager, ...permissions)
  await world.give(manager, 'refund_operator')
  const put = async (path: string, body: object) => {
    const answer = await manager.ask('PUT', path, body)
    expect(answer.status, answer.text).toBeLessThan(300)
  }
  await put('/v1/commerce/settings', { ...usual_settings, ...more })
  await put('/v1/tax-rules/de', {
    name: 'USt',
    tax_class: 'standard',
    country: 'DE',
    rate_ppm: 190_000,
  })
  await put('/v1/shipping-methods/parcel', {
    name: 'Parcel',
    countries: ['DE'],
    bands: [{ currency: 'EUR', min_subtotal_minor: 0, amount_minor: 500 }],
  })
  return {
    manager,
    buyer: async () => buyerOf(world, await world.member(manager.tenant)),
    guest: async () => buyerOf(world, await visitorOf(world, manager.tenant)),
    as: member => buyerOf(world, member),
    product: given => makeProduct(manager, given),
    stock: async sku => (await manager.ask('GET', `/v1/inventory/${sku}`)).body,
    ship: (order, quantities) =>
      manager.ask('POST', `/v1/orders/${order.id}/shipments`, {
        lines: (order.lines as { id: string; quantity: number }[]).map(({ id, quantity }, at) => ({
          order_line_id: id,
          quantity: quantities?.[at] ?? quantity,
        })),
      }),
    money: order_id => moneyOf(world, manager, order_id),
    captureAtProvider: async ({ id }, more) => {
      const { handle } = await paymentOf(world, manager, id)
      const taken = await world.atProvider?.(`payment_intents/${handle}/capture`, more)
      expect(taken?.status).toBe('succeeded')
    },
    sound: async () => {
      const { body } = await manager.ask('GET', '/v1/commerce/audit')
      expect(body.violations, JSON.stringify(body.checks)).toBe(0)
    },
  }
}

type Effects = { kind: string; object: string; metadata: { intent_id?: string } }[]

/** The effects of all payments, and the provider's object of an order. */
async function paymentOf(world: Shopping, manager: Buyer, order_id: string) {
  const { body } = await manager.ask('GET', `/v1/payment-intents?order_ref=${order_id}`)
  const ids = (body.data as { id: string }[]).map(one => one.id)
  const { data } = await world.control('effects', {}, 'GET')
  const effects = data as Effects
  const handle = effects.find(one => ids.includes(one.metadata.intent_id ?? ''))?.object
  return { effects, handle }
}

async function moneyOf(world: Shopping, manager: Buyer, order_id: string): Promise<string[]> {
  const { effects, handle } = await paymentOf(world, manager, order_id)
  return effects.filter(one => one.object === handle).map(one => one.kind)
}

async function makeProduct(manager: Buyer, given: Partial<Goods> = {}): Promise<string> {
  const sku = `SKU-${newId()}`
  const { amount_minor = 1000, stock = 100, category = 'things', ...variant } = given
  const made = await manager.ask('POST', '/v1/products', {
    handle: sku.toLowerCase(),
    title: 'A thing',
    category,
    state: 'active',
    variants: [{ sku, ...variant, prices: [{ currency: 'EUR', amount_minor }] }],
  })
  expect(made.status, made.text).toBe(201)
  if (stock > 0) {
    const delta = { delta: stock, reason: 'received' }
    const moved = await manager.ask('POST', `/v1/inventory/${sku}/adjustments`, delta)
    expect(moved.status, moved.text).toBe(201)
  }
  return sku
}

async function visitorOf(world: Shopping, tenant: Tenant): Promise<Member> {
  const asked = { anonymous: true, tenant: tenant.slug }
  const { status, text, body } = await world.call('POST', '/v1/sessions', { body: asked })
  expect(status, text).toBe(201)
  const { account_id: id, access_token: token, session_id, refresh_token, device_token } = body
  return { id, token, tenant, session_id, refresh_token, device_token, email: '', password: '' }
}

function buyerOf(world: Shopping, member: Member): Buyer {
  const ask: Buyer['ask'] = (method, path, body, key) =>
    world.call(method, path, {
      token: member.token,
      ...(method === 'POST' ? { key: key ?? newKey() } : {}),
      ...(body === undefined ? {} : { body }),
    })
  const read: Buyer['read'] = async id => (await ask('GET', `/v1/orders/${id}`)).body
  const cart: Buyer['cart'] = async (items, more = {}) => {
    const id = newId()
    for (const [sku, quantity] of Object.entries(items)) {
      const put = await ask('PUT', `/v1/carts/${id}/items/${sku}`, { quantity })
      expect(put.status, put.text).toBeLessThan(300)
    }
    const where = { shipping_address: address, shipping_method_id: 'parcel', ...more }
    const put = await ask('PUT', `/v1/carts/${id}`, where)
    expect(put.status, put.text).toBe(200)
    return id
  }
  const checkout: Buyer['checkout'] = (cart_id, more, key) =>
    ask('POST', '/v1/checkouts', { cart_id, ...(more ?? visa) }, key)
  const until = (what: string, id: string, seen: (order: Json) => boolean) =>
    eventually(`${id} is ${what}`, async () => {
      const order = await read(id)
      return seen(order) && order
    })
  return {
    ...member,
    ask,
    cart,
    checkout,
    read,
    order: async (items, more) => {
      const answer = await checkout(await cart(items), { ...visa, ...more })
      expect(answer.status, answer.text).toBe(201)
      return answer.body
    },
    reaches: (id, state) => until(state, id, order => order.state === state),
    pays: (id, state) => until(state, id, order => order.payment?.state === state),
  }
}
