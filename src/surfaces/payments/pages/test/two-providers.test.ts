/** A page with two providers: whatever is tried where, there is one live payment and one charge. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../../../../test/world.ts'
import { openPayPalWorld, type PayPalWorld } from '../../test/paypal-world.ts'
import { payerOf } from './payer.ts'

let world: PayPalWorld
let payer: ReturnType<typeof payerOf>
beforeAll(async () => {
  world = await openPayPalWorld()
  payer = payerOf(world)
})
afterAll(() => world.close())

type Asked = Awaited<ReturnType<typeof payer.asks>>
const redirected = (url: string, more: object = {}) =>
  payer.send(url, {
    provider: 'paypal',
    payment_method: 'paypal',
    attempt_id: crypto.randomUUID(),
    ...more,
  })
const orderOf = async ({ shop, read }: Asked) =>
  await world.handleOf(shop, (await read()).intent_id)
const paid = (asked: Asked) =>
  eventually('it is paid', async () => (await asked.read()).state === 'paid')
const atPayPal = async ({ shop }: Asked) => {
  const { data } = await world.at.control('effects', {}, 'GET')
  const { body } = await shop.ask('GET', '/v1/payment-intents?limit=100')
  const handles = await Promise.all(
    (body.data as { id: string; provider: string }[])
      .filter(one => one.provider === 'paypal')
      .map(one => world.handleOf(shop, one.id)),
  )
  const all = data as { order: string; kind: string }[]
  return all.filter(one => handles.includes(one.order)).map(one => one.kind)
}

test('the page offers both, and PayPal only where it takes the amount', async () => {
  const html = async (more: object) => (await fetch(payer.at((await payer.asks(more)).url))).text()
  const both = await html({})
  expect(both).toContain('id="element"')
  expect(both).toContain('Pay with PayPal')
  const card = await html({ amount_minor: 1250, currency: 'HUF' })
  expect(card).toContain('id="element"')
  expect(card).not.toContain('Pay with PayPal')
})

test('a payer is sent to PayPal, approves and has paid once, also if the attempt is repeated', async () => {
  const asked = await payer.asks()
  const attempt_id = crypto.randomUUID()
  const first = await redirected(asked.url, { attempt_id })
  expect([first.status, first.body.state]).toEqual([200, 'processing'])
  expect(first.body.next_action.url).toContain('/checkoutnow?token=')
  expect((await redirected(asked.url, { attempt_id })).body).toEqual(first.body)
  await world.at.approve(await orderOf(asked))
  await paid(asked)
  await redirected(asked.url, { attempt_id })
  expect((await redirected(asked.url)).body.code).toBe('request_not_open')
  expect(await atPayPal(asked)).toEqual(['authorization', 'capture'])
  await world.sound()
})

test('a card, while the payer is at PayPal, first closes the order there for certain', async () => {
  const asked = await payer.asks()
  await redirected(asked.url)
  const order = await orderOf(asked)
  const card = await payer.pay(asked.url)
  expect(card.status).toBeLessThan(300)
  // The tab at PayPal is still open.
  await world.at.approve(order)
  await paid(asked)
  expect(await atPayPal(asked)).toEqual([])
  expect(await payer.effects(asked.shop)).toEqual(['authorize', 'capture'])
  await world.sound()
})

test('PayPal after a declined card: the payment at the other provider is cancelled first', async () => {
  const asked = await payer.asks()
  const declined = await payer.pay(asked.url, 'pm_card_visa_chargeDeclined')
  expect(declined.body.code).toBe('payment_declined')
  const again = await redirected(asked.url)
  expect(again.body.next_action.url).toContain('/checkoutnow')
  await world.at.approve(await orderOf(asked))
  await paid(asked)
  expect(await payer.effects(asked.shop)).not.toContain('authorize')
  expect(await atPayPal(asked)).toEqual(['authorization', 'capture'])
})

test('PayPal after a decline of PayPal begins a new order, and a card works, too', async () => {
  const asked = await payer.asks()
  await redirected(asked.url)
  const first = await orderOf(asked)
  await world.at.fault({ to: 'authorize', mode: 'decline' })
  await world.at.approve(first)
  await eventually('it is open again', async () => (await asked.read()).state === 'open')
  await redirected(asked.url)
  expect(await orderOf(asked)).not.toBe(first)
  await world.at.approve(await orderOf(asked))
  await paid(asked)
  expect(await atPayPal(asked)).toEqual(['authorization', 'capture'])
})

test('two tabs with two providers at once: one payment', async () => {
  const asked = await payer.asks()
  await Promise.all([
    payer.pay(asked.url),
    redirected(asked.url),
    payer.pay(asked.url),
    redirected(asked.url),
  ])
  await eventually('the last one is known', async () => {
    const { state, intent_id } = await asked.read()
    if (state === 'processing' && intent_id) {
      const intent = await asked.shop.read(intent_id)
      if (intent.state === 'requires_action') await world.at.approve(await orderOf(asked))
    }
    if (state === 'open') await payer.pay(asked.url)
    return state === 'paid'
  })
  const charges = [...(await payer.effects(asked.shop)), ...(await atPayPal(asked))]
  expect(charges.filter(one => one === 'capture')).toHaveLength(1)
  await world.sound()
})

test('a request that is cancelled while its payer is at PayPal takes nothing', async () => {
  const asked = await payer.asks()
  await redirected(asked.url)
  const order = await orderOf(asked)
  await asked.shop.ask('POST', `/v1/payment-requests/${asked.request.id}/cancel`)
  await eventually('it is cancelled', async () => (await asked.read()).state === 'cancelled')
  await world.at.approve(order)
  expect(await atPayPal(asked)).toEqual([])
})
