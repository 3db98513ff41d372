/** Customers and their methods as the official SDK speaks of them. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Stripe } from 'stripe'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '#dodeca/kernel'
import { openSandbox, type Sandbox } from '../../open-sandbox.ts'
import { stripe as vendor } from '../stripe.ts'

let folder: string
let sandbox: Sandbox
let stripe: Stripe
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dodeca-stripe-'))
  sandbox = await openSandbox(folder, [vendor])
  const { api = '', key = '' }: Record<string, string> = sandbox.addresses['stripe'] ?? {}
  const { hostname, port } = new URL(api)
  stripe = new Stripe(key, {
    maxNetworkRetries: 0,
    telemetry: false,
    protocol: 'http',
    host: hostname,
    port,
  })
})
afterAll(async () => {
  await sandbox.close()
  await rm(folder, { recursive: true, force: true })
})

const hold = (customer?: string) =>
  stripe.paymentIntents.create({
    amount: 5000,
    currency: 'eur',
    capture_method: 'manual',
    allowed_payment_method_types: ['card'],
    ...(customer ? { customer } : {}),
  })
const customer = async () => (await stripe.customers.create({ metadata: { ours: newId() } })).id
const failure = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable('it succeeded'),
    (error: unknown) => error as Stripe.errors.StripeError,
  )

/** A customer with a card that was kept by a payment. */
async function saved(payment_method = 'pm_card_visa') {
  const id = await customer()
  const intent = await hold()
  await stripe.paymentIntents.update(intent.id, { customer: id })
  const held = await stripe.paymentIntents.confirm(intent.id, {
    payment_method,
    setup_future_usage: 'off_session',
  })
  expect(held.status).toBe('requires_capture')
  return { id, method: held.payment_method as string }
}

describe('a card that is kept', () => {
  test('has an id of its own, is shown, and is charged without its holder', async () => {
    const { id, method: kept } = await saved('pm_card_mastercard')
    const method = await stripe.paymentMethods.retrieve(kept)
    expect([method.customer, method.card?.brand, method.card?.last4]).toEqual([
      id,
      'mastercard',
      '4444',
    ])
    const later = await hold(id)
    const done = await stripe.paymentIntents.confirm(later.id, {
      payment_method: method.id,
      off_session: true,
    })
    expect(done.status).toBe('requires_capture')
  })

  test('of another customer is refused, and so is one of nobody', async () => {
    const { method: payment_method } = await saved()
    for (const one of [await hold(await customer()), await hold()]) {
      const error = await failure(stripe.paymentIntents.confirm(one.id, { payment_method }))
      expect([error.statusCode, error.param]).toEqual([400, 'payment_method'])
    }
  })

  test('is never usable again once it was detached, or its customer deleted', async () => {
    const detached = await saved()
    await stripe.paymentMethods.detach(detached.method)
    const deleted = await saved()
    expect((await stripe.customers.del(deleted.id)).deleted).toBe(true)
    expect(await stripe.customers.retrieve(deleted.id)).toMatchObject({ deleted: true })
    for (const { method: payment_method } of [detached, deleted]) {
      const error = await failure(
        stripe.paymentIntents.confirm((await hold()).id, { payment_method }),
      )
      expect(error.statusCode).toBe(400)
    }
    expect((await failure(stripe.customers.del(deleted.id))).code).toBe('resource_missing')
  })

  test('of a bank that wants its holder is declined off session, and paid on session', async () => {
    const id = await customer()
    const kept = await stripe.paymentMethods.attach('pm_card_authenticationRequired', {
      customer: id,
    })
    const intent = await hold(id)
    const absent = { payment_method: kept.id, off_session: true }
    const error = await failure(stripe.paymentIntents.confirm(intent.id, absent))
    expect([error.statusCode, error.code, error.decline_code]).toEqual([
      402,
      'authentication_required',
      'authentication_required',
    ])
    const present = await stripe.paymentIntents.confirm(intent.id, { payment_method: kept.id })
    expect(present.status).toBe('requires_action')
  })
})

test('a customer is found by its metadata', async () => {
  const ours = newId()
  const made = await stripe.customers.create({ metadata: { ours } })
  const found = await stripe.customers.search({ query: `metadata['ours']:'${ours}'` })
  expect(found.data.map(one => one.id)).toEqual([made.id])
})
