/** A shop whose buyers may pay by card or at PayPal, and what happens to their money at both. */
import { handleOfOrder, payPalOf } from '../../payments/test/paypal-world.ts'
import { openShopWorld } from './shop-world.ts'

export async function openPayPalShop(settings: Record<string, string> = {}) {
  const world = await openShopWorld({
    PAYMENTS_PROVIDERS: 'stripe,paypal',
    IDENTITY_ACCESS_TTL_SECONDS: '3600',
    ...settings,
  })
  const shop = await world.shop()
  const paypal = await payPalOf(world)
  /** What PayPal has for an order, if it was asked. */
  const handleOf = (order_id: string) => handleOfOrder(world, shop.manager.tenant.id, order_id)
  const atPayPal = async (order_id: string) => {
    const handle = await handleOf(order_id)
    return handle === undefined ? [] : (await paypal.effects(handle)).map(one => one.kind)
  }
  const approve = async (order_id: string) => await paypal.approve((await handleOf(order_id)) ?? '')
  /** All effects on the money of all orders of a buyer, at both providers. */
  const moneyOf = async (order_ids: readonly string[]) => {
    const each = order_ids.map(async id => [...(await shop.money(id)), ...(await atPayPal(id))])
    return (await Promise.all(each)).flat()
  }
  return { world, shop, paypal, handleOf, atPayPal, approve, moneyOf }
}
