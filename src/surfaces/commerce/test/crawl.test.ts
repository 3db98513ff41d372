/** Commerce under the crawler: how products, carts, orders, shipments and returns come about. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import type { Maker } from '../../../testing/contract/crawl.ts'
import { crawlSurface } from '../../../../test/crawler/product.ts'
import type { Member, ProductWorld } from '../../../../test/product-world.ts'
import { newKey } from '../../../../test/world.ts'
import { newId, sql } from '#dodeca/kernel'
import { prove } from '../../../../test/inbox.ts'
import { openSandbox } from '../../../sandbox/open-sandbox.ts'
import { stripe } from '../../../sandbox/stripe/stripe.ts'
import { codeNow } from '../order-pages/codes.ts'
import { pageUrl } from '../order-pages/page-link.ts'
import type { Kernel } from '../settings.ts'
import { address, usual_settings } from './shop-world.ts'

const folder = await mkdtemp(join(tmpdir(), 'dodeca-commerce-crawl-'))
const sandbox = await openSandbox(folder, [stripe])
const {
  api = '',
  key = '',
  webhook_secret = '',
} = sandbox.addresses['stripe'] as Record<string, string>
afterAll(async () => {
  await sandbox.close()
  await rm(folder, { recursive: true, force: true })
})

type Making = Maker<ProductWorld, Member>
/** A buyer requests a return, and another person decides on it. */
const buyers = new Map<string, Member>()

const method = {
  name: 'Parcel',
  bands: [{ currency: 'EUR', min_subtotal_minor: 0, amount_minor: 500 }],
}
const tax = { name: 'USt', tax_class: 'standard', country: 'DE', rate_ppm: 190_000 }
const gifts = { title: 'Gifts', all: [{ by: 'tag', value: 'gift' }] }
const visa = { payment: { payment_method: 'pm_card_visa' } }

async function product({ ask }: Making) {
  const sku = `SKU-${newId()}`
  const made = await ask('POST', '/v1/products', {
    handle: sku.toLowerCase(),
    title: 'A thing',
    state: 'active',
    variants: [{ sku, prices: [{ currency: 'EUR', amount_minor: 1000 }] }],
  })
  await ask('POST', `/v1/inventory/${sku}/adjustments`, { delta: 10_000, reason: 'received' })
  return { sku, id: made.id as string }
}

/** What carts hold: one SKU for each tenant, with a way to send it. */
const sold = new Map<string, Promise<string>>()
function stocked(maker: Making): Promise<string> {
  const { id } = maker.person.tenant
  const known = sold.get(id)
  if (known) return known
  const made = product(maker).then(async ({ sku }) => {
    await maker.ask('PUT', '/v1/shipping-methods/parcel', method)
    return sku
  })
  sold.set(id, made)
  return made
}

async function cart(maker: Making): Promise<string> {
  const sku = await stocked(maker)
  const { id } = await maker.ask('POST', '/v1/carts', { currency: 'EUR' })
  await maker.ask('PUT', `/v1/carts/${id}/items/${sku}`, { quantity: 2 })
  const where = { shipping_address: address, shipping_method_id: 'parcel' }
  await maker.ask('PUT', `/v1/carts/${id}`, where)
  return id as string
}

const ordered = async (maker: Making) =>
  await maker.ask('POST', '/v1/checkouts', { cart_id: await cart(maker), ...visa })
const linesOf = (order: { lines: { id: string; quantity: number }[] }) =>
  order.lines.map(({ id, quantity }) => ({ order_line_id: id, quantity }))

async function shipped(maker: Making, id: string) {
  const lines = linesOf(await maker.ask('GET', `/v1/orders/${id}`))
  return await maker.ask('POST', `/v1/orders/${id}/shipments`, { lines })
}

const reason_code = 'broken'
const one_buyer = new Map<string, Promise<Member>>()
function buyerIn(world: ProductWorld, { tenant }: Member): Promise<Member> {
  const buyer = one_buyer.get(tenant.id) ?? world.member(tenant)
  one_buyer.set(tenant.id, buyer)
  return buyer
}

