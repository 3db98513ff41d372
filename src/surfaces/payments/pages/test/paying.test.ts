/** A request is paid on its page: once, whatever the payer does and whatever is lost. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../../../../test/world.ts'
import { sql } from '#dodeca/kernel'
import { openPaymentWorld, type PaymentWorld } from '../../test/payment-world.ts'
import { payerOf } from './payer.ts'

let world: PaymentWorld
let payer: ReturnType<typeof payerOf>
beforeAll(async () => {
  world = await openPaymentWorld({ PAYMENTS_PROVIDER_TIMEOUT_MS: '2000' })
  payer = payerOf(world)
})
afterAll(() => world.close())

type Asked = Awaited<ReturnType<typeof payer.asks>>
const reaches = ({ read }: Pick<Asked, 'read'>, state: string) =>
  eventually(`the request is ${state}`, async () => {
    const found = await read()
    return found.state === state && found
  })
const requestEvents = async (id: string) => (await world.events(id)).map(one => one.split('.')[1])

describe('a payment request', () => {
  test('is paid with a token of a browser, captured, and announced', async () => {
    const asked = await payer.asks({ order_ref: 'order-1' })
    expect(asked.request).toMatchObject({ state: 'open', used: 0, uses: 1, intent_id: null })
    const answer = await payer.pay(asked.url, 'pm_card_visa', { email: 'ann@example.test' })
    expect([200, 202]).toContain(answer.status)
    const paid = await reaches(asked, 'paid')
    expect(paid).toMatchObject({ used: 1, payer_email: 'ann@example.test' })
    const intent = await asked.shop.read(paid.intent_id)
    expect(intent).toMatchObject({ state: 'captured', request_id: paid.id, order_ref: 'order-1' })
    expect(await payer.effects(asked.shop)).toEqual(['authorize', 'capture'])
    expect(await requestEvents(paid.id)).toEqual(['paid'])
    const again = await payer.pay(asked.url)
    expect([again.status, again.body.code]).toEqual([409, 'request_not_open'])
    expect(await (await fetch(payer.at(asked.url))).text()).toContain('Paid. Thank you.')
  })

  test('that is declined is open, says nothing about a stolen card, and is paid by another', async () => {
    const asked = await payer.asks()
    const body = {
      provider: 'stripe',
      payment_method: await payer.token('pm_card_visa_chargeDeclinedStolenCard'),
      attempt_id: crypto.randomUUID(),
    }
    for (let turn = 0; turn < 2; turn++) {
      const declined = await payer.send(asked.url, body)
      expect([declined.status, declined.body.code]).toEqual([422, 'payment_declined'])
      expect(JSON.stringify(declined.body)).not.toContain('stolen')
    }
    expect(await asked.read()).toMatchObject({ state: 'open' })
    await payer.pay(asked.url)
    await reaches(asked, 'paid')
    expect(await payer.effects(asked.shop)).toEqual(['authorize', 'capture'])
  })

  test('is paid once by twenty copies of an attempt; another body with its id is refused', async () => {
    const asked = await payer.asks()
    const body = {
      provider: 'stripe',
      payment_method: await payer.token(),
      attempt_id: crypto.randomUUID(),
    }
    const answers = await Promise.all(Array.from({ length: 20 }, () => payer.send(asked.url, body)))
    for (const { status } of answers) expect([200, 202]).toContain(status)
    await reaches(asked, 'paid')
    expect(await payer.effects(asked.shop)).toEqual(['authorize', 'capture'])
    const other = await payer.send(asked.url, { ...body, payment_method: 'pm_card_visa' })
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_key_reused'])
  })

  test('is paid by one of ten payers at once', async () => {
    const asked = await payer.asks()
    const answers = await Promise.all(Array.from({ length: 10 }, () => payer.pay(asked.url)))
    const codes = answers.filter(one => one.status === 409).map(one => one.body.code)
    expect(codes).toHaveLength(9)
    for (const code of codes) expect(['operation_pending', 'request_not_open']).toContain(code)
    await reaches(asked, 'paid')
    expect(await payer.effects(asked.shop)).toEqual(['authorize', 'capture'])
  })

  test('whose payer must confirm is paid after that, also without a webhook', async () => {
    const asked = await payer.asks()
    const answer = await payer.pay(asked.url, 'pm_card_authenticationRequired')
    expect(answer.status).toBe(200)
    const { next_action } = answer.body
    expect(next_action).toMatchObject({ type: 'use_stripe_sdk', url: null })
    const [handle] = next_action.client_secret.split('_secret_')
    await world.control('config', { webhook_url: null })
    await world.control('three_ds', { payment_intent: handle, outcome: 'succeed' })
    expect((await payer.state(asked.url)).next_action).toBeNull()
    await reaches(asked, 'paid')
    await world.control('config', { webhook_url: `${world.url}/v1/providers/stripe/webhooks` })
  })

  test('whose capture is refused holds nothing, and is paid by another attempt', async () => {
    const asked = await payer.asks()
    await world.fault({ action: 'http', status: 400, match: { path: '/capture' }, times: 1 })
    await payer.pay(asked.url)
    await reaches(asked, 'open')
    expect(await payer.effects(asked.shop)).toEqual(['authorize', 'cancel'])
    expect((await payer.pay(asked.url)).status).toBeLessThan(300)
    await reaches(asked, 'paid')
    const effects = ['authorize', 'cancel', 'authorize', 'capture']
    expect(await payer.effects(asked.shop)).toEqual(effects)
    await world.sound()
  })

  test('whose challenge fails is open again', async () => {
    const asked = await payer.asks()
    const { body } = await payer.pay(asked.url, 'pm_card_threeDSecure2Required')
    expect(body.next_action).toMatchObject({ type: 'redirect_to_url', client_secret: null })
    const back = await fetch(`${body.next_action.url}/fail`, { method: 'POST', redirect: 'manual' })
    expect(back.headers.get('location')).toBe(asked.url)
    expect((await payer.state(asked.url)).state).toBe('open')
  })

  test('whose payer takes another card in a second tab has one live payment', async () => {
    const asked = await payer.asks()
    const first = await payer.pay(asked.url, 'pm_card_threeDSecure2Required')
    await payer.pay(asked.url)
    await reaches(asked, 'paid')
    expect((await fetch(first.body.next_action.url)).status).toBe(404)
    expect(await payer.effects(asked.shop)).toEqual(['cancel', 'authorize', 'capture'])
  })

  test('with an amount of the payer needs one, and takes another after a decline', async () => {
    const asked = await payer.asks({ amount_minor: undefined })
    expect((await payer.pay(asked.url)).body.errors[0].pointer).toBe('/amount_minor')
    await payer.pay(asked.url, 'pm_card_visa_chargeDeclined', { amount_minor: 9000 })
    await payer.pay(asked.url, 'pm_card_visa', { amount_minor: 700 })
    const paid = await reaches(asked, 'paid')
    expect((await asked.shop.read(paid.intent_id)).amount_captured_minor).toBe(700)
    const fixed = await payer.asks()
    const less = await payer.pay(fixed.url, 'pm_card_visa', { amount_minor: 1 })
    expect([less.status, await payer.effects(fixed.shop)]).toEqual([422, []])
  })
})

describe('the end of a request', () => {
  test('by its merchant refuses payers; repeated it is the same', async () => {
    const asked = await payer.asks()
    const path = `/v1/payment-requests/${asked.request.id}/cancel`
    for (let turn = 0; turn < 2; turn++) {
      const { status, body } = await asked.shop.ask('POST', path)
      expect([status, body.state]).toEqual([200, 'cancelled'])
    }
    expect((await payer.pay(asked.url)).body.code).toBe('request_not_open')
    expect(await requestEvents(asked.request.id)).toEqual(['cancelled'])
  })

  test('while its payer must confirm first closes the payment', async () => {
    const asked = await payer.asks()
    const first = await payer.pay(asked.url, 'pm_card_threeDSecure2Required')
    const path = `/v1/payment-requests/${asked.request.id}/cancel`
    expect((await asked.shop.ask('POST', path)).status).toBe(202)
    await reaches(asked, 'cancelled')
    expect((await fetch(first.body.next_action.url)).status).toBe(404)
    expect(await payer.effects(asked.shop)).toEqual(['cancel'])
  })

  test.each(['cancelled', 'expired'])(
    'while its payment is in doubt: %s, and no hold',
    async to => {
      const asked = await payer.asks()
      // Made before, because its path is like that of the confirmation.
      const body = {
        provider: 'stripe',
        payment_method: await payer.token(),
        attempt_id: crypto.randomUUID(),
      }
      await world.fault({
        action: 'http',
        status: 500,
        after_effect: true,
        match: { path: '/confirm' },
      })
      await world.fault({ action: 'http', status: 500, match: { method: 'GET' }, times: 2 })
      expect((await payer.send(asked.url, body)).status).toBe(202)
      if (to === 'expired') await expire(asked.request.id)
      else await asked.shop.ask('POST', `/v1/payment-requests/${asked.request.id}/cancel`)
      const ended = await eventually('it has ended', async () => {
        const { state } = await asked.read()
        return state !== 'processing' && state !== 'open' && state
      })
      await world.control('faults', {}, 'DELETE')
      // Captured before it was to end, or released.
      const effects = await payer.effects(asked.shop)
      expect(effects).toEqual(['authorize', ended === 'paid' ? 'capture' : 'cancel'])
      expect(['paid', to]).toContain(ended)
    },
  )

  test('by its time', async () => {
    const asked = await payer.asks()
    await expire(asked.request.id)
    expect((await payer.pay(asked.url)).body.code).toBe('request_not_open')
    await reaches(asked, 'expired')
    expect(await (await fetch(payer.at(asked.url))).text()).toContain('has expired')
  })

  test('in a tenant that was disabled: nothing is paid', async () => {
    const asked = await payer.asks()
    await world.identity.administration.disableTenant(asked.shop.tenant.slug, 'test')
    expect((await payer.pay(asked.url)).body.code).toBe('request_not_open')
    expect(await payer.effects(asked.shop)).toEqual([])
  })
})

async function expire(id: string): Promise<void> {
  await world.platform.kernel.db.run(sql`
    -- any tenant: one request of a test
    update payments.payment_requests set expires_at = kernel.now(), due_at = kernel.now()
    where id = ${id}`)
  world.platform.kernel.wake(['payments.requests'])
}

const points = [
  'payments.after_operation',
  'payments.before_call',
  'payments.before_handle',
  'payments.after_handle',
  'payments.after_call',
  'payments.in_apply',
]

test.each(points)('an attempt that breaks off at %s is one effect', async point => {
  const asked = await payer.asks()
  const body = {
    provider: 'stripe',
    payment_method: await payer.token(),
    attempt_id: crypto.randomUUID(),
  }
  world.platform.faults.set({ point, action: 'throw', times: 1 })
  expect((await payer.send(asked.url, body)).status).toBe(500)
  world.platform.faults.clear()
  expect([200, 202]).toContain((await payer.send(asked.url, body)).status)
  const second = await payer.pay(asked.url)
  expect([second.status, second.body.code]).toEqual([409, 'operation_pending'])
  // The resolver takes over when the attempt must have ended.
  await world.platform.kernel.db.run(sql`
    update payments.payment_operations set due_at = kernel.now()
    where tenant_id = ${asked.shop.tenant.id} and state in ('created', 'pending_provider')`)
  world.platform.kernel.wake(['payments.resolver'])
  await reaches(asked, 'paid')
  expect(await payer.effects(asked.shop)).toEqual(['authorize', 'capture'])
  await expect(world.sound()).resolves.toBeUndefined()
})
