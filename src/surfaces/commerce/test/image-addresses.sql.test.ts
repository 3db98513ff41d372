/** What is kept of a product is read again before the addresses of its images end. */
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import { showProduct } from '../catalog/show-product.ts'
import { openShopWorld, type ShopWorld } from './shop-world.ts'

let world: ShopWorld
beforeAll(async () => {
  world = await openShopWorld()
})
afterAll(() => world.close())

test('the tag of a product changes while the URLs of its images are valid', async () => {
  const { db } = world.platform.kernel
  const files = world.platform.opened['uploads']?.face
  const shop = await world.shop()
  const sku = await shop.product()
  const { tenant } = shop.manager
  const product = await db.one(
    Type.Object({ id: Type.String() }),
    sql`
      update commerce.catalog_products p set images = array[${newId()}::uuid]
      from commerce.product_variants v
      where p.tenant_id = ${tenant.id} and v.tenant_id = p.tenant_id and v.product_id = p.id
        and v.sku = ${sku}
      returning p.id`,
  )
  const at = async (seconds: number) => {
    const deps = { files, kernel: { clock: { nowSeconds: () => seconds } } } as never
    return (
      await showProduct(
        db,
        deps,
        { tenant_id: tenant.id, id: product.id },
        { currency: 'EUR', hidden: true },
      )
    ).etag
  }
  const now = 1_800_000_000
  expect(await at(now + 60)).toBe(await at(now))
  expect(await at(now + 1800)).not.toBe(await at(now))
})
