/**
 * Stripe's wire protocol as the official SDK speaks it. With STRIPE_TEST_KEY the same file runs against
 * Stripe's own test mode, which is how the sandbox is kept honest.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Stripe } from 'stripe'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '#dodeca/kernel'
import { openSandbox, type Sandbox } from '../../open-sandbox.ts'
import { stripe as vendor } from '../stripe.ts'

const real = process.env['STRIPE_TEST_KEY']
let folder: string
let sandbox: Sandbox
let stripe: Stripe
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dodeca-stripe-'))
  sandbox = await openSandbox(folder, [vendor])
  stripe = connect()
})
afterAll(async () => {
  await sandbox.close()
  await rm(folder, { recursive: true, force: true })
})

function connect(timeout = 2000): Stripe {
  const options = { maxNetworkRetries: 0, telemetry: false, timeout }
  if (real) return new Stripe(real, { ...options, timeout: 20_000 })
  const { api = '', key = '' }: Record<string, string> = sandbox.addresses['stripe'] ?? {}
  const { hostname, port } = new URL(api)
  return new Stripe(key, { ...options, protocol: 'http', host: hostname, port })
}

async function control(path: string, body: object, method = 'POST') {
  const answer = await fetch(new URL(path, sandbox.addresses['stripe']?.control), {
    method,
    ...(method === 'POST'
      ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
      : {}),
  })
  const text = await answer.text()
  expect(answer.status, text).toBeLessThan(300)
  return text ? JSON.parse(text) : null
}

const hold = (amount = 5000, currency = 'eur') =>
  stripe.paymentIntents.create(
    {
      amount,
      currency,
      capture_method: 'manual',
      allowed_payment_method_types: ['card'],
      metadata: { intent_id: newId() },
    },
    { idempotencyKey: newId() },
  )
const confirm = (id: string, payment_method = 'pm_card_visa', key = newId()) =>
  stripe.paymentIntents.confirm(id, { payment_method }, { idempotencyKey: key })
const failure = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable('it succeeded'),
    (error: unknown) => error as Stripe.errors.StripeError,
  )

describe('a payment', () => {
  test('is held, captured in part, and refunded', async () => {
    const { id, status } = await hold()
    expect(status).toBe('requires_payment_method')
    const held = await confirm(id)
    expect([held.status, held.amount_capturable]).toEqual(['requires_capture', 5000])
    const taken = await stripe.paymentIntents.capture(
      id,
      { amount_to_capture: 3000, expand: ['latest_charge.balance_transaction'] },
      { idempotencyKey: newId() },
    )
    expect([taken.status, taken.amount_received]).toEqual(['succeeded', 3000])
    const charge = taken.latest_charge as Stripe.Charge
    const booked = charge.balance_transaction as Stripe.BalanceTransaction
    expect([booked.amount, booked.net]).toEqual([3000, 3000 - booked.fee])
    const refund = await stripe.refunds.create({ payment_intent: id, amount: 1000 })
    expect([refund.status, refund.amount]).toEqual(['succeeded', 1000])
    const listed = await stripe.refunds.list({ payment_intent: id })
    expect(listed.data.map(one => one.id)).toEqual([refund.id])
    await stripe.refunds.create({ payment_intent: id })
    const over = await failure(stripe.refunds.create({ payment_intent: id }))
    expect([over.statusCode, over.code]).toEqual([400, 'charge_already_refunded'])
  })

  test('that is declined answers 402 and can be tried with another card', async () => {
    const { id } = await hold()
    const error = await failure(confirm(id, 'pm_card_visa_chargeDeclinedInsufficientFunds'))
    expect([error.statusCode, error.code, error.decline_code]).toEqual([
      402,
      'card_declined',
      'insufficient_funds',
    ])
    expect((await stripe.paymentIntents.retrieve(id)).status).toBe('requires_payment_method')
    expect((await confirm(id)).status).toBe('requires_capture')
    const again = await failure(confirm(id))
    expect([again.statusCode, again.code]).toEqual([400, 'payment_intent_unexpected_state'])
  })

  test('that is cancelled can never succeed', async () => {
    const { id } = await hold()
    expect((await stripe.paymentIntents.cancel(id)).status).toBe('canceled')
    expect((await failure(confirm(id))).code).toBe('payment_intent_unexpected_state')
  })

  test('may need the cardholder', async () => {
    const { id } = await hold()
    const waiting = await stripe.paymentIntents.confirm(id, {
      payment_method: 'pm_card_authenticationRequired',
      return_url: 'https://shop.example/back',
    })
    expect(waiting.status).toBe('requires_action')
    expect(waiting.next_action?.type).toBe('redirect_to_url')
    if (real) return
    await control('three_ds', { payment_intent: id, outcome: 'succeed' })
    expect((await stripe.paymentIntents.retrieve(id)).status).toBe('requires_capture')
  })
})

describe('a key', () => {
  test('replays its outcome, and refuses other parameters', async () => {
    const { id } = await hold()
    const key = newId()
    const first = await confirm(id, 'pm_card_visa', key)
    const again = await confirm(id, 'pm_card_visa', key)
    expect(again.latest_charge).toBe(first.latest_charge)
    expect(again.lastResponse.headers['idempotent-replayed']).toBe('true')
    const other = await failure(confirm(id, 'pm_card_mastercard', key))
    expect([other.statusCode, other.type]).toEqual([400, 'StripeIdempotencyError'])
  })

  test('replays a decline', async () => {
    const { id } = await hold()
    const key = newId()
    await failure(confirm(id, 'pm_card_visa_chargeDeclined', key))
    expect((await failure(confirm(id, 'pm_card_visa_chargeDeclined', key))).statusCode).toBe(402)
  })
})

test('what is not known is refused as Stripe refuses it', async () => {
  const unknown = await failure(stripe.paymentIntents.retrieve('pi_nothing'))
  expect([unknown.statusCode, unknown.code]).toEqual([404, 'resource_missing'])
  const { id } = await hold()
  const method = await failure(confirm(id, 'pm_card_nothing'))
  expect([method.statusCode, method.code]).toEqual([404, 'resource_missing'])
  const extra = { amount: 1, currency: 'eur', nonsense: '1' } as Stripe.PaymentIntentCreateParams
  const parameter = await failure(stripe.paymentIntents.create(extra))
  expect([parameter.statusCode, parameter.code]).toEqual([400, 'parameter_unknown'])
})

describe.skipIf(real)('what goes wrong', () => {
  test('a connection that breaks is tried once more by the SDK, with the same key', async () => {
    const { id } = await hold()
    await control('faults', { action: 'reset_after', match: { path: id }, times: 1 })
    const key = newId()
    expect((await confirm(id, 'pm_card_visa', key)).status).toBe('requires_capture')
    await control('faults', { action: 'reset_after', match: { path: id }, times: 2 })
    const error = await failure(stripe.paymentIntents.capture(id, {}, { idempotencyKey: newId() }))
    expect(error.type).toBe('StripeConnectionError')
    const { data } = await control('effects', {}, 'GET')
    const mine = data.filter((one: { object: string }) => one.object === id)
    expect(mine.map((one: { kind: string }) => one.kind)).toEqual(['authorize', 'capture'])
  })

  test.each(['delay_after', 'http', 'garbage_json', 'truncate'])(
    '%s: the effect happened, and the caller does not know',
    async action => {
      const { id } = await hold()
      const fault = { action, match: { path: `${id}/confirm` }, after_effect: true, ms: 3000 }
      await control('faults', fault)
      const hasty = connect(300)
      await failure(hasty.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' }))
      expect((await stripe.paymentIntents.retrieve(id)).status).toBe('requires_capture')
    },
  )

  test('a late effect comes after the caller has looked', async () => {
    const { id } = await hold()
    await control('faults', { action: 'late_effect', match: { path: `${id}/confirm` }, ms: 600 })
    const hasty = connect(200)
    await failure(hasty.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' }))
    expect((await stripe.paymentIntents.retrieve(id)).status).toBe('requires_payment_method')
    await expect
      .poll(async () => (await stripe.paymentIntents.retrieve(id)).status, { timeout: 150_000 })
      .toBe('requires_capture')
  })

  test('a busy object is 429 and nothing was executed', async () => {
    const { id } = await hold()
    await control('faults', { action: 'lock_timeout', match: { path: id } })
    const error = await failure(confirm(id))
    expect([error.statusCode, error.code]).toEqual([429, 'lock_timeout'])
    expect((await stripe.paymentIntents.retrieve(id)).status).toBe('requires_payment_method')
  })
})

test('a payment can be confirmed when it is created, and events are found by several types', async () => {
  const order = { amount: 1000, currency: 'eur', confirm: true, capture_method: 'manual' } as const
  const { id, status } = await stripe.paymentIntents.create({
    ...order,
    allowed_payment_method_types: ['card'],
    payment_method: 'pm_card_visa',
  })
  expect(status).toBe('requires_capture')
  const types = ['payment_intent.created', 'payment_intent.amount_capturable_updated']
  const { data } = await stripe.events.list({ types, limit: 100 })
  const about = data.filter(one => (one.data.object as { id?: string }).id === id)
  expect(about.map(one => one.type).toSorted()).toEqual(types.toSorted())
  expect(data.every(one => types.includes(one.type))).toBe(true)
})

test.skipIf(real)(
  'accounts have their own objects, balances and events, also after a restart',
  async () => {
    const made = await control('accounts', {})
    const { hostname, port } = new URL(made.control)
    const at = {
      protocol: 'http',
      host: hostname,
      port,
      maxNetworkRetries: 0,
      telemetry: false,
    } as const
    const open = () => new Stripe(made.key, at)
    let other = open()
    const first = await stripe.accounts.retrieveCurrent()
    expect([(await other.accounts.retrieveCurrent()).id, first.id]).toEqual([
      made.account,
      expect.not.stringContaining(made.account),
    ])
    const { id } = await other.paymentIntents.create({
      amount: 900,
      currency: 'nok',
      payment_method: 'pm_card_visa',
      confirm: true,
    })
    await expect(stripe.paymentIntents.retrieve(id)).rejects.toMatchObject({ statusCode: 404 })
    await sandbox.close()
    sandbox = await openSandbox(folder, [vendor])
    stripe = connect()
    other = open()
    expect((await other.paymentIntents.retrieve(id)).status).toBe('succeeded')
    const currencies = async (one: Stripe) =>
      (await one.balance.retrieve()).pending.map(line => line.currency)
    expect(await currencies(other)).toEqual(['nok'])
    expect(await currencies(stripe)).not.toContain('nok')
    const { data } = await stripe.events.list({ limit: 100 })
    expect(data.map(one => (one.data.object as { id: string }).id)).not.toContain(id)
  },
)

test.skipIf(real)('a reset of one object is refused, and resets nothing', async () => {
  const { id } = await hold()
  const answer = await fetch(new URL('reset', sandbox.addresses['stripe']?.control), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id }),
  })
  expect(answer.status).toBe(422)
  expect((await stripe.paymentIntents.retrieve(id)).id).toBe(id)
})

test.skipIf(real)(
  'what it decided outlives it, and its balance is the sum of its books',
  async () => {
    const { id } = await hold(10_000, 'chf')
    await confirm(id, 'pm_card_bypassPending')
    await stripe.paymentIntents.capture(id)
    await control('payouts', { currency: 'chf', outcome: 'paid' })
    await sandbox.close()
    sandbox = await openSandbox(folder, [vendor])
    stripe = connect()
    expect((await stripe.paymentIntents.retrieve(id)).status).toBe('succeeded')
    const balance = await stripe.balance.retrieve()
    expect(balance.available.find(one => one.currency === 'chf')?.amount).toBe(0)
    const { data } = await stripe.balanceTransactions.list({ currency: 'chf' })
    expect(data.map(one => one.type)).toEqual(['payout', 'charge'])
    expect(data.reduce((sum, one) => sum + one.net, 0)).toBe(0)
  },
)
