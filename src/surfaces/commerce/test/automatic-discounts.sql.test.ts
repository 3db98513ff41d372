/** Discounts without a code in carts and orders: collections, buy-get, limits, the last use. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openShopWorld, visa, type Shop, type ShopWorld } from './shop-world.ts'

let world: ShopWorld
beforeAll(async () => {
  world = await openShopWorld({ COMMERCE_AUTOMATIC_DISCOUNTS: '2' })
})
afterAll(() => world.close())

async function put(shop: Shop, path: string, body: object): Promise<void> {
  const answer = await shop.manager.ask('PUT', path, body)
  expect(answer.status, answer.text).toBeLessThan(300)
}

const automatic = { kind: 'percent', rate_ppm: 100_000, automatic: true }

test('three for two of a collection, in the cart, the order and its calculation', async () => {
  const shop = await world.shop()
  const buyer = await shop.buyer()
  const cheap = await shop.product({ amount_minor: 300 })
  const dear = await shop.product({ amount_minor: 1000 })
  const other = await shop.product({ amount_minor: 100, category: 'others' })
  await put(shop, '/v1/product-collections/things', {
    title: 'Things',
    all: [{ by: 'category', value: 'things' }],
  })
  await put(shop, '/v1/discounts/GIFT', {
    kind: 'buy_get',
    buy_quantity: 2,
    get_quantity: 1,
    rate_ppm: 1_000_000,
    automatic: true,
    collections: ['things'],
  })
  const cart = await buyer.cart({ [dear]: 2, [other]: 1 })
  const read = async () => (await buyer.ask('GET', `/v1/carts/${cart}`)).body
  expect((await read()).discounts).toEqual([])
  await buyer.ask('PUT', `/v1/carts/${cart}/items/${cheap}`, { quantity: 1 })
  const shown = await read()
  expect(shown.discounts).toEqual([
    { code: 'GIFT', state: 'applied', reason: null, amount_minor: 300 },
  ])
  const { pricing_fingerprint } = shown
  const { status, body: order } = await buyer.checkout(cart, { ...visa, pricing_fingerprint })
  expect([status, order.discounts]).toEqual([201, [{ code: 'GIFT', amount_minor: 300 }]])
  const given = order.lines.filter((one: { discount_minor: number }) => one.discount_minor > 0)
  expect(given.map((one: { sku: string }) => one.sku)).toEqual([cheap])
  const explained = await buyer.ask('GET', `/v1/orders/${order.id}?include=calculation`)
  const taken = explained.body.calculation.steps.map(
    (one: { discount_minor: number }) => one.discount_minor,
  )
  expect(taken).toEqual(order.lines.map((one: { discount_minor: number }) => one.discount_minor))
  await shop.sound()
})

test('the last use of one goes to one of many; the others order without it', async () => {
  const shop = await world.shop()
  const sku = await shop.product({ amount_minor: 1000 })
  await put(shop, '/v1/discounts/LAST', { ...automatic, usage_limit: 1 })
  const buyers = await Promise.all(Array.from({ length: 8 }, () => shop.buyer()))
  const carts = await Promise.all(buyers.map(one => one.cart({ [sku]: 1 })))
  const answers = await Promise.all(buyers.map((one, at) => one.checkout(carts[at] ?? '')))
  const late = answers.flatMap((one, at) => (one.status === 201 ? [] : [{ ...one, at }]))
  expect(late.every(({ body }) => body.code === 'pricing_changed')).toBe(true)
  const again = await Promise.all(
    late.flatMap(({ at }) => buyers[at]?.checkout(carts[at] ?? '') ?? []),
  )
  expect(again.filter(one => one.status !== 201)).toEqual([])
  const orders = [...answers, ...again].flatMap(one => (one.status === 201 ? [one.body] : []))
  expect(orders).toHaveLength(buyers.length)
  expect(orders.filter(({ discounts }) => discounts.length === 1)).toHaveLength(1)
  await shop.sound()
})

test('a shop has so many of them, and codes besides', async () => {
  const shop = await world.shop()
  for (const code of ['A', 'B']) await put(shop, `/v1/discounts/${code}`, automatic)
  const third = await shop.manager.ask('PUT', '/v1/discounts/C', automatic)
  expect([third.status, third.body.code]).toEqual([429, 'quota_exceeded'])
  await put(shop, '/v1/discounts/C', { ...automatic, automatic: false })
  await put(shop, '/v1/discounts/A', { ...automatic, automatic: false })
  await put(shop, '/v1/discounts/C', automatic)
})

test('a kind that misses what it needs is refused, and a collection that is both', async () => {
  const shop = await world.shop()
  const refused = async (path: string, body: object) => {
    const answer = await shop.manager.ask('PUT', path, body)
    expect([answer.status, answer.body.code], answer.text).toEqual([422, 'validation_failed'])
  }
  await refused('/v1/discounts/X', { kind: 'buy_get', rate_ppm: 1, buy_quantity: 1 })
  await refused('/v1/discounts/X', { ...automatic, kind: 'fixed' })
  await refused('/v1/product-collections/x', { title: 'X' })
  const all = [{ by: 'tag', value: 'a' }]
  await refused('/v1/product-collections/x', { title: 'X', all, product_ids: [shop.manager.id] })
  await refused('/v1/product-collections/x', { title: 'X', all: [{ by: 'option', value: 'S' }] })
  await refused('/v1/product-collections/x', { title: 'X', all: [{ ...all[0], name: 'n' }] })
})

test('a cart is deleted by its owner while no order holds it', async () => {
  const shop = await world.shop()
  const [buyer, other] = [await shop.buyer(), await shop.buyer()]
  const sku = await shop.product()
  const [cart, ordered] = [await buyer.cart({ [sku]: 1 }), await buyer.cart({ [sku]: 1 })]
  expect((await buyer.checkout(ordered)).status).toBe(201)
  const remove = async (who: typeof buyer, id: string) => {
    const { status, body } = await who.ask('DELETE', `/v1/carts/${id}`)
    return [status, body?.code]
  }
  expect(await remove(other, cart)).toEqual([404, 'cart_not_found'])
  expect(await remove(buyer, ordered)).toEqual([409, 'cart_not_open'])
  const [checked, gone] = await Promise.all([buyer.checkout(cart), remove(buyer, cart)])
  const either = [
    [201, 409],
    [404, 204],
  ]
  expect(either).toContainEqual([checked.status, gone[0]])
  const empty = await buyer.cart({ [sku]: 1 })
  expect(await remove(buyer, empty)).toEqual([204, undefined])
  expect(await remove(buyer, empty)).toEqual([204, undefined])
  const item = `/v1/carts/${empty}/items/${sku}`
  for (const late of [
    await buyer.ask('GET', `/v1/carts/${empty}`),
    await buyer.ask('PUT', item, { quantity: 1 }),
    await buyer.ask('POST', '/v1/carts', { currency: 'EUR', id: empty }),
    await buyer.checkout(empty),
  ]) {
    expect([late.status, late.body.code]).toEqual([404, 'cart_not_found'])
  }
  const { body } = await buyer.ask('GET', '/v1/carts')
  expect(body.data.map((one: { id: string }) => one.id)).not.toContain(empty)
  await shop.sound()
})
