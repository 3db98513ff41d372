/** What belongs to others, what cannot be, and what the database itself refuses. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import {
  openShopWorld,
  usual_settings,
  visa,
  type Buyer,
  type Shop,
  type ShopWorld,
} from './shop-world.ts'

let world: ShopWorld
let shop: Shop
let buyer: Buyer
beforeAll(async () => {
  world = await openShopWorld({ COMMERCE_UNKNOWN_CODES_PER_HOUR: '3', KERNEL_RATE_FACTOR: '1000' })
  shop = await world.shop()
  buyer = await shop.buyer()
})
afterAll(() => world.close())

test('what belongs to another buyer or tenant is not there', async () => {
  const order = await buyer.order({ [await shop.product()]: 1 })
  await shop.ship(order)
  const lines = [{ order_line_id: order.lines[0].id, quantity: 1, reason_code: 'broken' }]
  const returned = (await buyer.ask('POST', '/v1/returns', { order_id: order.id, lines })).body
  const cart = await buyer.cart({ [await shop.product()]: 1 })
  const stranger = (await world.shop()).manager
  const neighbour = await shop.buyer()
  for (const other of [stranger, neighbour]) {
    const asked = await Promise.all([
      other.ask('GET', `/v1/orders/${order.id}`),
      other.ask('POST', `/v1/orders/${order.id}/cancel`, {}),
      other.ask('GET', `/v1/returns/${returned.id}`),
      other.ask('POST', `/v1/returns/${returned.id}/cancel`),
      other.ask('POST', '/v1/returns', { order_id: order.id, lines }),
      other.ask('GET', `/v1/carts/${cart}`),
      other.checkout(cart),
    ])
    expect(asked.map(one => one.status)).toEqual(asked.map(() => 404))
  }
  const foreign = await stranger.ask('POST', `/v1/orders/${order.id}/shipments`, {
    lines: [{ order_line_id: order.lines[0].id, quantity: 1 }],
  })
  expect(foreign.status).toBe(404)
  // The id of another's cart is an unknown one: it makes a cart of their own.
  const sku = await shop.product()
  const own = await neighbour.ask('PUT', `/v1/carts/${cart}/items/${sku}`, { quantity: 2 })
  expect([own.status, own.body.items.length]).toEqual([201, 1])
  expect((await buyer.ask('GET', `/v1/carts/${cart}`)).body.items[0].quantity).toBe(1)
})

test('stock is listed page by page, for those who may see it, and never that of another shop', async () => {
  const other = await world.shop()
  const made = [await other.product(), await other.product(), await other.product()].toSorted()
  await shop.product()
  const first = await other.manager.ask('GET', '/v1/inventory?limit=2')
  expect(first.body).toMatchObject({ has_more: true, data: [{ sku: made[0] }, { sku: made[1] }] })
  const { next_cursor } = first.body
  const rest = await other.manager.ask('GET', `/v1/inventory?cursor=${next_cursor}`)
  const item = (await other.manager.ask('GET', `/v1/inventory/${made[2]}`)).body
  expect(rest.body).toMatchObject({ has_more: false, data: [item] })
  const foreign = await shop.manager.ask('GET', `/v1/inventory?cursor=${next_cursor}`)
  expect([foreign.status, foreign.body.code]).toEqual([400, 'invalid_cursor'])
  expect((await buyer.ask('GET', '/v1/inventory')).status).toBe(403)
})

test('a return is not decided by the person who requested it', async () => {
  const order = await shop.manager.order({ [await shop.product()]: 1 })
  await shop.ship(order)
  const lines = [{ order_line_id: order.lines[0].id, quantity: 1, reason_code: 'broken' }]
  const { body } = await shop.manager.ask('POST', '/v1/returns', { order_id: order.id, lines })
  const own = await shop.manager.ask('POST', `/v1/returns/${body.id}/approve`, {})
  expect([own.status, own.body.code]).toEqual([403, 'permission_denied'])
})

describe('a cart refuses', () => {
  test.each([
    ['"2"', '"2"'],
    ['a part', '1.5'],
    ['less than nothing', '-1'],
    ['more than a cart holds', '1000'],
    ['more than is exact', '9007199254740993'],
  ])('a quantity that is %s', async (_name, quantity) => {
    const sku = await shop.product()
    const answer = await fetch(`${world.url}/v1/carts/${newId()}/items/${sku}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${buyer.token}`, 'content-type': 'application/json' },
      body: `{"quantity": ${quantity}}`,
    })
    expect(answer.status).toBe(422)
  })

  test.each(['%2e%2e', 'e\u0301-1', 'x'.repeat(65), 'unknown'])('the SKU %s', async sku => {
    const path = `/v1/carts/${newId()}/items/${sku === '%2e%2e' ? sku : encodeURIComponent(sku)}`
    expect([404, 422]).toContain((await buyer.ask('PUT', path, { quantity: 1 })).status)
  })

  test('more than may be ordered, what is not on sale, and more lines than it has room for', async () => {
    const made = await shop.manager.ask('POST', '/v1/products', {
      handle: newId(),
      title: 'A rare thing',
      state: 'active',
      variants: [{ sku: `RARE-${newId()}`, max_order_quantity: 2 }],
    })
    const { id, variants } = made.body
    const path = `/v1/carts/${newId()}/items/${variants[0].sku}`
    const many = await buyer.ask('PUT', path, { quantity: 3 })
    expect(many.body.code).toBe('quantity_limit')
    await shop.manager.ask('PATCH', `/v1/products/${id}`, { state: 'archived' })
    expect((await buyer.ask('PUT', path, { quantity: 1 })).body.code).toBe(
      'variant_not_purchasable',
    )
  })

  test('codes that are tried by the dozen', async () => {
    const guesser = await shop.buyer()
    const cart = await guesser.cart({ [await shop.product()]: 1 })
    const tried: number[] = []
    for (let at = 0; at < 5; at++) {
      const body = { discount_codes: [`GUESS-${at}`] }
      const answer = await guesser.ask('PUT', `/v1/carts/${cart}`, body)
      tried.push(answer.status)
    }
    expect(tried.at(0)).toBe(200)
    expect(tried.every(status => status === 200 || status === 429)).toBe(true)
  })
})

test('a product that names a SKU twice is refused, when it is made and when it is changed', async () => {
  const sku = `TWICE-${newId()}`
  const product = { handle: newId(), title: 'A thing' }
  const twice = { variants: [{ sku, title: 'Red' }, { sku: `${sku}-B` }, { sku, title: 'Blue' }] }
  const made = await shop.manager.ask('POST', '/v1/products', { ...product, ...twice })
  expect([made.status, made.body.code, made.body.sku]).toEqual([409, 'sku_taken', sku])
  expect((await shop.manager.ask('GET', `/v1/inventory/${sku}`)).status).toBe(404)
  const once = { ...product, variants: [{ sku }] }
  const { body } = await shop.manager.ask('POST', '/v1/products', once)
  const changed = await shop.manager.ask('PATCH', `/v1/products/${body.id}`, twice)
  expect([changed.status, changed.body.code]).toEqual([409, 'sku_taken'])
})

test('a cart whose product was archived says so, and not that a price is missing', async () => {
  const sku = await shop.product()
  const cart = await buyer.cart({ [sku]: 1 })
  const { body } = await buyer.ask('GET', `/v1/carts/${cart}`)
  const path = `/v1/products/${body.items[0].product_id}`
  expect((await shop.manager.ask('PATCH', path, { state: 'archived' })).status).toBe(200)
  const refused = await buyer.checkout(cart)
  expect([refused.status, refused.body.code, refused.body.skus]).toEqual([
    422,
    'variant_not_purchasable',
    [sku],
  ])
  const changed = await buyer.ask('PUT', `/v1/carts/${cart}`, { currency: 'EUR' })
  expect([changed.status, changed.body.code]).toEqual([422, 'variant_not_purchasable'])
})

test('a return that names a line twice is refused', async () => {
  const order = await buyer.order({ [await shop.product()]: 3 })
  await shop.ship(order)
  const line = { order_line_id: order.lines[0].id, quantity: 1, reason_code: 'broken' }
  const lines = [line, { ...line, reason_code: 'wrong_size' }]
  const refused = await buyer.ask('POST', '/v1/returns', { order_id: order.id, lines })
  expect([refused.status, refused.body.code]).toEqual([422, 'validation_failed'])
  expect(refused.body.errors).toMatchObject([{ pointer: '/lines/1/order_line_id' }])
  const whole = { order_id: order.id, lines: [{ ...line, quantity: 2 }] }
  expect((await buyer.ask('POST', '/v1/returns', whole)).status).toBe(201)
})

test('rules that no cart could follow are refused', async () => {
  const band = { currency: 'EUR', min_subtotal_minor: 0, amount_minor: 100 }
  const method = { name: 'Parcel', countries: ['DE'] }
  const discount = { kind: 'fixed', amount_minor: 100, currency: 'EUR' }
  const never = { starts_at: '2026-12-01T00:00:00Z', ends_at: '2026-12-01T01:00:00+02:00' }
  const bodies = [
    ['/v1/commerce/settings', { ...usual_settings, default_currency: 'ZZZ' }],
    ['/v1/shipping-methods/z', { ...method, bands: [{ ...band, currency: 'ZZZ' }] }],
    ['/v1/shipping-methods/z', { ...method, bands: [band, { ...band, amount_minor: 200 }] }],
    ['/v1/discounts/Z', { ...discount, currency: 'ZZZ' }],
    ['/v1/discounts/Z', { ...discount, ...never }],
  ] as const
  const codes: string[] = []
  for (const [path, body] of bodies) {
    const { status, body: refused } = await shop.manager.ask('PUT', path, body)
    expect(status).toBe(422)
    codes.push(refused.errors?.[0].pointer ?? refused.code)
  }
  expect(codes).toEqual([
    'currency_unsupported',
    'currency_unsupported',
    '/bands/1/min_subtotal_minor',
    'currency_unsupported',
    '/ends_at',
  ])
})

describe('the database refuses', () => {
  const codeOf = (statement: ReturnType<typeof sql>) =>
    world.platform.kernel.db.run(statement).then(
      () => 'accepted',
      (error: unknown) => (error as { code?: string }).code,
    )

  test('to change what was agreed, and stock below what is reserved', async () => {
    const sku = await shop.product({ stock: 3 })
    const order = await buyer.order({ [sku]: 2 })
    const tenant_id = buyer.tenant.id
    const of = sql`id = ${order.id}`
    const line = sql`order_id = ${order.id}`
    expect(
      await codeOf(
        sql`update commerce.orders set total_minor = 1 where tenant_id = ${tenant_id} and ${of}`,
      ),
    ).toBe('23514')
    expect(
      await codeOf(
        sql`update commerce.order_lines set tax_minor = 0 where tenant_id = ${tenant_id} and ${line}`,
      ),
    ).toBe('23514')
    expect(
      await codeOf(
        sql`delete from commerce.order_lines where tenant_id = ${tenant_id} and ${line}`,
      ),
    ).toBe('23514')
    expect(
      await codeOf(sql`
      update commerce.price_versions set amount_minor = 1
      where tenant_id = ${tenant_id} and sku = ${sku}`),
    ).toBe('42501')
    expect(
      await codeOf(sql`
      delete from commerce.inventory_movements where tenant_id = ${tenant_id} and sku = ${sku}`),
    ).toBe('42501')
    expect(
      await codeOf(sql`
      update commerce.inventory_items set on_hand = 1 where tenant_id = ${tenant_id} and sku = ${sku}`),
    ).toBe('23514')
    const taken = await shop.manager.ask('POST', `/v1/inventory/${sku}/adjustments`, {
      delta: -2,
      reason: 'damaged',
    })
    expect([taken.status, taken.body.code]).toEqual([409, 'insufficient_inventory'])
  })

  test('an order whose lines do not add up to it', async () => {
    const order = await buyer.order({ [await shop.product()]: 1 })
    const tenant_id = buyer.tenant.id
    expect(
      await codeOf(sql`
      insert into commerce.order_lines (
        tenant_id, order_id, id, line_no, sku, product_id, product_description, quantity,
        accepted_unit_price_minor, subtotal_minor, discount_minor, tax_minor, total_minor, currency,
        price_version_id, tax_breakdown, requires_shipping, track_inventory)
      values (
        ${tenant_id}, ${order.id}, ${newId()}, 2, 'X', ${newId()}, 'X', 1, 100, 100, 0, 0, 100,
        'EUR', ${newId()}, '[]', true, false)`),
    ).toBe('23514')
  })
})

test('what a person left is handed out, and erased without touching the books', async () => {
  const leaving = await shop.buyer()
  const order = await leaving.order(
    { [await shop.product()]: 1 },
    { ...visa, email: 'me@example.test' },
  )
  const personal = world.platform.opened['commerce']?.personal
  const account = {
    account_id: leaving.id,
    tenant_id: leaving.tenant.id,
    principal_ids: [leaving.id],
    made_before: null,
  }
  const { signal } = new AbortController()
  const exported: unknown[] = []
  for await (const record of personal?.export(account, signal) ?? []) exported.push(record)
  expect(exported).toMatchObject([
    { kind: 'order', data: { id: order.id, email: 'me@example.test' } },
    { kind: 'cart', data: { state: 'ordered' } },
  ])
  await personal?.erase(account, signal)
  await personal?.erase(account, signal)
  const { body } = await shop.manager.ask('GET', `/v1/orders/${order.id}`)
  expect(body).toMatchObject({
    number: order.number,
    email: null,
    shipping_address: null,
    totals: order.totals,
  })
  await shop.sound()
})
