/** Requests about orders and carts: at the same time, with ids in capitals, too large, and with versions. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '#dodeca/kernel'
import type { Answer } from '../../../../test/world.ts'
import { openShopWorld, type Buyer, type Shop, type ShopWorld } from './shop-world.ts'

let world: ShopWorld
let shop: Shop
let buyer: Buyer
beforeAll(async () => {
  world = await openShopWorld()
  shop = await world.shop()
  buyer = await shop.buyer()
})
afterAll(() => world.close())

test('parts of an order that are shipped at once: one takes the money, others may try again', async () => {
  const order = await buyer.order({ [await shop.product()]: 3 })
  await world.fault({ action: 'delay_before', ms: 2000, match: { path: '/capture' } })
  const answers = await Promise.all([1, 2, 3].map(() => shop.ship(order, [1])))
  expect(answers.map(one => one.status).toSorted((a, b) => a - b)).toEqual([201, 409, 409])
  for (const { status, body, headers } of answers) {
    if (status === 201) continue
    expect(body).toMatchObject({ code: 'capture_pending' })
    expect(headers.get('retry-after')).toBe('2')
  }
  for (let left = 2; left > 0; left--) expect((await shop.ship(order, [1])).status).toBe(201)
  await buyer.reaches(order.id, 'fulfilled')
  expect(await shop.money(order.id)).toEqual(['authorize', 'capture'])
  await shop.sound()
})

test('the id of a line may have capital letters, and still names it once', async () => {
  const order = await buyer.order({ [await shop.product()]: 2 })
  const small: string = order.lines[0].id
  const large = small.toUpperCase()
  const send = (ids: readonly string[]) =>
    shop.manager.ask('POST', `/v1/orders/${order.id}/shipments`, {
      lines: ids.map(order_line_id => ({ order_line_id, quantity: 1 })),
    })
  expect((await send([small, large])).body.code).toBe('shipment_quantity_exceeded')
  const sent = await send([large])
  expect(sent.status, sent.text).toBe(201)
  expect(sent.body.lines).toEqual([{ order_line_id: small, quantity: 1 }])
  const line = { order_line_id: large, quantity: 1, reason_code: 'broken' }
  const { body } = await buyer.ask('POST', '/v1/returns', { order_id: order.id, lines: [line] })
  await shop.manager.ask('POST', `/v1/returns/${body.id}/approve`, {})
  const receive = (ids: readonly string[]) =>
    shop.manager.ask('POST', `/v1/returns/${body.id}/receive`, {
      lines: ids.map(order_line_id => ({ order_line_id, received_quantity: 1, restock: false })),
    })
  expect((await receive([small, large])).body.code).toBe('return_quantity_exceeded')
  const received = await receive([large])
  expect(received.status, received.text).toBe(200)
  expect(received.body.lines).toMatchObject([{ order_line_id: small, received_quantity: 1 }])
  expect(received.body.refund.amount_minor).toBeGreaterThan(0)
  await shop.sound()
})

test('a body that is larger than 64 KiB is refused before it is read', async () => {
  const cart = await buyer.cart({ [await shop.product()]: 1 })
  const large = { of: 'x'.repeat(70_000) }
  const id = newId()
  for (const [who, method, path] of [
    [buyer, 'POST', '/v1/checkouts'],
    [buyer, 'POST', '/v1/carts'],
    [buyer, 'PUT', `/v1/carts/${cart}`],
    [buyer, 'PUT', `/v1/carts/${cart}/items/x`],
    [buyer, 'POST', `/v1/orders/${id}/cancel`],
    [buyer, 'POST', '/v1/returns'],
    [shop.manager, 'POST', `/v1/orders/${id}/shipments`],
    [shop.manager, 'POST', `/v1/returns/${id}/receive`],
  ] as const) {
    const { status, body } = await who.ask(method, path, large)
    expect([path, status, body.code]).toEqual([path, 413, 'content_too_large'])
  }
})

test('the tag of a cart is the one of its last change, and changes with what is shown', async () => {
  const sku = await shop.product({ stock: 1 })
  const cart = await buyer.cart({ [sku]: 1 })
  const path = `/v1/carts/${cart}`
  const put = await buyer.ask('PUT', `${path}/items/${sku}`, { quantity: 1 })
  const tag = put.headers.get('etag') ?? ''
  const read = (headers: Record<string, string> = {}) =>
    world.call('GET', path, { token: buyer.token, headers })
  const change = (if_match: string) =>
    world.call('PUT', path, {
      token: buyer.token,
      headers: { 'if-match': if_match },
      body: { discount_codes: [] },
    })
  expect((await read()).headers.get('etag')).toBe(tag)
  expect((await read({ 'if-none-match': tag })).status).toBe(304)
  // The cart did not change, and its goods are sold.
  await buyer.order({ [sku]: 1 })
  const now = await read({ 'if-none-match': tag })
  expect([now.status, now.body.items[0].availability]).toEqual([200, 'insufficient'])
  expect((await change(now.headers.get('etag') ?? '')).status).toBe(200)
  expect((await change(tag)).status).toBe(412)
})

test('carts are listed newest first, whatever their ids are', async () => {
  const own = await shop.buyer()
  const sku = await shop.product()
  // The buyer chooses the ids: here the newest has the smallest one.
  const ids = [3, 2, 1].map(n => `${n}${randomUUID().slice(1)}`)
  for (const id of ids) await own.ask('PUT', `/v1/carts/${id}/items/${sku}`, { quantity: 1 })
  const listed: string[] = []
  for (let next: string | null = '/v1/carts?limit=2'; next;) {
    const { body }: Answer = await own.ask('GET', next)
    listed.push(...body.data.map((one: { id: string }) => one.id))
    next = body.next_cursor && `/v1/carts?limit=2&cursor=${body.next_cursor}`
  }
  expect(listed).toEqual(ids.toReversed())
})

test('a shop finds shipments by their tracking number, and no shipment of another shop', async () => {
  const other = await world.shop()
  const sku = await shop.product()
  const order = await buyer.order({ [sku]: 2 })
  const sent = await shop.manager.ask('POST', `/v1/orders/${order.id}/shipments`, {
    lines: [{ order_line_id: order.lines[0].id, quantity: 1 }],
    tracking_number: 'Jvgl 0612',
  })
  expect(sent.status, sent.text).toBe(201)
  const { id } = sent.body
  const found = async (query: string, { manager } = shop) => {
    const { body } = await manager.ask('GET', `/v1/shipments?${query}`)
    return body.data.map((one: { id: string }) => one.id)
  }
  expect(await found(`order_id=${order.id}`)).toEqual([expect.any(String), id])
  expect(await found('state=shipped')).toContain(id)
  for (const find of ['JVGL 06', id]) {
    expect(await found(`find=${find}`)).toEqual([id])
    expect(await found(`find=${find}`, other)).toEqual([])
  }
  expect(await found('find=0612')).toEqual([])
  const { text } = await world.call('GET', '/v1/shipments', {
    token: shop.manager.token,
    headers: { accept: 'text/csv' },
  })
  expect(text).toContain(
    'id,order_id,state,lines,carrier,tracking_number,created_at,shipped_at,delivered_at\r\n',
  )
  expect((await buyer.ask('GET', '/v1/shipments')).body.code).toBe('permission_denied')
})
