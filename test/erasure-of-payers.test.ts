/** Payers have no account. What one typed with the proven address of an account leaves with it. */
import { afterAll, expect, test } from 'vitest'
import { sql } from '#dodeca/kernel'
import { payerOf } from '../src/surfaces/payments/pages/test/payer.ts'
import { openPaymentWorld } from '../src/surfaces/payments/test/payment-world.ts'

const world = await openPaymentWorld()
afterAll(() => world.close())
const { kernel } = world.platform

test('the address that a payer typed is exported to its owner, and erased with them', async () => {
  const payer = payerOf(world)
  const { shop, url, read } = await payer.asks()
  const owner = await world.member(shop.tenant)
  const other = await payer.asks({}, shop)
  await payer.pay(url, 'pm_card_visa', { email: owner.email.toUpperCase() })
  await payer.pay(other.url, 'pm_card_visa', { email: 'somebody.else@example.test' })
  await kernel.db.run(sql`
    -- any tenant: one account of a test
    update identity.accounts set verified_at = kernel.now() where id = ${owner.id}`)
  const { token } = await world.again(owner)
  const exported = await world.call('GET', '/v1/me/export', { token })
  expect(exported.text).toContain(owner.email.toUpperCase())
  expect(exported.text).not.toContain('somebody.else')
  const { status } = await world.call('DELETE', `/v1/accounts/${owner.id}`, { token })
  expect(status).toBeLessThan(300)
  expect((await read()).payer_email).toBeNull()
  expect((await other.read()).payer_email).toBe('somebody.else@example.test')
})
