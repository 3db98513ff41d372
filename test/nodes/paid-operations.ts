/** Operations that move money at the payment provider: an order, and a payment that is captured. */
import { newId } from '#dodeca/kernel'
import { openShop } from '../../src/surfaces/commerce/test/shop-world.ts'
import * as effects from './effects.ts'
import type { Counts } from './effects.ts'
import { reads, type Operated, type Prepare } from './operation.ts'

export const orders: Prepare = async world => {
  const shop = await openShop(world)
  const sku = await shop.product({ stock: 1_000_000, requires_shipping: false })
  const buyer = await shop.buyer()
  const tenant_id = buyer.tenant.id
  return {
    surface: 'commerce',
    effects: async db => {
      const counts = await effects.ordersOf(tenant_id)(db)
      const known = await atProvider(world, ['authorize'])
      const paid = await effects.orderedPayments(db, tenant_id)
      const intents = new Map(paid.map(({ order_id, intent_id }) => [order_id, intent_id]))
      return counts.map(one => both(one, known(intents.get(one.id))))
    },
    make: async insist => {
      const cart_id = newId()
      await insist(buyer, 'PUT', `/v1/carts/${cart_id}/items/${sku}`, { quantity: 1 })
      const payment = { payment_method: 'pm_card_visa' }
      return (await insist(buyer, 'POST', '/v1/checkouts', { cart_id, payment })).body.id as string
    },
  }
}

export const payments: Prepare = async world => {
  const who = await world.member()
  const actions = ['create', 'read', 'authorize', 'capture']
  await world.allow(who, ...actions.map(action => `payments.intents.${action}`))
  return {
    surface: 'payments',
    effects: async db => {
      const booked = await effects.capturesOf(who.tenant.id)(db)
      const known = await atProvider(world, ['authorize', 'capture'])
      return booked.map(one => both(one, known(one.id)))
    },
    make: async insist => {
      const intent = { amount_minor: 500, currency: 'EUR' }
      const { id } = (await insist(who, 'POST', '/v1/payment-intents', intent)).body
      const path = `/v1/payment-intents/${id}`
      // 202: the platform finds out what the provider did.
      const reaches = (state: string) => reads(insist, who, path, one => one.state === state)
      await insist(who, 'POST', `${path}/authorize`, { payment_method: 'pm_card_visa' })
      await reaches('authorized')
      await insist(who, 'POST', `${path}/capture`, {})
      await reaches('captured')
      return id as string
    },
  }
}

/** How often the provider did these things for a payment. */
async function atProvider({ control }: Operated, kinds: readonly string[]) {
  const { data } = (await control('effects', {}, 'GET')) as {
    data: { kind: string; metadata: { intent_id?: string } }[]
  }
  const done = new Map<string, number>()
  for (const { kind, metadata } of data) {
    const name = `${metadata.intent_id} ${kind}`
    done.set(name, (done.get(name) ?? 0) + 1)
  }
  return (intent_id: string | undefined): Omit<Counts, 'id'> => {
    const counts = kinds.map(kind => done.get(`${intent_id} ${kind}`) ?? 0)
    return { least: Math.min(...counts), most: Math.max(...counts) }
  }
}

function both(counts: Counts, { least, most }: Omit<Counts, 'id'>): Counts {
  const { id } = counts
  return { id, least: Math.min(counts.least, least), most: Math.max(counts.most, most) }
}
