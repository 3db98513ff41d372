/** What `GET /v1/matches` finds in a shop, and for whom. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { prove } from '../../../../test/inbox.ts'
import { address, type Buyer, openShopWorld, type Shop, type ShopWorld } from './shop-world.ts'

let world: ShopWorld
let shop: Shop
beforeAll(async () => {
  world = await openShopWorld()
  shop = await world.shop()
})
afterAll(() => world.close())

const found = async (who: Pick<Buyer, 'ask'>, q: string, kind: string) => {
  const query = new URLSearchParams({ q, kind })
  const { status, body, text } = await who.ask('GET', `/v1/matches?${query}`)
  expect(status, text).toBe(200)
  return body.data as { id: string; title: string; path: string; state: string }[]
}
const titles = async (...asked: Parameters<typeof found>) =>
  (await found(...asked)).map(one => one.title)

const add = async ({ manager }: Shop, handle: string, more: object) => {
  const variants = [{ sku: `SKU.${handle}`, prices: [{ currency: 'EUR', amount_minor: 500 }] }]
  const body = { handle, category: 'kitchen', state: 'active', description: '', variants, ...more }
  const made = await manager.ask('POST', '/v1/products', body)
  expect(made.status, made.text).toBe(201)
  return made.body
}

test('a product is found by its handle, a SKU and words of its title, as one types', async () => {
  const buyer = await shop.buyer()
  const mug = await add(shop, 'camp-mug', { title: "Enamel mug, Ada's", description: 'Of steel' })
  for (const q of [
    'camp-mug',
    'SKU.camp-mug',
    'sku.CAMP',
    'enamel',
    'ENAM',
    'mug ena',
    "ada's mu",
    'enamel mug,',
  ]) {
    expect(await found(buyer, q, 'products'), q).toMatchObject([
      {
        id: mug.id,
        title: "Enamel mug, Ada's",
        subtitle: 'camp-mug',
        state: 'active',
        path: `/v1/products/${mug.id}`,
      },
    ])
  }
  // The id, for a picker.
  const known = await buyer.ask('GET', `/v1/matches?kind=products&ids=${mug.id}`)
  expect(known.body.data).toHaveLength(1)
  for (const q of ['steel', 'amel', 'camp-m', "' or 1=1 --", '& | !', ':*', '%%', 'mug pan']) {
    expect(await titles(buyer, q, 'products'), q).toEqual([])
  }
})

test('what is not on sale is found by those who write products, and nothing of another shop', async () => {
  const [buyer, other] = [await shop.buyer(), await world.shop()]
  const draft = await add(shop, 'secret', { title: 'Secret kettle', state: 'draft' })
  const theirs = await add(other, 'kettle', { title: 'Their kettle' })
  for (const q of ['kettle', 'secret', 'SKU.secret', draft.id]) {
    expect(await titles(buyer, q, 'products'), q).toEqual([])
    expect(await titles(shop.manager, q, 'products'), q).toEqual(['Secret kettle'])
  }
  for (const q of ['kettle', 'SKU.kettle', theirs.id]) {
    expect(await titles(other.manager, q, 'products'), q).toEqual(['Their kettle'])
  }
  expect(await titles(shop.manager, 'SKU.kettle', 'products')).toEqual([])
  await world.allow(buyer, 'commerce.products.write')
  expect(await titles(buyer, 'kettle', 'products')).toEqual(['Secret kettle'])
})

test('an order without an address of its own is found by that of its buyer', async () => {
  const mine = await world.shop()
  const buyer = await mine.buyer()
  const items = { [await mine.product()]: 1 }
  // An address that nobody has proven may be that of another person.
  await buyer.order(items)
  await prove(world, buyer)
  const order = await buyer.order(items)
  expect(order.email).toBeNull()
  expect(await found(mine.manager, buyer.email, 'orders')).toMatchObject([{ id: order.id }])
  expect(await found(await mine.buyer(), buyer.email, 'orders')).toEqual([])
  expect(await found(shop.manager, buyer.email, 'orders')).toEqual([])
})

test('an order is found by its number, its mail address and the name that it goes to', async () => {
  const buyer = await shop.buyer()
  const order = await buyer.order({ [await shop.product()]: 1 }, { email: 'mara@example.org' })
  const texts = [`#${order.number}`, 'Mara@', address.name, 'mara', 'LINDQ', 'lindqvist']
  for (const who of [buyer, shop.manager]) {
    for (const q of texts) {
      expect(
        (await found(who, q, 'orders')).map(one => one.id),
        q,
      ).toEqual([order.id])
    }
  }
  const [stranger, other] = [await shop.buyer(), await world.shop()]
  for (const q of texts) {
    expect(await found(stranger, q, 'orders'), q).toEqual([])
    expect(await found(other.manager, q, 'orders'), q).toEqual([])
  }
})
