/** Payments that are authorized within 60 ms of the moment at which their orders expire. */
import { expect } from 'vitest'
import type { Shop, ShopWorld } from './shop-world.ts'

/** Returns the states in which the orders ended. */
export async function authorizeAtExpiry(
  world: ShopWorld,
  shop: Shop,
  { rounds, ttl_seconds }: { readonly rounds: number; readonly ttl_seconds: number },
): Promise<string[]> {
  const sku = await shop.product({ stock: rounds })
  const buyer = await shop.buyer()
  const carts = await Promise.all(Array.from({ length: rounds }, () => buyer.cart({ [sku]: 1 })))
  for (let round = 0; round < rounds; round++) {
    const ms = ttl_seconds * 1000 - 60 + (120 * round) / rounds
    await world.fault({ action: 'delay_before', ms, match: { path: '/confirm' } })
  }
  const answers = await Promise.all(carts.map(cart => buyer.checkout(cart)))
  await world.control('faults', {}, 'DELETE')
  const ended: string[] = []
  for (const { status, body } of answers) {
    const id = body.order_id ?? body.id
    const order = await buyer.read(id)
    expect([
      [201, 'confirmed'],
      [409, 'expired'],
    ]).toContainEqual([status, order.state])
    ended.push(order.state)
    await buyer.pays(id, order.state === 'expired' ? 'released' : 'authorized')
    expect(await shop.money(id)).not.toContain('capture')
  }
  const held = ended.filter(state => state === 'confirmed').length
  expect(await shop.stock(sku)).toMatchObject({ on_hand: rounds, reserved: held })
  await shop.sound()
  return ended
}
