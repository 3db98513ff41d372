/** Shops whose customers save cards, and what the provider has of them. */
import { Type } from 'typebox'
import { expect } from 'vitest'
import { sql } from '#dodeca/kernel'
import { eventually, newKey } from '../../../../../test/world.ts'
import { requests_permissions } from '../../pages/test/payer.ts'
import { endLeases, type Merchant, type PaymentWorld } from '../../test/payment-world.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads members that it then asserts
type Json = any

const permissions = [
  ...requests_permissions,
  'payments.customers.read',
  'payments.customers.write',
  'payments.methods.charge',
]

/** Each step of an authorization that saves its card. */
export const saving_points = [
  'kernel.after_operation',
  'payments.before_call',
  'payments.before_customer',
  'payments.after_customer',
  'payments.before_handle',
  'payments.after_handle',
  'payments.after_assign',
  'payments.after_call',
  'kernel.after_call',
  'payments.in_apply',
  'kernel.after_commit',
]

export function cardsOf(world: PaymentWorld) {
  const provider = async (path: string): Promise<Json> => {
    const { api, key } = world.vendors['stripe'] ?? {}
    const answer = await fetch(`${api}/v1/${path}`, { headers: { authorization: `Bearer ${key}` } })
    return await answer.json()
  }
  const authorize = (shop: Merchant, id: string, body: object, key = newKey()) =>
    shop.ask('POST', `/v1/payment-intents/${id}/authorize`, body, key)
  const methods = async (shop: Merchant, query = ''): Promise<Json[]> =>
    (await shop.ask('GET', `/v1/payment-methods?limit=100${query}`)).body.data
  const shop = async (given?: Merchant) => {
    const merchant = given ?? (await world.merchant())
    await world.allow(merchant, ...permissions)
    return merchant
  }
  const customer = async (who: Merchant, body: object = {}): Promise<Json> => {
    const made = await who.ask('POST', '/v1/customers', body)
    expect(made.status, made.text).toBe(201)
    return made.body
  }
  const effects = async (intent_id: string): Promise<string[]> =>
    (await world.effects(await handleOf(world, intent_id))).map(one => one.kind)
  const atProvider = async (customer_id: string): Promise<Json[]> => {
    const query = encodeURIComponent(`metadata['customer_id']:'${customer_id}'`)
    return (await provider(`customers/search?query=${query}`)).data
  }
  return {
    shop,
    customer,
    effects,
    /** The provider's customers with our id. */
    atProvider,
    /** The payment that broke off is made: one customer at the provider, one card, one charge. */
    expectOne: async (who: Merchant, id: string, customer_id: string) => {
      await endLeases(world, who)
      await who.reaches(id, 'authorized')
      expect(await effects(id)).toEqual(['authorize'])
      expect(await atProvider(customer_id)).toHaveLength(1)
      expect(await methods(who)).toHaveLength(1)
      await expect(world.sound()).resolves.toBeUndefined()
    },
    authorize,
    methods,
    provider,
    /** A customer with a card that a payment has saved. */
    saved: async (who: Merchant, payment_method = 'pm_card_visa') => {
      const owner = await customer(who)
      const intent = await who.intent({ customer_id: owner.id })
      const held = await authorize(who, intent.id, { payment_method, save: true })
      expect([held.status, held.text]).toEqual([200, expect.stringContaining('"state"')])
      if (held.body.state === 'requires_action') {
        await world.control('three_ds', {
          payment_intent: await handleOf(world, intent.id),
          outcome: 'succeed',
        })
        await who.reaches(intent.id, 'authorized')
      }
      const [method] = await methods(who, `&customer_id=${owner.id}`)
      return { customer: owner, method, intent }
    },
    handle: (id: string) => handleOf(world, id),
    /** The requests that reach the provider while this runs, but for reads: of what was before, too. */
    calls: async (run: () => Promise<unknown>): Promise<number> => {
      const before = (await world.control('requests', {}, 'GET')).count
      await run()
      return (await world.control('requests', {}, 'GET')).count - before
    },
    until: eventually,
  }
}

export async function handleOf(world: PaymentWorld, id: string): Promise<string> {
  const { handle } = await world.platform.kernel.db.one(
    Type.Object({ handle: Type.String() }),
    sql`
      -- any tenant: one payment of a test
      select coalesce(provider_handle, '') as handle from payments.payment_intents where id = ${id}`,
  )
  return handle
}
