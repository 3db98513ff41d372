/** From a product to a returned order, as buyers and the shop live it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newKey } from '../../../../test/world.ts'
import { newId } from '#dodeca/kernel'
import { address, openShopWorld, visa, type ShopWorld } from './shop-world.ts'

let world: ShopWorld
beforeAll(async () => {
  world = await openShopWorld()
})
afterAll(() => world.close())

describe('an order', () => {
  test('is placed, shipped in two parts, returned one by one and refunded to the cent', async () => {
    const shop = await world.shop()
    const buyer = await shop.buyer()
    const sku = await shop.product({ amount_minor: 840, stock: 10 })
    const order = await buyer.order({ [sku]: 3 })
    // 25.20 and 4.79 tax, 5.00 shipping and 0.95 tax.
    expect(order).toMatchObject({
      state: 'confirmed',
      number: 1,
      totals: { subtotal_minor: 2520, tax_minor: 574, shipping_minor: 500, total_minor: 3594 },
      payment: { state: 'authorized', amount_authorized_minor: 3594, amount_captured_minor: 0 },
      reservation: { state: 'committed' },
    })
    expect(await shop.stock(sku)).toMatchObject({ on_hand: 10, reserved: 3, available: 7 })
    const first = await shop.ship(order, [1])
    expect([first.status, first.body.state]).toEqual([201, 'shipped'])
    expect(await buyer.read(order.id)).toMatchObject({
      state: 'confirmed',
      payment: { state: 'captured', amount_captured_minor: 3594 },
      shipments: [{ state: 'shipped' }, { state: 'preparing' }],
    })
    expect((await shop.ship(order, [3])).body.code).toBe('shipment_quantity_exceeded')
    expect((await shop.ship(order, [2])).status).toBe(201)
    expect((await buyer.read(order.id)).state).toBe('fulfilled')
    expect(await shop.stock(sku)).toMatchObject({ on_hand: 7, reserved: 0 })
    const order_line_id = order.lines[0].id
    const refunds: number[] = []
    for (let unit = 0; unit < 3; unit++) {
      const asked = await buyer.ask('POST', '/v1/returns', {
        order_id: order.id,
        lines: [{ order_line_id, quantity: 1, reason_code: 'broken' }],
      })
      expect(asked.status, asked.text).toBe(201)
      const path = `/v1/returns/${asked.body.id}`
      const refund_shipping = unit === 2 ? 'full' : 'none'
      expect((await shop.manager.ask('POST', `${path}/approve`, { refund_shipping })).status).toBe(
        200,
      )
      const lines = [{ order_line_id, received_quantity: 1, restock: unit === 0 }]
      const received = await shop.manager.ask('POST', `${path}/receive`, { lines })
      expect(received.body.state, received.text).toBe('refund_pending')
      refunds.push(received.body.refund.amount_minor)
    }
    expect(refunds).toEqual([1000, 999, 1000 + 595])
    const done = await buyer.pays(order.id, 'refunded')
    expect(done.returns.map((one: { state: string }) => one.state)).toEqual(
      Array.from({ length: 3 }, () => 'refunded'),
    )
    expect(await shop.stock(sku)).toMatchObject({ on_hand: 8, reserved: 0 })
    expect(await shop.money(order.id)).toEqual([
      'authorize',
      'capture',
      'refund',
      'refund',
      'refund',
    ])
    await shop.sound()
  })

  test('keeps what was agreed, whatever the catalog says later; a return pays the old price', async () => {
    const shop = await world.shop()
    const buyer = await shop.buyer()
    const sku = await shop.product({ amount_minor: 1000 })
    const order = await buyer.order({ [sku]: 1 })
    const before = await buyer.read(order.id)
    const { product_id } = before.lines[0]
    const price = { sku, currency: 'EUR', amount_minor: 9999 }
    expect((await shop.manager.ask('POST', '/v1/price-versions', price)).status).toBe(201)
    const change = { title: 'Another thing', state: 'archived' }
    expect((await shop.manager.ask('PATCH', `/v1/products/${product_id}`, change)).status).toBe(200)
    await shop.manager.ask('PUT', '/v1/tax-rules/de', {
      name: 'Other',
      tax_class: 'standard',
      country: 'DE',
      rate_ppm: 70_000,
    })
    const { shipments: _later, ...kept } = await buyer.read(order.id)
    const { shipments: _then, ...was } = before
    expect(kept).toEqual(was)
    await shop.ship(order)
    const asked = await buyer.ask('POST', '/v1/returns', {
      order_id: order.id,
      lines: [{ order_line_id: order.lines[0].id, quantity: 1, reason_code: 'broken' }],
    })
    await shop.manager.ask('POST', `/v1/returns/${asked.body.id}/approve`, {})
    const received = await shop.manager.ask('POST', `/v1/returns/${asked.body.id}/receive`, {
      lines: [{ order_line_id: order.lines[0].id, received_quantity: 1, restock: true }],
    })
    expect(received.body.refund.amount_minor).toBe(1190)
  })

  test('is explained cent by cent', async () => {
    const shop = await world.shop({ rounding_mode: 'order' })
    const buyer = await shop.buyer()
    const order = await buyer.order({ [await shop.product({ amount_minor: 333 })]: 1 })
    const { body } = await buyer.ask('GET', `/v1/orders/${order.id}?include=calculation`)
    expect(body.calculation).toMatchObject({
      rounding_mode: 'order',
      steps: [{ subtotal_minor: 333, tax: [{ rate_ppm: 190_000, exact: '63270000/1000000' }] }],
      totals: body.totals,
    })
    expect((await buyer.read(order.id)).calculation).toBeUndefined()
  })

  test('that costs nothing needs no payment; one with nothing to send is fulfilled when it is paid', async () => {
    const shop = await world.shop()
    const buyer = await shop.buyer()
    const free = { requires_shipping: false, track_inventory: false }
    const gift = await shop.product({ amount_minor: 0, ...free })
    const given = await buyer.checkout(await buyer.cart({ [gift]: 1 }), {})
    expect([given.status, given.body.state, given.body.payment.state]).toEqual([
      201,
      'fulfilled',
      'none',
    ])
    const file = await shop.product({ amount_minor: 500, requires_shipping: false, stock: 5 })
    const order = await buyer.order({ [file]: 2 })
    await buyer.reaches(order.id, 'fulfilled')
    expect(await shop.money(order.id)).toEqual(['authorize', 'capture'])
    expect(await shop.stock(file)).toMatchObject({ on_hand: 3, reserved: 0 })
    await shop.sound()
  })

  test('cancelled before shipping gives everything back, by its buyer or the shop', async () => {
    const shop = await world.shop()
    const buyer = await shop.buyer()
    const sku = await shop.product({ stock: 2 })
    const order = await buyer.order({ [sku]: 2 })
    const cancelled = await buyer.ask('POST', `/v1/orders/${order.id}/cancel`, {
      reason_code: 'changed_mind',
    })
    expect([cancelled.status, cancelled.body.state]).toEqual([200, 'cancelled'])
    expect((await buyer.ask('POST', `/v1/orders/${order.id}/cancel`)).status).toBe(200)
    await buyer.pays(order.id, 'released')
    expect(await shop.money(order.id)).toEqual(['authorize', 'cancel'])
    const taken = await buyer.order({ [sku]: 1 })
    await shop.ship(taken)
    const late = await buyer.ask('POST', `/v1/orders/${taken.id}/cancel`, {})
    expect([late.status, late.body.code]).toEqual([409, 'order_not_cancellable'])
    const early = await world.shop({ capture_policy: 'on_confirm' })
    const second = await early.buyer()
    const paid = await second.order({ [await early.product()]: 1 })
    await second.pays(paid.id, 'captured')
    expect((await early.manager.ask('POST', `/v1/orders/${paid.id}/cancel`, {})).status).toBe(200)
    await second.pays(paid.id, 'refunded')
    expect(await early.money(paid.id)).toEqual(['authorize', 'capture', 'refund'])
    await shop.sound()
    await early.sound()
  })

  test('that is declined gives back goods, code and cart', async () => {
    const shop = await world.shop()
    const buyer = await shop.buyer()
    const sku = await shop.product({ stock: 1 })
    await shop.manager.ask('PUT', '/v1/discounts/ONCE', {
      kind: 'percent',
      rate_ppm: 100_000,
      usage_limit: 1,
    })
    const cart = await buyer.cart({ [sku]: 1 }, { discount_codes: ['ONCE'] })
    const bad = { payment: { payment_method: 'pm_card_visa_chargeDeclinedInsufficientFunds' } }
    const declined = await buyer.checkout(cart, bad)
    expect(declined.body).toMatchObject({
      code: 'payment_declined',
      decline_code: 'insufficient_funds',
    })
    expect((await buyer.read(declined.body.order_id)).state).toBe('payment_failed')
    expect((await buyer.checkout(cart)).status).toBe(201)
    await shop.sound()
  })

  test('whose buyer must confirm waits, says where, and is confirmed by the event', async () => {
    const shop = await world.shop()
    const buyer = await shop.buyer()
    const cart = await buyer.cart({ [await shop.product()]: 1 })
    const asked = await buyer.checkout(cart, {
      payment: { payment_method: 'pm_card_authenticationRequired' },
    })
    expect([asked.status, asked.body.status]).toEqual([202, 'pending'])
    const { payment } = await buyer.read(asked.body.id)
    expect(payment.state).toBe('requires_action')
    expect(asked.body.payment).toEqual(payment)
    await fetch(`${payment.next_action.url}/succeed`, { method: 'POST' })
    await buyer.reaches(asked.body.id, 'confirmed')
  })
})

describe('a checkout', () => {
  test('at other totals than were shown is refused with the new ones', async () => {
    const shop = await world.shop()
    const buyer = await shop.buyer()
    const sku = await shop.product({ amount_minor: 1000 })
    const cart = await buyer.cart({ [sku]: 1 })
    const { pricing_fingerprint } = (await buyer.ask('GET', `/v1/carts/${cart}`)).body
    await shop.manager.ask('POST', '/v1/price-versions', {
      sku,
      currency: 'EUR',
      amount_minor: 1100,
    })
    const changed = await buyer.checkout(cart, { ...visa, pricing_fingerprint })
    expect([changed.status, changed.body.code]).toEqual([409, 'pricing_changed'])
    const { quote } = changed.body
    expect(quote.totals.subtotal_minor).toBe(1100)
    const taken = await buyer.checkout(cart, {
      ...visa,
      pricing_fingerprint: quote.pricing_fingerprint,
    })
    expect([taken.status, taken.body.totals.subtotal_minor]).toEqual([201, 1100])
  })

  test('takes no price from its caller, and names what it did not read', async () => {
    const shop = await world.shop()
    const buyer = await shop.buyer()
    const sku = await shop.product({ amount_minor: 1000 })
    const cart = await buyer.cart({ [sku]: 1 })
    const cheap = { total_minor: 1, tenant_id: newId(), lines: [{ sku, unit_price_minor: 1 }] }
    const refused = await buyer.checkout(cart, { ...visa, ...cheap })
    expect([refused.status, refused.body.code]).toEqual([422, 'unsupported_field'])
    expect(refused.body.detail).toContain('`total_minor` is not known here')
    const answer = await buyer.checkout(cart, visa)
    expect([answer.status, answer.body.totals.subtotal_minor]).toEqual([201, 1000])
  })

  test('with card numbers is refused before its key is kept', async () => {
    const shop = await world.shop()
    const buyer = await shop.buyer()
    const cart = await buyer.cart({ [await shop.product()]: 1 })
    const key = newKey()
    const card = { payment: { payment_method: '4242 4242 4242 4242' } }
    const refused = await buyer.checkout(cart, card, key)
    expect([refused.status, refused.body.code]).toEqual([422, 'card_data_refused'])
    expect((await buyer.checkout(cart, visa, key)).status).toBe(201)
  })

  test('with a card number in the address of its cart is refused there', async () => {
    const shop = await world.shop()
    const buyer = await shop.buyer()
    const cart = await buyer.cart({ [await shop.product()]: 1 })
    const typed = { shipping_address: { ...address, line2: '4242 4242 4242 4242' } }
    const refused = await buyer.ask('PUT', `/v1/carts/${cart}`, typed)
    expect([refused.status, refused.body.code]).toEqual([422, 'card_data_refused'])
    expect((await buyer.ask('GET', `/v1/carts/${cart}`)).text).not.toContain('4242')
  })

  test.each([
    ['cart_empty', async (_sku: string) => ({}), {}],
    ['address_required', async (sku: string) => ({ [sku]: 1 }), { bare: true }],
  ])('is refused: %s', async (code, itemsOf, { bare = false }: { bare?: boolean }) => {
    const shop = await world.shop()
    const buyer = await shop.buyer()
    const items = await itemsOf(await shop.product())
    const opened = await buyer.ask('POST', '/v1/carts', { currency: 'EUR' })
    const cart = opened.body.id
    for (const sku of Object.keys(items)) {
      await buyer.ask('PUT', `/v1/carts/${cart}/items/${sku}`, { quantity: 1 })
    }
    const refused = await buyer.checkout(cart)
    expect([bare, refused.status, refused.body.code]).toEqual([bare, 422, code])
  })
})
