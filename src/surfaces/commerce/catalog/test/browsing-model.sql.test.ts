/**
 * Any filters, sort and size of page, after any changes of the catalog, list and count what a loop
 * over the same products in memory does. The limit of a request is small, so that all ways to a page
 * are taken.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openShopWorld, type Buyer, type Shop, type ShopWorld } from '../../test/shop-world.ts'
import { cheapest, fill, handles, named, newest, thing, type Thing } from './things.ts'

type Listed = { -readonly [K in keyof Thing]: Thing[K] } & { prices: number[]; active: boolean }
type Facet = { by: string; name: string | null; value: string; count: number }

let world: ShopWorld
let shop: Shop
let buyer: Buyer
let things: Listed[]
beforeAll(async () => {
  world = await openShopWorld({ KERNEL_LIST_LOOK_MAX: '100' })
  shop = await world.shop()
  buyer = await shop.buyer()
  const given = Array.from({ length: 300 }, (_, n) => thing(n))
  await fill(world, shop, given)
  things = given.map(one => ({
    ...one,
    prices: one.price === null ? [] : one.sizes.map((_, at) => (one.price ?? 0) + at),
    active: true,
  }))
})
afterAll(() => world.close())

const price = fc.integer({ min: 990, max: 1060 })
const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined })

const changes = fc.record({
  n: fc.nat({ max: 299 }),
  state: maybe(fc.constantFrom('active', 'archived')),
  tags: maybe(fc.subarray(['even', 'rare', 'new'])),
  price: maybe(price),
})
type Change = typeof changes extends fc.Arbitrary<infer T> ? T : never

const queries = fc.record({
  tags: fc.subarray(['even', 'rare', 'new']),
  materials: fc.subarray(['wood', 'stone', 'a, b: c']),
  sizes: fc.subarray(['S', 'M', 'L']),
  category: maybe(fc.constantFrom('home', 'home/lamps', 'hom')),
  from: maybe(price),
  to: maybe(price),
  in_stock: maybe(fc.boolean()),
  sort: fc.constantFrom('newest' as const, 'price' as const, '-price' as const),
  words: fc.boolean(),
})
type Query = typeof queries extends fc.Arbitrary<infer T> ? T : never

const escaped = (value: string) => value.replaceAll(/[,:]/g, '\\$&')

function textOf({ tags, materials, sizes, category, from, to, in_stock, sort, words }: Query) {
  return new URLSearchParams({
    sort,
    ...(words && { q: 'thing' }),
    ...(tags.length > 0 && { tags: tags.join(',') }),
    ...(materials.length > 0 && {
      attribute: materials.map(one => `material:${escaped(one)}`).join(','),
    }),
    ...(sizes.length > 0 && { option: sizes.map(one => `size:${one}`).join(',') }),
    ...(category !== undefined && { category }),
    ...(from !== undefined && { price_from: String(from) }),
    ...(to !== undefined && { price_to: String(to) }),
    ...(in_stock !== undefined && { in_stock: String(in_stock) }),
  }).toString()
}

function fits(query: Query) {
  const { tags, materials, sizes, category, from, to, in_stock, sort } = query
  const priced = from !== undefined || to !== undefined || sort !== 'newest'
  return (one: Listed): boolean =>
    one.active &&
    tags.every(tag => one.tags.includes(tag)) &&
    (materials.length === 0 || materials.includes(one.material)) &&
    (sizes.length === 0 || sizes.some(size => one.sizes.includes(size))) &&
    (category === undefined || `${one.category}/`.startsWith(`${category}/`)) &&
    (!priced || one.price !== null) &&
    (one.price ?? 0) >= (from ?? 0) &&
    (one.price ?? 0) <= (to ?? Infinity) &&
    (in_stock === undefined || one.stocked === in_stock)
}

function facetsOf({ tags, category, material, sizes }: Listed): string[] {
  const [above = ''] = category.split('/')
  return [
    ...tags.map(tag => `tag::${tag}`),
    ...new Set([above, category].map(one => `category::${one}`)),
    `attribute:material:${material}`,
    ...sizes.map(size => `option:size:${size}`),
  ]
}

async function change({ n, state, tags, price: amount_minor }: Change): Promise<void> {
  const one = things[n]
  if (!one) throw new Error('the product is one of them')
  const changed = await shop.manager.ask('PATCH', `/v1/products/${one.id}`, { state, tags })
  expect(changed.status, changed.text).toBe(200)
  one.active = state === undefined ? one.active : state === 'active'
  one.tags = tags ?? one.tags
  if (amount_minor === undefined) return
  const added = await shop.manager.ask('POST', '/v1/price-versions', {
    sku: `T-${n}-${one.sizes[0]}`,
    currency: 'EUR',
    amount_minor,
  })
  expect(added.status, added.text).toBe(201)
  one.prices[0] = amount_minor
  one.price = Math.min(...one.prices)
}

test('the list and its facets are those of a loop over all products', async () => {
  const given = fc.record({
    changed: fc.array(changes, { maxLength: 3 }),
    query: queries,
    limit: fc.integer({ min: 10, max: 50 }),
  })
  await fc.assert(
    fc.asyncProperty(given, async ({ changed, query, limit }) => {
      for (const one of changed) await change(one)
      const fitting = things.filter(fits(query))
      const sorted = fitting.toSorted(query.sort === 'newest' ? newest : cheapest)
      const text = textOf(query)
      expect(await handles(buyer, text, limit), text).toEqual(
        named(query.sort === '-price' ? sorted.toReversed() : sorted),
      )
      const { body } = await buyer.ask('GET', `/v1/products?${text}&include=facets`)
      const { products, complete, values } = body.facets
      const counted = new Map<string, number>()
      for (const facet of fitting.flatMap(facetsOf)) {
        counted.set(facet, (counted.get(facet) ?? 0) + 1)
      }
      const told = new Map<string, number>(
        values.map(({ by, name, value, count }: Facet) => [`${by}:${name ?? ''}:${value}`, count]),
      )
      const expected = complete ? [fitting.length, counted] : [products, told]
      expect([products, told], text).toEqual(expected)
      expect(products, text).toBeLessThanOrEqual(Math.min(fitting.length, 100))
      for (const [facet, count] of told) {
        expect(count, text).toBeLessThanOrEqual(counted.get(facet) ?? 0)
      }
    }),
    { numRuns: 25 },
  )
}, 120_000)
