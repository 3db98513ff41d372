/**
 * A guest buys without saying who they are, becomes a person afterwards and finds the orders there. The
 * account of a guest who never does is kept as long as the shop needs it.
 */
import { Type } from 'typebox'
import { afterAll, describe, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import type { Member } from '../../../../test/product-world.ts'
import { eventually } from '../../../../test/world.ts'
import { moveClock } from '../../identity/test/second-factor.ts'
import { openShopWorld, visa } from './shop-world.ts'

const world = await openShopWorld({ IDENTITY_ACCESS_TTL_SECONDS: '3600' })
afterAll(() => world.close())
const { db } = world.platform.kernel

test('a guest orders, pays and returns as a person, in the same account', async () => {
  const shop = await world.shop()
  const guest = await shop.guest()
  const sku = await shop.product({ amount_minor: 1000 })
  const email = `guest-${newId()}@example.test`
  const order = await guest.order({ [sku]: 2 }, { email })
  expect(order).toMatchObject({ state: 'confirmed', buyer_id: guest.id, email })
  expect(await shop.money(order.id)).toEqual(['authorize'])
  const stranger = await shop.guest()
  expect((await stranger.ask('GET', `/v1/orders/${order.id}`)).status).toBe(404)
  // The managers' routes stay closed.
  expect((await guest.ask('GET', '/v1/commerce/audit')).body.code).toBe('insufficient_scope')
  const open_cart = await guest.cart({ [sku]: 1 })

  const { token } = guest
  const asked = await world.call('POST', '/v1/email-changes', { token, body: { email } })
  expect(asked.status, asked.text).toBe(202)
  const proof = { token: (await world.mails(email)).at(-1)?.token }
  const proven = await world.call('POST', '/v1/email-verifications', { token, body: proof })
  expect(proven.status, proven.text).toBe(201)

  const person = shop.as({ ...guest, token: proven.body.session.access_token })
  const mine = await person.ask('GET', '/v1/orders')
  expect(mine.body.data.map((one: { id: string }) => one.id)).toEqual([order.id])
  const second = await person.checkout(open_cart, visa)
  expect([second.status, second.body.buyer_id]).toEqual([201, guest.id])
  expect((await shop.ship(order)).status).toBe(201)
  const lines = [{ order_line_id: order.lines[0].id, quantity: 1, reason_code: 'broken' }]
  const returned = await person.ask('POST', '/v1/returns', { order_id: order.id, lines })
  expect(returned.status, returned.text).toBe(201)
  await shop.sound()
})

describe('the account of an idle guest', () => {
  const day = 86_400
  /** As an administrator sees it, who logs in anew: the clock has passed the last session. */
  const statusOf = async (manager: Member, id: string): Promise<string> => {
    const { body } = await world.login(manager)
    const seen = await world.call('GET', `/v1/accounts/${id}`, { token: body.access_token })
    return seen.status === 404 ? 'deleted' : seen.body.status
  }

  test('stays while an order is open, and 400 days after the last one', async () => {
    const shop = await world.shop({ return_window_days: 30, capture_policy: 'on_confirm' })
    const { manager } = shop
    await world.allow(manager, 'identity.accounts.read')
    const [buyer, waiting, idle] = [await shop.guest(), await shop.guest(), await shop.guest()]
    const sku = await shop.product({ amount_minor: 1000 })
    const email = `kept-${newId()}@example.test`
    const order = await buyer.order({ [sku]: 1 }, { email })
    await buyer.pays(order.id, 'captured')
    expect((await shop.ship(order)).status).toBe(201)
    expect(await buyer.read(order.id)).toMatchObject({ state: 'fulfilled' })
    const open = await waiting.checkout(await waiting.cart({ [sku]: 1 }), { ...visa, email })
    expect([open.status, open.body.state]).toEqual([201, 'confirmed'])
    await waiting.pays(open.body.id, 'captured')
    await moveClock(world, 31 * day)
    await eventually(
      'the idle account is erased',
      async () => (await statusOf(manager, idle.id)) === 'deleted',
    )
    expect([await statusOf(manager, buyer.id), await statusOf(manager, waiting.id)]).toEqual([
      'active',
      'active',
    ])
    await moveClock(world, 370 * day)
    await eventually(
      'the buyer is erased',
      async () => (await statusOf(manager, buyer.id)) === 'deleted',
    )
    expect(await statusOf(manager, waiting.id)).toBe('active')
    await eventually(
      'the order has no address',
      async () => !(await textOf(order.id)).includes(email),
    )
    expect(await textOf(order.id)).toContain('fulfilled')
  })
})

async function textOf(order_id: string): Promise<string> {
  const { shown } = await db.one(
    Type.Object({ shown: Type.String() }),
    sql`
      -- any tenant: one order
      select to_jsonb(o)::text as shown from commerce.orders o where id = ${order_id}`,
  )
  return shown
}