async function returned(maker: Making): Promise<string> {
  const { world, person } = maker
  const buyer = await buyerIn(world, person)
  const ask: Making['ask'] = async (verb, path, body) => {
    const keyed = verb === 'POST' ? { key: newKey() } : {}
    const answer = await world.call(verb, path, { token: buyer.token, body, ...keyed })
    if (answer.status >= 300) throw new Error(`${verb} ${path}: ${answer.text}`)
    return answer.body
  }
  const sku = await stocked(maker)
  const cart_id = newId()
  await ask('PUT', `/v1/carts/${cart_id}/items/${sku}`, { quantity: 1 })
  const where = { shipping_address: address, shipping_method_id: 'parcel' }
  const order = await ask('POST', '/v1/checkouts', { cart_id, ...where, ...visa })
  await shipped(maker, order.id)
  const lines = linesOf(order).map(line => ({ ...line, reason_code }))
  const { id } = await ask('POST', '/v1/returns', { order_id: order.id, lines })
  buyers.set(id, buyer)
  return id
}

async function proven({ world, person }: Making): Promise<Member> {
  await prove(world, person)
  return person
}

/** Who asks without a token sees the shop of the platform's own tenant. */
async function ownShop({ world }: Making): Promise<Member> {
  const person = await world.member({ id: '01900000-0000-7000-8000-000000000001', slug: 'default' })
  await world.give(person, 'shop_manager')
  return person
}

/** As in the mail of the order. */
function linkOf({ world, person }: Making, id = '') {
  const { kernel } = world.platform
  const url = pageUrl(kernel as Kernel, { tenant_id: person.tenant.id, id })
  const query = Object.fromEntries(new URL(url).searchParams)
  return { query, code: codeNow(kernel as Kernel, { tenant_id: person.tenant.id, id }) }
}

/** A form of the page of an order. */
function form(maker: Making, id = '', fields: Readonly<Record<string, string>> = {}) {
  const { query, code } = linkOf(maker, id)
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const bytes = Buffer.from(new URLSearchParams({ code, ...fields }).toString())
  return { query, headers, bytes }
}

