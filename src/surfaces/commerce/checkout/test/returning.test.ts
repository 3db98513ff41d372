/** A buyer, who may be a stranger, is only led to where the shop or the platform is at home. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '#dodeca/kernel'
import { newAddress } from '../../test/guests.ts'
import { openShopWorld, type Buyer, type Shop, type ShopWorld } from '../../test/shop-world.ts'

let world: ShopWorld
let shop: Shop
beforeAll(async () => {
  world = await openShopWorld()
  shop = await world.shop()
})
afterAll(() => world.close())

async function tries(buyer: Buyer, return_url: string) {
  const sku = await shop.product()
  const cart = await buyer.cart({ [sku]: 1 })
  const email = newAddress()
  const path = `/v1/carts/${cart}/payment-request`
  const page = await buyer.ask('POST', path, { email, return_url })
  const payment = { payment_method: 'pm_card_visa', return_url }
  const order = await buyer.checkout(cart, { email, payment })
  return [page, order].map(({ status, body }) => ({ status, code: body.code, body }))
}

const codes = async (buyer: Buyer, url: string) => (await tries(buyer, url)).map(one => one.code)
const refused = ['return_url_not_allowed', 'return_url_not_allowed']
const allowed = [undefined, undefined]

async function clientOf(member: Buyer, type: 'web' | 'spa' | 'native', redirect_uri: string) {
  await world.give(member, 'tenant_admin')
  const body = { name: 'Shop', type, redirect_uris: [redirect_uri] }
  const made = await member.ask('POST', '/v1/clients', body)
  expect(made.status, made.text).toBe(201)
  return made.body.id as string
}

test('a guest names no stranger, in whatever spelling', async () => {
  const guest = await shop.guest()
  for (const url of [
    'https://evil.test/back',
    'https://shop.test@evil.test/',
    'https://shop.test.evil.test/',
    'https://evil.test\\@shop.test/',
    'https://shop.test\t.evil.test/',
    'https://shop.test:8443/',
    'http://shop.test/',
    'https:///evil.test/',
    'http://dodeca.test.evil.test/',
    'https://',
  ]) {
    expect(await codes(guest, url), url).toEqual(refused)
  }
  const [page, order] = await tries(guest, 'https://evil.test/')
  expect(page?.body.errors).toMatchObject([{ pointer: '/return_url' }])
  expect(order?.body.errors).toMatchObject([{ pointer: '/payment/return_url' }])
})

test('the platform itself, and what its operator lists, are at home', async () => {
  const guest = await shop.guest()
  const own = new URL(world.platform.kernel.public_url).origin
  for (const url of [`${own}/shop/thanks`, 'https://shop.test/back?order=1#done']) {
    expect(await codes(guest, url), url).toEqual(allowed)
  }
})

test('so is an application of the tenant, until it is deleted, and nobody else has it', async () => {
  const host = `app-${newId()}.test`
  const url = `https://${host}/thanks`
  const buyer = await shop.buyer()
  expect(await codes(buyer, url)).toEqual(refused)
  const other = await world.shop()
  await clientOf(await other.buyer(), 'spa', `https://${host}/back`)
  expect(await codes(buyer, url)).toEqual(refused)
  const admin = await shop.buyer()
  await clientOf(admin, 'native', `http://127.0.0.1/back`)
  expect(await codes(buyer, 'http://127.0.0.1/back')).toEqual(refused)
  const id = await clientOf(admin, 'web', `https://${host}/back`)
  expect(await codes(buyer, url)).toEqual(allowed)
  expect((await admin.ask('DELETE', `/v1/clients/${id}`)).status).toBe(204)
  expect(await codes(buyer, url)).toEqual(refused)
})

test('a server of the shop, with its API key, names what it wants', async () => {
  const admin = await shop.buyer()
  await world.give(admin, 'tenant_admin')
  const asked = { name: 'shop', permissions: ['commerce.orders.read_any'] }
  await world.allow(admin, ...asked.permissions)
  const made = await admin.ask('POST', '/v1/api-keys', asked)
  expect(made.status, made.text).toBe(201)
  const server = shop.as({ ...admin, token: made.body.key })
  expect(await codes(server, 'https://elsewhere.test/back')).toEqual(allowed)
})
