/** Stock under any sequence of reserving, confirming, shipping and giving back is what a few lines predict. */
import fc from 'fast-check'
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import { giveBack, reserve, takeOut } from '../inventory/stock.ts'
import { openShopWorld, type Shop, type ShopWorld } from './shop-world.ts'

let world: ShopWorld
let shop: Shop
beforeAll(async () => {
  world = await openShopWorld()
  shop = await world.shop()
})
afterAll(() => world.close())

type Step = {
  readonly what: 'reserve' | 'confirm' | 'ship' | 'release'
  readonly at: number
  readonly quantity: number
}
type Held = { readonly id: string; left: number; state: 'active' | 'committed' | 'gone' }

const Stock = Type.Object({ on_hand: Type.Integer(), reserved: Type.Integer() })
const steps = fc.array(
  fc.record({
    what: fc.constantFrom(
      'reserve' as const,
      'confirm' as const,
      'ship' as const,
      'release' as const,
    ),
    at: fc.nat({ max: 4 }),
    quantity: fc.integer({ min: 1, max: 6 }),
  }),
  { minLength: 1, maxLength: 25 },
)

test('the reservation model', async () => {
  const tenant_id = shop.manager.tenant.id
  await fc.assert(
    fc.asyncProperty(steps, async given => {
      const sku = await shop.product({ stock: 10 })
      const model = { on_hand: 10, held: [] as Held[] }
      for (const step of given) await take(tenant_id, sku, model, step)
      const stock = await world.platform.kernel.db.one(
        Stock,
        sql`
          select on_hand, reserved from commerce.inventory_items
          where tenant_id = ${tenant_id} and sku = ${sku}`,
      )
      const reserved = model.held.reduce(
        (sum, one) => sum + (one.state === 'gone' ? 0 : one.left),
        0,
      )
      expect(stock).toEqual({ on_hand: model.on_hand, reserved })
    }),
    { numRuns: 15 },
  )
  const { body } = await shop.manager.ask('GET', '/v1/commerce/audit')
  const stock = body.checks.filter((one: { name: string }) =>
    /movements|reservations/.test(one.name),
  )
  expect(stock.map((one: { violations: string[] }) => one.violations)).toEqual([[], []])
})

async function take(
  tenant_id: string,
  sku: string,
  model: { on_hand: number; held: Held[] },
  { what, at, quantity }: Step,
): Promise<void> {
  const { db } = world.platform.kernel
  const held = model.held[at % Math.max(1, model.held.length)]
  const free =
    model.on_hand - model.held.reduce((sum, one) => sum + (one.state === 'gone' ? 0 : one.left), 0)
  if (what === 'reserve') {
    const id = newId()
    const missing = await db.tx(tx => reserve(tx, { tenant_id, id }, [{ sku, quantity }], 900))
    const named = missing.map(({ requested, available }) => [requested, available])
    same(named, quantity > free ? [[quantity, free]] : [])
    if (quantity <= free) model.held.push({ id, left: quantity, state: 'active' })
    return
  }
  if (!held || held.state === 'gone') return
  const order = { tenant_id, id: held.id }
  if (what === 'confirm' && held.state === 'active') {
    await db.run(sql`
      update commerce.inventory_reservations set state = 'committed'
      where tenant_id = ${tenant_id} and order_id = ${held.id} and state = 'active'`)
    held.state = 'committed'
  }
  if (what === 'release') {
    await db.tx(tx => giveBack(tx, order, 'released'))
    held.state = 'gone'
  }
  if (what === 'ship') {
    const sent = Math.min(quantity, held.left)
    const shipped = db.tx(tx => takeOut(tx, order, newId(), [{ sku, quantity: sent }]))
    const refused = await shipped.then(
      () => false,
      () => true,
    )
    same(refused, held.state === 'active')
    if (refused) return
    held.left -= sent
    model.on_hand -= sent
    if (held.left === 0) held.state = 'gone'
  }
}

function same(got: unknown, wanted: unknown): void {
  expect(got).toEqual(wanted)
}
