/** Many at once for the last unit, the last use of a code, one cart, one key, one returned unit. */
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually, newKey, type Answer } from '../../../../test/world.ts'
import { newId, sql, type Consumer } from '#dodeca/kernel'
import { storedKey } from '../../../kernel/idempotency/records.ts'
import { openShopWorld, visa, type Buyer, type Shop, type ShopWorld } from './shop-world.ts'

const crowd = 8
const rounds = 4

let world: ShopWorld
let shop: Shop
let buyers: Buyer[]
beforeAll(async () => {
  world = await openShopWorld()
  shop = await world.shop()
  buyers = await Promise.all(Array.from({ length: crowd }, () => shop.buyer()))
})
afterAll(() => world.close())

const Missing = Type.Object({ requested: Type.Integer(), available: Type.Integer() })
const statuses = (answers: readonly Answer[]) =>
  answers.map(one => one.status).toSorted((a, b) => a - b)
const one = () => {
  const [buyer] = buyers
  if (!buyer) throw new Error('no buyer')
  return buyer
}

test('of many buyers of the last unit one gets it, and no other is charged', async () => {
  const sku = await shop.product({ stock: 1 })
  const carts = await Promise.all(buyers.map(buyer => buyer.cart({ [sku]: 1 })))
  const answers = await Promise.all(buyers.map((buyer, at) => buyer.checkout(carts[at] ?? '')))
  expect(statuses(answers)).toEqual([201, ...Array.from({ length: crowd - 1 }, () => 409)])
  const lost = answers.find(answer => answer.status === 409)
  expect(lost?.body).toMatchObject({
    code: 'insufficient_inventory',
    items: [{ sku, requested: 1, available: 0 }],
  })
  const won = answers.find(answer => answer.status === 201)
  expect(await shop.stock(sku)).toMatchObject({ on_hand: 1, reserved: 1, available: 0 })
  expect(await shop.money(won?.body.id)).toEqual(['authorize'])
  await shop.sound()
})

test('the same goods in any order make no deadlock', async () => {
  const goods = await Promise.all([
    shop.product({ stock: 10_000 }),
    shop.product({ stock: 10_000 }),
  ])
  for (let round = 0; round < rounds; round++) {
    const carts = await Promise.all(
      buyers.map((buyer, at) => {
        const turned = at % 2 === 0 ? goods : goods.toReversed()
        return buyer.cart(Object.fromEntries(turned.map(sku => [sku, 1])))
      }),
    )
    const answers = await Promise.all(buyers.map((buyer, at) => buyer.checkout(carts[at] ?? '')))
    const refused = answers.filter(({ status }) => status !== 201)
    expect(refused.map(({ text }) => text).join('\n')).toBe('')
  }
  await shop.sound()
})

test('five hundred pairs reserve two goods in opposite orders without a deadlock', async () => {
  const goods = await Promise.all([
    shop.product({ stock: 10_000 }),
    shop.product({ stock: 10_000 }),
  ])
  const { tenant } = shop.manager
  // Not in a transaction, because `db.tx` would retry a deadlock and hide it.
  const reserve = (skus: readonly string[]) =>
    world.platform.kernel.db.many(
      Missing,
      sql`
        -- any tenant: a function
        select requested, available from commerce.reserve(
          ${tenant.id}, ${newId()}, ${[newId(), newId()]}::uuid[], ${skus}::text[],
          ${[1, 1]}::bigint[], now() + interval '1 minute')`,
    )
  for (let round = 0; round < 20; round++) {
    const pairs = Array.from({ length: 25 }, () => [reserve(goods), reserve(goods.toReversed())])
    expect((await Promise.all(pairs.flat())).flat()).toEqual([])
  }
  for (const sku of goods) expect(await shop.stock(sku)).toMatchObject({ reserved: 1000 })
})

test('a SKU that is named twice counts twice', async () => {
  const sku = await shop.product({ stock: 1 })
  const { tenant } = shop.manager
  const missing = await world.platform.kernel.db.many(
    Missing,
    sql`
      -- any tenant: a function
      select requested, available from commerce.reserve(
        ${tenant.id}, ${newId()}, ${[newId(), newId()]}::uuid[], ${[sku, sku]}::text[],
        ${[1, 1]}::bigint[], now() + interval '1 minute')`,
  )
  expect(missing).toEqual([{ requested: 2, available: 1 }])
  expect(await shop.stock(sku)).toMatchObject({ reserved: 0 })
})

