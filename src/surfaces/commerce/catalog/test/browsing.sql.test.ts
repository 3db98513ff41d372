/**
 * Products by facets, collections, prices and sorts, against a list of the same products in memory.
 * The limit of a request is small here, so that some filters read few products and others walk.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import { openShopWorld, type Buyer, type Shop, type ShopWorld } from '../../test/shop-world.ts'

type Thing = {
  readonly n: number
  readonly id: string
  readonly tags: readonly string[]
  readonly material: string
  readonly category: string
  readonly sizes: readonly string[]
  readonly price: number | null
  readonly stocked: boolean
}

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
  await fill(things)
})
afterAll(() => world.close())

/** Frequent and rare values, and prices that are often the same. */
function thing(n: number): Thing {
  return {
    n,
    id: newId(),
    tags: [...(n % 2 === 0 ? ['even'] : []), ...(n % 37 === 0 ? ['rare'] : [])],
    material: n % 3 === 0 ? 'wood' : 'a, b: c',
    category: n % 5 === 0 ? 'home/lamps' : 'home',
    sizes: n % 4 === 0 ? ['S', 'M'] : ['L'],
    price: n % 11 === 0 ? null : 1000 + ((n * 7919) % 50),
    stocked: n % 7 !== 0,
  }
}

async function fill(all: readonly Thing[]): Promise<void> {
  const { tenant } = shop.manager
  const { db } = world.platform.kernel
  const rows = all.map(one => ({
    ...one,
    handle: `thing-${one.n}`,
    tags: `{${one.tags.join(',')}}`,
    published_at: new Date(Date.UTC(2026, 0, 1) + one.n * 1000).toISOString(),
  }))
  await db.tx(async tx => {
    await tx.run(sql`
      insert into commerce.catalog_products (
        tenant_id, id, handle, title, category, tags, attributes, state, published_at)
      select ${tenant.id}, r.id, r.handle, 'Thing ' || r.n, r.category, r.tags::text[],
        jsonb_build_object('material', r.material), 'active', r.published_at
      from ${sql.table(rows, { id: 'uuid', n: 'int', handle: 'text', category: 'text', tags: 'text', material: 'text', published_at: 'timestamptz' })} r`)
    const variants = all.flatMap(({ id, n, sizes, price, stocked }) =>
      sizes.map((size, at) => ({ id, size, price, stocked, sku: `T-${n}-${size}`, at })),
    )
    const given = sql.table(variants, {
      id: 'uuid',
      size: 'text',
      price: 'bigint',
      stocked: 'bool',
      sku: 'text',
      at: 'int',
    })
    await tx.run(sql`
      insert into commerce.product_variants (tenant_id, sku, product_id, place, title, options)
      select ${tenant.id}, v.sku, v.id, v.at, v.sku, jsonb_build_object('size', v.size)
      from ${given} v`)
    await tx.run(sql`
      insert into commerce.inventory_items (tenant_id, sku, on_hand)
      select ${tenant.id}, v.sku, case when v.stocked then 1 else 0 end from ${given} v`)
    await tx.run(sql`
      insert into commerce.price_versions (
        tenant_id, id, sku, currency, amount_minor, effective_from)
      select ${tenant.id}, gen_random_uuid(), v.sku, 'EUR', v.price + v.at, kernel.now()
      from ${given} v where v.price is not null`)
    await tx.run(sql`
      insert into commerce.product_prices (tenant_id, product_id, currency, amount_minor)
      select ${tenant.id}, v.id, 'EUR', min(v.price) from ${given} v where v.price is not null
      group by v.id`)
    await tx.run(sql`
      update commerce.catalog_products p set facets = commerce.facets_of(p.tenant_id, p.id)
      where p.tenant_id = ${tenant.id}`)
  })
}

/** All pages; the same product never comes twice. */
async function handles(query: string, limit = 17): Promise<string[]> {
  const found: string[] = []
  let cursor = ''
  for (let pages = 0; pages < 200; pages++) {
    const path = `/v1/products?${query}&limit=${limit}${cursor && `&cursor=${cursor}`}`
    const { status, body, text } = await buyer.ask('GET', path)
    expect(status, text).toBe(200)
    found.push(...body.data.map((one: { handle: string }) => one.handle))
    if (!body.has_more) break
    cursor = body.next_cursor
  }
  expect(new Set(found).size).toBe(found.length)
  return found
}

const newest = (a: Thing, b: Thing) => b.n - a.n
const cheapest = (a: Thing, b: Thing) => (a.price ?? 0) - (b.price ?? 0) || (a.id < b.id ? -1 : 1)
const named = (all: readonly Thing[]) => all.map(one => `thing-${one.n}`)

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
    expect(await handles(query)).toEqual(named(fitting.toSorted(newest)))
    const priced = fitting.filter(one => one.price !== null).toSorted(cheapest)
    const others = query.replace('&sort=newest', '')
    expect(await handles(`${others}&sort=price`)).toEqual(named(priced))
    expect(await handles(`${others}&sort=-price`)).toEqual(named(priced.toReversed()))
  })

  test('by words with a filter: the best match first', async () => {
    const found = await handles('q=thing&tags=rare')
    expect(found.toSorted()).toEqual(named(things.filter(one => one.n % 37 === 0)).toSorted())
    expect(await handles('q=%22%26%20%7C%20!&tags=rare')).toEqual([])
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
    expect(await handles('collection=woods')).toEqual(
      named(things.filter(one => one.n % 6 === 0).toSorted(newest)),
    )
    expect(await handles('collection=ten')).toEqual(named(some.toSorted(newest)))
    expect(await handles('collection=ten&tags=even&sort=price')).toEqual(
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
