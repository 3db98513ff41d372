/**
 * Products by facets, collections, prices and sorts, against a list of the same products in memory.
 * The limit of a request is small here, so that some filters read few products and others walk.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '#dodeca/kernel'
import { openShopWorld, type Buyer, type Shop, type ShopWorld } from '../../test/shop-world.ts'
import { cheapest, fill, handles, named, newest, thing, type Thing } from './things.ts'

const many = 400
const look_max = 100

let world: ShopWorld
let shop: Shop
let buyer: Buyer
let things: Thing[]
beforeAll(async () => {
  world = await openShopWorld({ KERNEL_LIST_LOOK_MAX: String(look_max) })
  shop = await world.shop()
  buyer = await shop.buyer()
  things = Array.from({ length: many }, (_, n) => thing(n))
  await fill(world, shop, things)
})
afterAll(() => world.close())

describe('products', () => {
  test.each<[string, (one: Thing) => boolean]>([
    ['tags=rare', one => one.tags.includes('rare')],
    ['tags=even', one => one.tags.includes('even')],
    ['tags=even,rare', one => one.tags.includes('even') && one.tags.includes('rare')],
    ['tags=none', () => false],
    ['attribute=material:wood&tags=rare', one => one.material === 'wood' && one.n % 37 === 0],
    ['attribute=material:a%5C,%20b%5C:%20c', one => one.material === 'a, b: c'],
    ['attribute=material:wood,material:stone', one => one.material === 'wood'],
    ['option=size:S,size:L', () => true],
    ['option=size:M', one => one.sizes.includes('M')],
    ['option=size:M,colour:red', () => false],
    ['category=home/lamps&tags=even', one => one.n % 10 === 0],
    ['price_from=1010&price_to=1011', one => one.price === 1010 || one.price === 1011],
    ['price_from=1025', one => (one.price ?? 0) >= 1025],
    ['price_to=1020&tags=even', one => one.price !== null && one.price <= 1020 && one.n % 2 === 0],
    ['in_stock=true', one => one.stocked],
    ['in_stock=false&tags=even', one => !one.stocked && one.n % 2 === 0],
    ['q=thing&tags=rare&sort=newest', one => one.n % 37 === 0],
    ['q=thing&sort=newest', () => true],
  ])('%s', async (query, fits) => {
    const fitting = things.filter(fits)
    expect(await handles(buyer, query)).toEqual(named(fitting.toSorted(newest)))
    const priced = fitting.filter(one => one.price !== null).toSorted(cheapest)
    const others = query.replace('&sort=newest', '')
    expect(await handles(buyer, `${others}&sort=price`)).toEqual(named(priced))
    expect(await handles(buyer, `${others}&sort=-price`)).toEqual(named(priced.toReversed()))
  })

  test('by words with a filter: the best match first', async () => {
    const found = await handles(buyer, 'q=thing&tags=rare')
    expect(found.toSorted()).toEqual(named(things.filter(one => one.n % 37 === 0)).toSorted())
    expect(await handles(buyer, 'q=%22%26%20%7C%20!&tags=rare')).toEqual([])
  })

  test('of a collection by facets, and of one that names its products', async () => {
    const put = async (key: string, body: object) => {
      const answer = await shop.manager.ask('PUT', `/v1/product-collections/${key}`, body)
      expect(answer.status, answer.text).toBe(201)
    }
    const wood = { by: 'attribute', name: 'material', value: 'wood' }
    await put('woods', { title: 'Wood', all: [wood, { by: 'tag', value: 'even' }] })
    const some = things.slice(10, 20)
    await put('ten', { title: 'Ten', product_ids: [newId(), ...some.map(one => one.id)] })
    expect(await handles(buyer, 'collection=woods')).toEqual(
      named(things.filter(one => one.n % 6 === 0).toSorted(newest)),
    )
    expect(await handles(buyer, 'collection=ten')).toEqual(named(some.toSorted(newest)))
    expect(await handles(buyer, 'collection=ten&tags=even&sort=price')).toEqual(
      named(some.filter(one => one.n % 2 === 0 && one.price !== null).toSorted(cheapest)),
    )
    const other = await (await world.shop()).buyer()
    const unknown = await other.ask('GET', '/v1/products?collection=ten')
    expect([unknown.status, unknown.body.code]).toEqual([404, 'collection_not_found'])
    expect((await shop.manager.ask('DELETE', '/v1/product-collections/ten')).status).toBe(204)
    expect((await buyer.ask('GET', '/v1/product-collections/ten')).status).toBe(404)
    expect((await buyer.ask('DELETE', '/v1/product-collections/woods')).status).toBe(403)
  })

  test('another shop has none of them', async () => {
    const other = await (await world.shop()).buyer()
    for (const query of ['tags=even', 'price_from=0', 'sort=price', 'option=size:M']) {
      const { body } = await other.ask('GET', `/v1/products?${query}&include=facets`)
      expect([body.data, body.facets.values]).toEqual([[], []])
    }
  })

  test.each([
    'attribute=material',
    'attribute=material:wood:oak',
    'option=:S',
    'tags=UPPER',
    'price_from=-1',
  ])('%s is refused', async query => {
    const { status, body } = await buyer.ask('GET', `/v1/products?${query}`)
    expect([status, body.code]).toEqual([422, 'validation_failed'])
  })
})

describe('facets', () => {
  const countsOf = async (query: string) =>
    (await buyer.ask('GET', `/v1/products?${query}&include=facets&limit=1`)).body.facets

  test('are counted over all products that fit', async () => {
    const facets = await countsOf('tags=rare')
    const fitting = things.filter(one => one.n % 37 === 0)
    expect(facets).toMatchObject({ products: fitting.length, complete: true })
    const count = (by: string, name: string | null, value: string) =>
      facets.values.find(
        (one: { by: string; name: string | null; value: string }) =>
          one.by === by && one.name === name && one.value === value,
      )?.count
    expect(count('tag', null, 'rare')).toBe(fitting.length)
    expect(count('attribute', 'material', 'wood')).toBe(
      fitting.filter(one => one.material === 'wood').length,
    )
    expect(count('option', 'size', 'M')).toBe(fitting.filter(one => one.sizes.includes('M')).length)
    expect(count('category', null, 'home')).toBe(fitting.length)
    expect(count('category', null, 'home/lamps')).toBe(
      fitting.filter(one => one.category === 'home/lamps').length,
    )
  })

  test('above the limit are of some, and say so', async () => {
    expect(await countsOf('tags=even')).toMatchObject({ products: look_max, complete: false })
    expect(await countsOf('sort=newest')).toMatchObject({ products: look_max, complete: false })
  })
})
