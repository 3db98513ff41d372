/** Products found by their words, page by page. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openShopWorld, type ShopWorld } from '../../test/shop-world.ts'

let world: ShopWorld
beforeAll(async () => {
  world = await openShopWorld()
})
afterAll(() => world.close())

test('a search finds words of title and description, and its pages do not overlap', async () => {
  const shop = await world.shop()
  const buyer = await shop.buyer()
  const add = async (handle: string, title: string, description: string, state = 'active') => {
    const body = { handle, title, description, category: 'kitchen', state, variants: [] }
    const variants = [{ sku: handle, prices: [{ currency: 'EUR', amount_minor: 500 }] }]
    const made = await shop.manager.ask('POST', '/v1/products', { ...body, variants })
    expect(made.status, made.text).toBe(201)
  }
  await add('mug', 'Enamel mug', 'Blue, for the camp fire')
  await add('cup', 'Tin cup', 'Next to the mug at every camp')
  await add('pan', 'Iron pan', 'Heavy')
  await add('hidden', 'Secret mug', 'Not for sale yet', 'draft')
  const found = async (query: string) => {
    const { status, body, text } = await buyer.ask('GET', `/v1/products?${query}`)
    expect(status, text).toBe(200)
    return body
  }
  const handles = (body: { data: { handle: string }[] }) => body.data.map(one => one.handle)
  expect(handles(await found('q=mug')).toSorted()).toEqual(['cup', 'mug'])
  expect(handles(await found('q=camp%20fire'))).toEqual(['mug'])
  expect(handles(await found('q=%22%26%20%7C%20!'))).toEqual([])
  expect(handles(await found('q=mug&category=garden'))).toEqual([])
  const first = await found('q=mug&limit=1')
  const second = await found(`q=mug&limit=1&cursor=${first.next_cursor}`)
  expect([...handles(first), ...handles(second)].toSorted()).toEqual(['cup', 'mug'])
  expect(second.has_more).toBe(false)
})
