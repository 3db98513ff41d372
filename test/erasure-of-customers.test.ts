/** Customers and their cards leave with the person, here and at the payment provider. */
import { afterAll, expect, test } from 'vitest'
import { Type } from 'typebox'
import { sql } from '#dodeca/kernel'
import { cardsOf } from '../src/surfaces/payments/methods/test/card-world.ts'
import { openPaymentWorld } from '../src/surfaces/payments/test/payment-world.ts'

const world = await openPaymentWorld()
afterAll(() => world.close())
const { kernel } = world.platform
const cards = cardsOf(world)

const left = async (customer_id: string) =>
  await kernel.db.one(
    Type.Object({ rows: Type.Integer() }),
    sql`
      -- any tenant: one customer of a test
      select (
        (select count(*) from payments.customers where id = ${customer_id})
        + (select count(*) from payments.payment_methods where customer_id = ${customer_id})
        + (select count(*) from payments.payment_intents where customer_id = ${customer_id})
        + (select count(*) from payments.provider_customers where customer_id = ${customer_id})
      )::int as rows`,
  )

async function erase(who: Parameters<typeof world.again>[0]): Promise<string> {
  const { token } = await world.again(who)
  const exported = await world.call('GET', '/v1/me/export', { token })
  const { status } = await world.call('DELETE', `/v1/accounts/${who.id}`, { token })
  expect(status).toBeLessThan(300)
  return exported.text
}

test('who saved cards gets them in the export, and is forgotten by the provider', async () => {
  const shop = await cards.shop()
  const { id } = await shop.intent()
  await cards.authorize(shop, id, { payment_method: 'pm_card_mastercard', save: true })
  const [method] = await cards.methods(shop)
  const [theirs] = await cards.atProvider(method.customer_id)
  await shop.ask('POST', `/v1/payment-intents/${id}/cancel`, {})
  await world.fault({ action: 'http', status: 500, match: { path: `/customers/${theirs.id}` } })
  const exported = await erase(shop)
  expect(exported).toContain('"kind":"customer"')
  expect(exported).toContain('"last4":"4444"')
  expect(exported).not.toMatch(/cus_|pm_[A-Za-z0-9]{14}/)
  await cards.until('nothing is left', async () => {
    const { deleted } = await cards.provider(`customers/${theirs.id}`)
    return deleted === true && (await left(method.customer_id)).rows === 0
  })
})

test('a customer with the proven address of a person is theirs, and no other', async () => {
  const shop = await cards.shop()
  const owner = await world.member(shop.tenant)
  const theirs = await cards.customer(shop, { name: 'Q. Wendt', email: owner.email.toUpperCase() })
  const other = await cards.customer(shop, { name: 'S. Else', email: 'else@example.test' })
  await kernel.db.run(sql`
    -- any tenant: one account of a test
    update identity.accounts set verified_at = kernel.now() where id = ${owner.id}`)
  const exported = await erase(owner)
  expect(exported).toContain('Q. Wendt')
  expect(exported).not.toContain('S. Else')
  expect(await left(theirs.id)).toEqual({ rows: 0 })
  expect((await shop.ask('GET', `/v1/customers/${other.id}`)).body.name).toBe('S. Else')
})