test('a double click with two keys orders once', async () => {
  const buyer = one()
  const cart = await buyer.cart({ [await shop.product()]: 1 })
  const answers = await Promise.all([buyer.checkout(cart), buyer.checkout(cart)])
  expect(statuses(answers)).toEqual([201, 409])
  const order_id = answers.find(answer => answer.status === 201)?.body.id
  const second = answers.find(answer => answer.status === 409)
  expect(second?.body).toMatchObject({ code: 'cart_not_open', order_id })
})

test('one key is one order, however often it is sent; with another body it is refused', async () => {
  const buyer = one()
  const cart_id = await buyer.cart({ [await shop.product()]: 1 })
  const key = newKey()
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => buyer.checkout(cart_id, visa, key)),
  )
  expect(
    answers.filter(one => one.status !== 201 && one.body.code !== 'idempotency_in_progress'),
  ).toEqual([])
  const turned = { payment: { payment_method: 'pm_card_visa' }, cart_id }
  const replay = await buyer.ask('POST', '/v1/checkouts', turned, key)
  expect(replay.headers.get('idempotent-replayed')).toBe('true')
  const first = answers.find(answer => answer.status === 201)
  expect(replay.text).toBe(first?.text)
  const other = await buyer.checkout(cart_id, { ...visa, email: 'a@example.test' }, key)
  expect([other.status, other.body.code]).toEqual([409, 'idempotency_key_reused'])
  // After the recorded outcome was deleted the order itself still answers.
  await world.platform.kernel.db.run(sql`
    delete from kernel.idempotency_records where principal_id = ${buyer.id} and key = ${storedKey(key)}`)
  const known = await buyer.checkout(cart_id, visa, key)
  expect([known.status, known.body.id]).toEqual([201, first?.body.id])
  expect(await shop.money(first?.body.id)).toEqual(['authorize'])
})

test('the last use of a code goes to one of many; a declined buyer gives it back', async () => {
  const sku = await shop.product({ stock: 1000 })
  const code = `LAST-${newId().slice(-12)}`.toUpperCase()
  await shop.manager.ask('PUT', `/v1/discounts/${code}`, {
    kind: 'percent',
    rate_ppm: 500_000,
    usage_limit: 1,
  })
  const carts = await Promise.all(
    buyers.map(buyer => buyer.cart({ [sku]: 1 }, { discount_codes: [code] })),
  )
  const declined = await one().checkout(carts[0] ?? '', {
    payment: { payment_method: 'pm_card_visa_chargeDeclined' },
  })
  expect(declined.body.code).toBe('payment_declined')
  const answers = await Promise.all(buyers.map((buyer, at) => buyer.checkout(carts[at] ?? '')))
  expect(statuses(answers)).toEqual([201, ...Array.from({ length: crowd - 1 }, () => 422)])
  expect(answers.find(answer => answer.status === 422)?.body).toMatchObject({
    code: 'discount_not_applicable',
    codes: [{ code, reason: 'unknown' }],
  })
  await shop.sound()
})

test('two returns of one unit: one is accepted', async () => {
  const buyer = one()
  const order = await buyer.order({ [await shop.product()]: 1 })
  await shop.ship(order)
  const [{ id: order_line_id }] = order.lines
  const lines = [{ order_line_id, quantity: 1, reason_code: 'broken' }]
  const answers = await Promise.all(
    [1, 2].map(() => buyer.ask('POST', '/v1/returns', { order_id: order.id, lines })),
  )
  expect(statuses(answers)).toEqual([201, 409])
  const accepted = answers.find(answer => answer.status === 201)?.body
  expect((await buyer.ask('POST', `/v1/returns/${accepted.id}/cancel`)).body.state).toBe(
    'cancelled',
  )
  expect((await buyer.ask('POST', '/v1/returns', { order_id: order.id, lines })).status).toBe(201)
})

