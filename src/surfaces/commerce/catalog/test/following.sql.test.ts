/** What finds a product follows its changes, and the price that sorts it follows those of its SKUs. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../../../../test/world.ts'
import { openShopWorld, type ShopWorld } from '../../test/shop-world.ts'

let world: ShopWorld
beforeAll(async () => {
  world = await openShopWorld()
})
afterAll(() => world.close())

test('a change of a product changes what finds it, at once', async () => {
  const own = await world.shop()
  const shopper = await own.buyer()
  const made = await own.manager.ask('POST', '/v1/products', {
    handle: 'mug',
    title: 'Mug',
    description: 'For tea',
    state: 'active',
    tags: ['old'],
    translations: { de: { title: 'Tasse' }, 'de-AT': { description: 'Für Tee' } },
    variants: [
      { sku: 'MUG-S', options: { size: 'S' }, prices: [{ currency: 'EUR', amount_minor: 900 }] },
      { sku: 'MUG-L', options: { size: 'L' }, prices: [{ currency: 'EUR', amount_minor: 700 }] },
    ],
  })
  expect(made.status, made.text).toBe(201)
  const seen = async (query: string) => {
    const { body } = await shopper.ask('GET', `/v1/products?${query}`)
    return body.data.map((one: { title: string }) => one.title)
  }
  expect(await seen('tags=old&price_to=700&option=size:L')).toEqual(['Mug'])
  expect(await seen('q=tasse&locale=de')).toEqual(['Tasse'])
  const path = `/v1/products/${made.body.id}`
  const { body: local } = await shopper.ask('GET', `${path}?locale=de-AT`)
  expect([local.title, local.description, local.translations]).toEqual([
    'Tasse',
    'Für Tee',
    undefined,
  ])
  const change = {
    tags: ['new'],
    translations: {},
    variants: [{ sku: 'MUG-L', state: 'disabled' }],
  }
  expect((await own.manager.ask('PATCH', path, change)).status).toBe(200)
  for (const gone of ['tags=old', 'option=size:L', 'price_to=899', 'q=tasse']) {
    expect(await seen(gone), gone).toEqual([])
  }
  expect(await seen('tags=new&option=size:S&price_from=900&price_to=900')).toEqual(['Mug'])
})

describe('the price by which lists are sorted', () => {
  test('follows a price that begins later', async () => {
    const own = await world.shop()
    const sku = await own.product({ amount_minor: 1000 })
    const price = (amount_minor: number, effective_from?: string) =>
      own.manager.ask('POST', '/v1/price-versions', {
        sku,
        currency: 'EUR',
        amount_minor,
        ...(effective_from ? { effective_from } : {}),
      })
    const soon = new Date(Date.now() + 1500).toISOString()
    expect((await price(500, soon)).status).toBe(201)
    expect((await price(400, new Date(Date.now() + 86_400_000).toISOString())).status).toBe(201)
    const scheduled = await own.manager.ask(
      'GET',
      '/v1/price-versions?scheduled=true&sort=effective_from',
    )
    expect(scheduled.body.data.map((one: { amount_minor: number }) => one.amount_minor)).toEqual([
      500, 400,
    ])
    const shopper = await own.buyer()
    await eventually('the product is found by its new price', async () => {
      const { body } = await shopper.ask('GET', '/v1/products?price_to=500')
      return body.data.length === 1 && body.data[0].price_from.amount_minor === 500
    })
    const { body } = await shopper.ask('GET', '/v1/products?price_from=501')
    expect(body.data).toEqual([])
  })

  test('is the last of many that are set at once', async () => {
    const own = await world.shop()
    const sku = await own.product()
    const amounts = Array.from({ length: 20 }, (_, n) => 100 + n)
    const answers = await Promise.all(
      amounts.map(amount_minor =>
        own.manager.ask('POST', '/v1/price-versions', { sku, currency: 'EUR', amount_minor }),
      ),
    )
    expect(answers.filter(one => one.status !== 201 && one.status !== 409)).toEqual([])
    await own.sound()
    const { body } = await own.manager.ask('GET', '/v1/products?sort=price')
    const { amount_minor } = body.data[0].price_from
    const range = `price_from=${amount_minor}&price_to=${amount_minor}`
    expect((await own.manager.ask('GET', `/v1/products?${range}`)).body.data).toHaveLength(1)
  })
})
