/** What the erasure of a person takes with it, and what it leaves to others with the same address. */
import { Type } from 'typebox'
import { afterAll, expect, test } from 'vitest'
import type { Member } from '../../../../test/product-world.ts'
import { eventually, newKey } from '../../../../test/world.ts'
import { sql } from '#dodeca/kernel'
import { newAddress, openNotifyWorld, usual_data } from './notify-world.ts'

const world = await openNotifyWorld()
const { db } = world.platform.kernel
afterAll(() => world.close())

async function add(who: Member, address: string, verified: boolean): Promise<string> {
  const { status, text, body } = await world.call('POST', `/v1/users/${who.id}/destinations`, {
    token: who.token,
    key: newKey(),
    body: { channel: 'email', address },
  })
  expect(status, text).toBe(201)
  if (verified) {
    await db.run(sql`
      update notifications.destinations set verified_at = kernel.now() where id = ${body.id}`)
  }
  return body.id as string
}

async function erase(who: Member): Promise<void> {
  const { token, id } = who
  expect((await world.call('DELETE', `/v1/accounts/${id}`, { token })).status).toBe(204)
  const Row = Type.Object({ surface: Type.String() })
  await eventually('the person is erased', async () => {
    const open = sql`
      select surface from kernel.erasures where account_id = ${id} and erased_at is null`
    return (await db.many(Row, open)).length === 0
  })
}

const count = async (from: ReturnType<typeof sql>) =>
  (await db.one(Type.Object({ n: Type.Integer() }), sql`select count(*)::int as n from ${from}`)).n

/** A notification tomorrow. */
async function order(shop: Member, recipient: object): Promise<string> {
  const { status, text, body } = await world.send(shop, {
    recipient,
    category: 'order.updates',
    template: { name: await world.template(shop) },
    data: usual_data,
    channels: ['email'],
    metadata: { of: 'the order' },
    scheduled_at: new Date(Date.now() + 86_400_000).toISOString(),
  })
  expect(status, text).toBe(202)
  return body.id as string
}

const inputs = (id: string) =>
  count(sql`notifications.notification_intents i
    join notifications.notification_inputs n on n.tenant_id = i.tenant_id and n.ref = i.data_ref
    where i.id = ${id}`)

test('what was sent to a destination of an erased person is erased with it', async () => {
  const shop = await world.sender()
  const who = await world.member(shop.tenant)
  const destination_id = await add(who, newAddress(), true)
  const id = await order(shop, { destination_id })
  expect(await inputs(id)).toBe(1)
  await erase(who)
  expect(await inputs(id)).toBe(0)
  expect(await count(sql`notifications.data_keys where owner_id = ${destination_id}`)).toBe(0)
  expect(
    await count(sql`notifications.notification_intents where id = ${id} and metadata is not null`),
  ).toBe(0)
})

test('an erased person takes nothing of others whose address they had added', async () => {
  const shop = await world.sender()
  const [who, other] = [await world.member(shop.tenant), await world.member(shop.tenant)]
  const address = newAddress()
  const theirs = await add(other, address, true)
  const id = await order(shop, { email: address })
  await add(who, address, false)
  await erase(who)
  expect(await count(sql`notifications.destinations where id = ${theirs}`)).toBe(1)
  expect(await inputs(id)).toBe(1)
  const alone = sql`notifications.destinations d where d.user_id is null and d.tenant_id = ${shop.tenant.id}
    and 'destination:' || d.id = (select recipient_ref from notifications.notification_intents
      where id = ${id})`
  expect(await count(alone)).toBe(1)
})