test('returned goods are restocked in the order in which checkouts lock them', async () => {
  const skus = [await shop.product(), await shop.product(), await shop.product()].toSorted()
  const buyer = one()
  const order = await buyer.order(Object.fromEntries(skus.map(sku => [sku, 1])))
  expect((await shop.ship(order)).status).toBe(201)
  const bought = order.lines as { id: string; sku: string }[]
  const reversed = bought.toSorted((a, b) => (a.sku < b.sku ? 1 : -1)).map(({ id }) => id)
  const asked = await buyer.ask('POST', '/v1/returns', {
    order_id: order.id,
    lines: reversed.map(id => ({ order_line_id: id, quantity: 1, reason_code: 'wrong' })),
  })
  const path = `/v1/returns/${asked.body.id}`
  await shop.manager.ask('POST', `${path}/approve`, {})
  const received = await shop.manager.ask('POST', `${path}/receive`, {
    lines: reversed.map(id => ({ order_line_id: id, received_quantity: 1, restock: true })),
  })
  expect(received.status, received.text).toBe(200)
  const moved = await world.platform.kernel.db.many(
    Type.Object({ sku: Type.String() }),
    sql`
      select sku from commerce.inventory_movements
      where tenant_id = ${shop.manager.tenant.id} and ref = ${asked.body.id} order by id`,
  )
  expect(moved.map(row => row.sku)).toEqual(skus)
})

test('cancelling and shipping at once: one of them happens', async () => {
  const sku = await shop.product({ stock: 1000 })
  for (let round = 0; round < rounds; round++) {
    const buyer = one()
    const order = await buyer.order({ [sku]: 1 })
    const [cancelled, shipped] = await Promise.all([
      buyer.ask('POST', `/v1/orders/${order.id}/cancel`, {}),
      shop.ship(order),
    ])
    expect([
      [200, 409],
      [409, 201],
    ]).toContainEqual([cancelled?.status, shipped?.status])
    const sent = shipped?.status === 201
    await buyer.pays(order.id, sent ? 'captured' : 'released')
    expect((await buyer.read(order.id)).state).toBe(sent ? 'fulfilled' : 'cancelled')
  }
  await shop.sound()
})

test('a confirmation that is delivered five times prepares one shipment and writes one message', async () => {
  const { db } = world.platform.kernel
  const buyer = one()
  const order = await buyer.order({ [await shop.product()]: 1 })
  const consumers = world.platform.opened['commerce']?.consumers ?? []
  const event = {
    position: 1,
    id: newId(),
    tenant_id: buyer.tenant.id,
    type: 'OrderConfirmed',
    schema_version: 1,
    aggregate_type: 'order',
    aggregate_id: order.id as string,
    aggregate_version: order.version as number,
    payload: {
      order_id: order.id,
      number: order.number,
      buyer_id: buyer.id,
      total_minor: order.totals.total_minor,
      currency: 'EUR',
    },
    payload_ref: null,
    traceparent: null,
    occurred_at: order.created_at as string,
    created_at: order.created_at as string,
  }
  const consuming = consumers.filter(consumer => consumer.events.includes('OrderConfirmed'))
  expect(consuming.map(consumer => consumer.name)).toEqual([
    'commerce.fulfillment',
    'commerce.buyer_messages',
  ])
  const deliver = (consumer: Consumer) => db.tx(tx => consumer.run(tx, event))
  await Promise.all(Array.from({ length: 5 }, () => consuming.map(deliver)).flat())
  const shipments = (await buyer.read(order.id)).shipments as { state: string }[]
  expect(shipments.map(shipment => shipment.state)).toEqual(['preparing'])
  // One of the confirmation itself, and one of these five.
  const messages = await eventually('both messages are there', async () => {
    const { body } = await buyer.ask('GET', '/v1/inbox?limit=100')
    const subject = `Your order ${order.number} is confirmed`
    const own = (body.data as { title: string }[]).filter(item => item.title === subject)
    return own.length > 1 && own
  })
  expect(messages).toHaveLength(2)
})

test('a rule that two requests create at once is created by one of them', async () => {
  const { db } = world.platform.kernel
  const { token, tenant } = shop.manager
  const body = { name: 'USt', tax_class: 'reduced', country: 'DE', rate_ppm: 70_000 }
  const late = await db.tx(async tx => {
    await tx.run(sql`
      insert into commerce.shop_records (tenant_id, kind, key, record)
      values (${tenant.id}, 'tax_rule', 'both', ${sql.json(body)}::jsonb)`)
    const headers = { 'if-none-match': '*' }
    const asked = world.call('PUT', '/v1/tax-rules/both', { token, body, headers })
    const waits = sql`
      select 1 from pg_stat_activity
      where wait_event_type = 'Lock' and query like '%insert into commerce.shop_records%'`
    await eventually('it waits for the row', async () => (await db.run(waits)) > 0)
    return { asked }
  })
  expect((await late.asked).status).toBe(412)
})
