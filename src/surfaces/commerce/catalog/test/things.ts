/** Products for tests of lists, in memory and in the tables of a shop. */
import { expect } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import type { Buyer, Shop, ShopWorld } from '../../test/shop-world.ts'

export type Thing = {
  readonly n: number
  readonly id: string
  readonly tags: readonly string[]
  readonly material: string
  readonly category: string
  readonly sizes: readonly string[]
  readonly price: number | null
  readonly stocked: boolean
}

/** Frequent and rare values, and prices that are often the same. */
export function thing(n: number): Thing {
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

export async function fill(world: ShopWorld, shop: Shop, all: readonly Thing[]): Promise<void> {
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
export async function handles(buyer: Buyer, query: string, limit = 17): Promise<string[]> {
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

export const newest = (a: Thing, b: Thing) => b.n - a.n
export const cheapest = (a: Thing, b: Thing) =>
  (a.price ?? 0) - (b.price ?? 0) || (a.id < b.id ? -1 : 1)
export const named = (all: readonly Thing[]) => all.map(one => `thing-${one.n}`)
