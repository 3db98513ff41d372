/** The books: disputes, payouts, settlements, and the comparison with the provider's own. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../../../test/world.ts'
import { newId, sql } from '#dodeca/kernel'
import { post, transfer } from '../ledger/post-transaction.ts'
import { openPaymentWorld, type Merchant, type PaymentWorld } from './payment-world.ts'

let world: PaymentWorld
beforeAll(async () => {
  // Its postings without a provider are differences for the platform, which other files check.
  world = await openPaymentWorld({})
})
afterAll(() => world.close())

const wide = { from: '2020-01-01T00:00:00.000Z', to: '2100-01-01T00:00:00.000Z' }
async function reconcile(shop: Merchant) {
  const asked = await shop.ask('POST', '/v1/reconciliation-runs', wide)
  expect([asked.status, asked.body.status]).toEqual([202, 'queued'])
  return await eventually('the run has ended', async () => {
    const { body } = await shop.ask('GET', asked.headers.get('location') ?? '')
    return body.status === 'succeeded' && body
  })
}
const fee = (amount: number) => Math.round(amount * 0.029) + 30
async function items(shop: Merchant, discrepancy: string) {
  const { body } = await shop.ask('GET', `/v1/reconciliation-items?discrepancy=${discrepancy}`)
  return body.data as { id: string; external_ref: string; local_ref: string; state: string }[]
}

test('the ledger proves itself against the balance of the provider', async () => {
  const shop = await world.merchant()
  const { id } = await shop.captured(10_000)
  await shop.captured(7000)
  await shop.ask('POST', '/v1/refunds', { intent_id: id, amount_minor: 2500 })
  const { proof } = await reconcile(shop)
  expect(proof.EUR.clearing_minor).toBe(proof.EUR.provider_minor)
  expect(proof.EUR.recorded_minor).toBe(proof.EUR.provider_minor)
  const { body } = await shop.ask('GET', `/v1/settlements?intent_id=${id}`)
  const seen = body.data.map((one: { kind: string; net_minor: number }) => [
    one.kind,
    one.net_minor,
  ])
  expect(seen.sort()).toEqual([
    ['charge', 10_000 - fee(10_000)],
    ['refund', -2500],
  ])
})

test('a reconciliation that ends before it begins is refused with a sentence', async () => {
  const shop = await world.merchant()
  const { from: to, to: from } = wide
  const { status, body } = await shop.ask('POST', '/v1/reconciliation-runs', { from, to })
  expect([status, body.detail]).toEqual([422, '`to` must be later than `from`.'])
})

test('every cent is traced to its operation, object, webhook and request', async () => {
  const shop = await world.merchant()
  const { id } = await shop.captured(3000)
  await world.control('deliveries/flush')
  const { body } = await shop.ask('GET', `/v1/ledger/transactions?intent_id=${id}`)
  const capture = body.data.find((one: { purpose: string }) => one.purpose === 'capture')
  const { body: one } = await shop.ask('GET', `/v1/ledger/transactions/${capture.id}`)
  expect(one.entries.map((entry: { transaction_id: string }) => entry.transaction_id)).toEqual([
    one.id,
    one.id,
  ])
  expect(one.entries.map((entry: { direction: string }) => entry.direction)).toEqual([
    'debit',
    'credit',
  ])
  expect(one.why).toMatchObject({
    external_ref: expect.stringMatching(/^txn_/),
    provider_handle: expect.stringMatching(/^pi_/),
    request_id: expect.any(String),
  })
  expect(one.why.provider_events.length).toBeGreaterThan(0)
})

test('a balance of the past is that of then', async () => {
  const shop = await world.merchant()
  await shop.captured(3000)
  const between = new Date().toISOString()
  await shop.captured(4000)
  const { body } = await shop.ask('GET', '/v1/ledger/accounts?type=merchant_balance')
  const [account] = body.data
  expect(account.balance_minor).toBe(7000 - fee(3000) - fee(4000))
  const then = await shop.ask('GET', `/v1/ledger/accounts/${account.id}?at=${between}`)
  expect(then.body.balance_minor).toBe(3000 - fee(3000))
})

test('a dispute takes the money, and returns it when it is won', async () => {
  const shop = await world.merchant()
  const { id } = await shop.captured(10_000, 'pm_card_createDispute')
  const dispute = await eventually('it is open', async () => {
    const { body } = await shop.ask('GET', `/v1/disputes?intent_id=${id}`)
    return body.data[0]
  })
  expect(dispute).toMatchObject({ state: 'needs_response', amount_minor: 10_000, fee_minor: 1500 })
  expect((await shop.read(id)).disputed).toBe(true)
  const named = `q=${dispute.provider_dispute_id}`
  expect((await shop.ask('GET', `/v1/matches?${named}`)).body.data).toMatchObject([
    { kind: 'disputes', id: dispute.id, path: `/v1/disputes/${dispute.id}` },
  ])
  expect((await (await world.merchant()).ask('GET', `/v1/matches?${named}`)).body.data).toEqual([])
  const after = { merchant_balance: 10_000 - fee(10_000) - 1500, disputed_funds: 10_000 }
  expect(await world.balances(shop)).toMatchObject(after)
  await world.control(`disputes/${dispute.provider_dispute_id}/close`, { outcome: 'won' })
  await eventually('it is won', async () => {
    const { body } = await shop.ask('GET', `/v1/disputes/${dispute.id}`)
    return body.state === 'won'
  })
  expect(await world.balances(shop)).toMatchObject({ ...after, disputed_funds: 0 })
  expect((await world.events(id)).slice(-2)).toEqual(['dispute.opened', 'dispute.closed'])
})

test('a payment is disputed until the last of its disputes has ended', async () => {
  const shop = await world.merchant()
  const { id, operations } = await shop.captured(2000)
  const charge = operations.find((one: { type: string }) => one.type === 'authorize')
    .provider_operation_id as string
  const inquiry = await world.control('disputes', { charge, inquiry: true })
  const dispute = await world.control('disputes', { charge })
  const reaches = async (provider_dispute_id: string, state: string) =>
    await eventually(`${provider_dispute_id} is ${state}`, async () => {
      const { body } = await shop.ask('GET', `/v1/disputes?intent_id=${id}`)
      const disputes = body.data as { provider_dispute_id: string; state: string }[]
      return disputes.some(
        one => one.provider_dispute_id === provider_dispute_id && one.state === state,
      )
    })
  await reaches(inquiry.id, 'warning')
  await reaches(dispute.id, 'needs_response')
  await world.control(`disputes/${inquiry.id}/close`, { outcome: 'won' })
  await reaches(inquiry.id, 'closed')
  expect((await shop.read(id)).disputed).toBe(true)
  await world.control(`disputes/${dispute.id}/close`, { outcome: 'won' })
  await reaches(dispute.id, 'won')
  expect((await shop.read(id)).disputed).toBe(false)
})

test('a lost dispute of a refunded payment leaves the merchant owing', async () => {
  const shop = await world.merchant()
  const { id } = await shop.captured(2000, 'pm_card_createDispute')
  await shop.ask('POST', '/v1/refunds', { intent_id: id })
  const dispute = await eventually('it is open', async () => {
    const { body } = await shop.ask('GET', `/v1/disputes?intent_id=${id}`)
    return body.data[0]
  })
  await world.control(`disputes/${dispute.provider_dispute_id}/close`, { outcome: 'lost' })
  await eventually('it is lost', async () => {
    const { body } = await shop.ask('GET', `/v1/disputes/${dispute.id}`)
    return body.state === 'lost'
  })
  const { merchant_balance } = await world.balances(shop)
  expect(merchant_balance).toBe(2000 - fee(2000) - 2000 - 1500 - 2000)
  await expect(world.sound()).resolves.toBeUndefined()
})

test('a payout leaves for the bank, and says which payments were in it', async () => {
  const shop = await world.merchant()
  const { id } = await shop.captured(9000, 'pm_card_bypassPending')
  await world.control('clock', { advance_s: 3 * 86_400 })
  const payout = await world.control('payouts', { currency: 'eur', outcome: 'paid' })
  const { proof } = await reconcile(shop)
  expect(proof.EUR.clearing_minor).toBe(proof.EUR.provider_minor)
  const paidOut = async () => {
    const { body } = await shop.ask('GET', `/v1/settlements?payout_id=${payout.id}`)
    return body.data.map((one: { intent_id: string }) => one.intent_id)
  }
  expect(await paidOut()).toContain(id)
  // A run that ended after it had recorded the transactions, and before it linked them.
  await world.platform.kernel.db.run(sql`
    -- any tenant: all transactions of the payout
    update payments.settlement_records set payout_id = null where payout_id = ${payout.id}`)
  await reconcile(shop)
  expect(await paidOut()).toContain(id)
  const bank = await shop.ask('GET', '/v1/ledger/accounts?owner=platform&type=bank')
  expect(bank.body.data[0].balance_minor).toBe(payout.amount)
  const purposes = async (owner: string) => {
    const { body } = await shop.ask('GET', `/v1/ledger/transactions?owner=${owner}&limit=100`)
    return body.data.map((one: { purpose: string }) => one.purpose)
  }
  expect(await purposes('platform')).toContain('payout')
  expect(await purposes('tenant')).toContain('capture')
  expect(await purposes('tenant')).not.toContain('payout')
})

test('what was made without us is money in suspense, and an item that an operator resolves', async () => {
  const shop = await world.merchant()
  const strange = await world.control('foreign_payments', { amount: 777, currency: 'chf' })
  const { id } = await shop.captured(6000)
  const charge = (await shop.read(id)).operations[0]
  expect(charge.type).toBe('capture')
  const { proof } = await reconcile(shop)
  expect(proof.CHF.clearing_minor).toBe(proof.CHF.provider_minor)
  const missing = await items(shop, 'missing_local')
  const item = missing.find(one => one.external_ref === strange.id)
  expect(item).toMatchObject({ state: 'open' })
  // An operator of another tenant sees it, too.
  const other = await world.merchant()
  const found = await other.ask('GET', `/v1/reconciliation-items?find=${item?.id}&state=open`)
  expect(found.body.data).toEqual([item])
  await reconcile(shop)
  expect(await items(shop, 'missing_local')).toHaveLength(missing.length)
  const resolve = () =>
    shop.ask('POST', `/v1/reconciliation-items/${item?.id}/resolve`, {
      resolution: 'resolved',
      note: 'A sale at the counter.',
    })
  const done = await resolve()
  expect([done.status, done.body.state]).toEqual([200, 'resolved'])
  expect((await resolve()).body.code).toBe('already_resolved')
})

test('no drift was found, and all invariants hold', async () => {
  const shop = await world.merchant()
  await reconcile(shop)
  await reconcile(shop)
  expect(await items(shop, 'balance_drift')).toEqual([])
  await expect(world.sound()).resolves.toBeUndefined()
})

test('commits with a capture and its fee never wait for each other in a circle', async () => {
  const { db } = world.platform.kernel
  const merchants = await Promise.all(Array.from({ length: 6 }, () => world.merchant()))
  const amount = 1000
  let attempts = 0
  const each = merchants.map(({ tenant: { id: tenant_id } }) =>
    Array.from({ length: 60 }, () =>
      // A commit that ends in a deadlock would be tried again.
      db.tx(async tx => {
        attempts++
        const common = {
          tenant_id,
          payment_account_id: null,
          currency: 'SEK',
          description: 'test',
          operation_id: newId(),
        }
        const legs = transfer('provider_clearing', 'merchant_balance', amount)
        await post(tx, { ...common, purpose: 'capture', legs })
        const fee = transfer('merchant_balance', 'provider_clearing', 30)
        await post(tx, { ...common, purpose: 'fee', legs: fee })
      }),
    ),
  )
  await Promise.all(each.flat())
  expect(attempts).toBe(6 * 60)
  for (const shop of merchants) {
    const { merchant_balance } = await world.balances(shop)
    expect(merchant_balance).toBe(60 * (amount - 30))
  }
})