await crawlSurface({
  surface: 'commerce',
  settings: {
    COMMERCE_PENDING_ORDERS: '1000',
    COMMERCE_OPEN_CARTS: '10000',
    PAYMENTS_STRIPE_SECRET_KEY: key,
    PAYMENTS_STRIPE_BASE_URL: api,
    PAYMENTS_STRIPE_WEBHOOK_SECRETS: webhook_secret,
    PAYMENTS_PROVIDER_READS_PER_SECOND: '100000',
    PAYMENTS_PROVIDER_WRITES_PER_SECOND: '100000',
  },
  subjects: {
    '/v1/products/{product_id}': { make: async maker => (await product(maker)).id },
    '/v1/inventory/{sku}': { make: async maker => (await product(maker)).sku },
    '/v1/carts/{cart_id}': { make: cart },
    '/v1/carts/{cart_id}/items/{sku}': { make: async maker => (await product(maker)).sku },
    '/v1/product-collections/{key}': {
      make: async ({ ask }) => {
        const key = `c-${newId()}`
        await ask('PUT', `/v1/product-collections/${key}`, gifts)
        return key
      },
    },
    '/v1/orders/{order_id}': { make: async maker => (await ordered(maker)).id },
    '/orders/{order_id}': { shared: true, make: async maker => (await ordered(maker)).id },
    '/v1/shipments/{shipment_id}': {
      make: async maker => (await shipped(maker, (await ordered(maker)).id)).id,
    },
    '/v1/returns/{return_id}': { make: returned },
    '/v1/tax-rules/{id}': {
      make: async ({ ask }) => {
        const id = `t-${newId()}`
        await ask('PUT', `/v1/tax-rules/${id}`, tax)
        return id
      },
    },
    '/v1/shipping-methods/{id}': {
      make: async ({ ask }) => {
        const id = `m-${newId()}`
        await ask('PUT', `/v1/shipping-methods/${id}`, method)
        return id
      },
    },
    '/v1/discounts/{code}': {
      make: async ({ ask }) => {
        const code = `C-${newId()}`.toUpperCase()
        await ask('PUT', `/v1/discounts/${code}`, { kind: 'percent', rate_ppm: 1000 })
        return code
      },
    },
  },
  recipes: {
    'POST /v1/products': {
      request: () => ({
        body: { handle: newId(), title: 'A thing', variants: [{ sku: `SKU-${newId()}` }] },
      }),
    },
    'GET /v1/products/{product_id}': { asker: ownShop },
    'GET /v1/product-collections/{key}': { asker: ownShop },
    'PUT /v1/product-collections/{key}': { request: () => ({ body: gifts }) },
    'PATCH /v1/products/{product_id}': { request: () => ({ body: { title: 'Another thing' } }) },
    'POST /v1/price-versions': {
      request: async maker => ({
        body: { sku: (await product(maker)).sku, currency: 'USD', amount_minor: 1000 },
      }),
    },
    'POST /v1/inventory/{sku}/adjustments': {
      request: () => ({ body: { delta: 5, reason: 'received' } }),
    },
    'PUT /v1/tax-rules/{id}': { request: () => ({ body: tax }) },
    'PUT /v1/shipping-methods/{id}': { request: () => ({ body: method }) },
    'PUT /v1/discounts/{code}': { request: () => ({ body: { kind: 'free_shipping' } }) },
    'PUT /v1/commerce/settings': { request: () => ({ body: usual_settings }) },
    'POST /v1/carts': { request: () => ({ body: { currency: 'EUR' } }) },
    'PUT /v1/carts/{cart_id}': { request: () => ({ body: { shipping_address: address } }) },
    'PUT /v1/carts/{cart_id}/items/{sku}': { request: () => ({ body: { quantity: 1 } }) },
    'GET /v1/carts/{cart_id}/payment-request': {
      request: async ({ ask }, { cart_id }) => {
        await ask('POST', `/v1/carts/${cart_id}/payment-request`, {})
        return {}
      },
    },
    'POST /v1/checkouts': {
      request: async maker => ({ body: { cart_id: await cart(maker), ...visa } }),
    },
    'GET /orders/{order_id}': {
      request: (maker, { order_id }) => ({ query: linkOf(maker, order_id).query }),
    },
    'POST /orders/{order_id}/codes': {
      request: (maker, { order_id }) => form(maker, order_id),
    },
    'POST /orders/{order_id}/address': {
      request: (maker, { order_id }) => form(maker, order_id),
    },
    'POST /orders/{order_id}/returns': {
      request: async (maker, { order_id = '' }) => {
        await shipped(maker, order_id)
        const [line] = linesOf(await maker.ask('GET', `/v1/orders/${order_id}`))
        const fields = { request: newId(), reason: reason_code }
        return form(maker, order_id, { ...fields, [`line.${line?.order_line_id}`]: '1' })
      },
    },
    'POST /orders/{order_id}/erasure': {
      request: async (maker, { order_id = '' }) => {
        await shipped(maker, order_id)
        return form(maker, order_id)
      },
    },
    'POST /v1/orders/claims': { asker: proven },
    'POST /v1/orders/{order_id}/cancel': { request: () => ({ body: {} }) },
    'POST /v1/orders/{order_id}/shipments': {
      request: async ({ ask }, { order_id }) => ({
        body: { lines: linesOf(await ask('GET', `/v1/orders/${order_id}`)) },
      }),
    },
    'POST /v1/returns': {
      request: async maker => {
        const order = await ordered(maker)
        await shipped(maker, order.id)
        const lines = linesOf(order).map(line => ({ ...line, reason_code }))
        return { body: { order_id: order.id, lines } }
      },
    },
    'POST /v1/returns/{return_id}/receive': {
      request: async ({ ask }, { return_id }) => {
        const { lines } = await ask('POST', `/v1/returns/${return_id}/approve`, {})
        return {
          body: {
            lines: (lines as { order_line_id: string; quantity: number }[]).map(
              ({ order_line_id, quantity }) => ({
                order_line_id,
                received_quantity: quantity,
                restock: true,
              }),
            ),
          },
        }
      },
    },
    'POST /v1/returns/{return_id}/cancel': {
      request: (_maker, { return_id = '' }) => {
        const token = buyers.get(return_id)?.token
        return { body: {}, ...(token ? { token } : {}) }
      },
    },
    'POST /v1/returns/{return_id}/retry-refund': {
      request: async ({ world, person }, { return_id }) => {
        await world.platform.kernel.db.run(sql`
          update commerce.returns set state = 'refund_failed', refund_minor = 100
          where tenant_id = ${person.tenant.id} and id = ${return_id}`)
        return { body: {} }
      },
    },
  },
})
