/** Requests that break off at each step, and a provider that is down: a retry finds one effect, none is lost. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually, newKey } from '../../../../test/world.ts'
import { openPaymentWorld, type PaymentWorld } from './payment-world.ts'

let world: PaymentWorld
beforeAll(async () => {
  world = await openPaymentWorld({
    PAYMENTS_BREAKER_OPEN_MS: '500',
    PAYMENTS_PROVIDER_TIMEOUT_MS: '2000',
  })
})
afterAll(() => world.close())

const points = [
  'kernel.after_operation',
  'payments.before_call',
  'payments.before_handle',
  'payments.after_handle',
  'payments.after_call',
  'kernel.after_call',
  'payments.in_apply',
  'kernel.after_commit',
]

describe('broken off at', () => {
  test.each(points)('%s: a retry with the key completes it, once', async point => {
    const shop = await world.merchant()
    const { id } = await shop.intent()
    const key = newKey()
    const authorize = () =>
      shop.ask(
        'POST',
        `/v1/payment-intents/${id}/authorize`,
        { payment_method: 'pm_card_visa' },
        key,
      )
    world.platform.faults.set({ point, action: 'throw', times: 1 })
    expect((await authorize()).status).toBe(500)
    world.platform.faults.clear()
    const done = await eventually('the retry is answered', async () => {
      const answer = await authorize()
      return answer.status < 300 && answer
    })
    expect(done.headers.get('idempotent-replayed') === 'true' || done.status <= 202).toBe(true)
    await shop.reaches(id, 'authorized')
    const { data } = await world.control('effects', {}, 'GET')
    const own = (data as { kind: string; metadata: { intent_id?: string } }[]).filter(
      one => one.metadata.intent_id === id,
    )
    expect(own.map(one => one.kind)).toEqual(['authorize'])
  })

  test('the receipt of a webhook: the provider sends it again', async () => {
    const shop = await world.merchant()
    const { id } = await shop.authorized(5000, 'pm_card_authenticationRequired')
    const { next_action } = await shop.read(id)
    world.platform.faults.set({ point: 'payments.webhook', action: 'throw', times: 1 })
    await fetch(`${next_action.url}/succeed`, { method: 'POST' })
    const held = await shop.reaches(id, 'authorized')
    world.platform.faults.clear()
    expect(held.amount_capturable_minor).toBe(5000)
  })

  test('a page of a reconciliation: the run goes on where it was', async () => {
    const shop = await world.merchant()
    await shop.captured()
    world.platform.faults.set({ point: 'payments.reconciliation_page', action: 'throw', times: 1 })
    const wide = { from: '2020-01-01T00:00:00.000Z', to: '2100-01-01T00:00:00.000Z' }
    const asked = await shop.ask('POST', '/v1/reconciliation-runs', wide)
    const run = await eventually('it has ended', async () => {
      const { body } = await shop.ask('GET', asked.headers.get('location') ?? '')
      return body.status === 'succeeded' && body
    })
    expect(run.proof.EUR.clearing_minor).toBe(run.proof.EUR.provider_minor)
  })
})

test('a provider that is down piles nothing up; when it is back, everything is resolved', async () => {
  const shop = await world.merchant()
  const ids: string[] = []
  for (let made = 0; made < 40; made++) ids.push((await shop.intent()).id)
  await world.fault({ action: 'http', status: 503, times: 1_000_000, match: { path: '/v1/' } })
  const answers = await Promise.all(
    ids.map(id =>
      shop.ask('POST', `/v1/payment-intents/${id}/authorize`, { payment_method: 'pm_card_visa' }),
    ),
  )
  const statuses = new Set(answers.map(one => one.status))
  expect([...statuses].filter(status => status !== 202 && status !== 503)).toEqual([])
  const refused = await eventually('the breaker is open', async () => {
    const { id } = await shop.intent()
    const answer = await shop.ask('POST', `/v1/payment-intents/${id}/authorize`, {
      payment_method: 'pm_card_visa',
    })
    return answer.status === 503 && answer
  })
  expect(refused.body.code).toBe('payment_provider_unavailable')
  await world.control('faults', {}, 'DELETE')
  const begun = ids.filter((_id, at) => answers[at]?.status === 202)
  for (const id of begun) await shop.reaches(id, 'authorized')
  expect(begun.length).toBeGreaterThan(0)
  await expect(world.sound()).resolves.toBeUndefined()
})
