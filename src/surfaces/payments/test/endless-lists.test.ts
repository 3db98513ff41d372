/** A provider whose lists never end, and a payout that takes money back from the bank. */
import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { Type, type Static } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openProductWorld, type Member, type ProductWorld } from '../../../../test/product-world.ts'
import { eventually } from '../../../../test/world.ts'
import { nullable, sql } from '#dodeca/kernel'

const created = Math.floor(Date.now() / 1000) - 7200
const payment = {
  id: 'pi_strange',
  object: 'payment_intent',
  amount: 100,
  amount_capturable: 0,
  amount_received: 0,
  currency: 'eur',
  status: 'canceled',
  latest_charge: null,
  last_payment_error: null,
  cancellation_reason: null,
  next_action: null,
  metadata: {},
  created,
}
const booked = {
  id: 'txn_payout',
  object: 'balance_transaction',
  amount: 500,
  fee: 0,
  net: 500,
  currency: 'eur',
  type: 'payout',
  source: 'po_back',
  exchange_rate: null,
  available_on: created,
  created,
}
const payout = {
  id: 'po_back',
  object: 'payout',
  amount: -500,
  currency: 'eur',
  status: 'paid',
  arrival_date: created,
  balance_transaction: booked.id,
  failure_balance_transaction: null,
}
const money = [{ amount: 500, currency: 'eur' }]

/** The list that is sent again for ever, from the regular comparison at the start on. */
let endless: 'payments' | 'contents' | null = 'contents'
const answers: Readonly<Record<string, (of_payout: boolean) => object>> = {
  '/v1/payment_intents': () => list([payment], endless === 'payments'),
  '/v1/balance_transactions': of_payout => list([booked], of_payout && endless === 'contents'),
  '/v1/payouts/po_back': () => payout,
  '/v1/balance': () => ({ object: 'balance', available: money, pending: [] }),
}

function list(data: readonly object[], has_more = false) {
  return { object: 'list', data, has_more }
}

let provider: Server
let world: ProductWorld
let operator: Member
beforeAll(async () => {
  provider = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://provider.test')
    const answer = answers[url.pathname] ?? (() => list([]))
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(answer(url.searchParams.has('payout'))))
  })
  provider.listen(0, '127.0.0.1')
  await once(provider, 'listening')
  world = await openProductWorld({
    PAYMENTS_STRIPE_SECRET_KEY: 'sk_test_endless',
    PAYMENTS_STRIPE_BASE_URL: `http://127.0.0.1:${(provider.address() as AddressInfo).port}`,
    PAYMENTS_STRIPE_WEBHOOK_SECRETS: 'whsec_endless',
    PAYMENTS_PROVIDER_READS_PER_SECOND: '100000',
    PAYMENTS_RECONCILE_SECONDS: '604800',
  })
  operator = await world.member()
  await world.give(operator, 'platform_operator', 'payments_finance')
})
afterAll(async () => {
  await world?.close()
  provider?.close()
})

const Run = Type.Object({
  state: Type.String(),
  phase: Type.String(),
  last_error_code: nullable(Type.String()),
})

async function compare(): Promise<() => Promise<Static<typeof Run>>> {
  const body = {
    from: new Date((created - 3600) * 1000).toISOString(),
    to: new Date().toISOString(),
  }
  const started = await world.call('POST', '/v1/reconciliation-runs', {
    token: operator.token,
    body,
  })
  expect(started.status, started.text).toBe(202)
  return () =>
    world.platform.kernel.db.one(
      Run,
      sql`
        select state, phase, last_error_code from payments.reconciliation_runs
        where id = ${started.body.id}`,
    )
}

test('a list that repeats its page stops the comparison, and is tried again later', async () => {
  for (const [list_name, phase] of [
    ['contents', 'payouts'],
    ['payments', 'payments'],
  ] as const) {
    endless = list_name
    const read = await compare()
    const run = await eventually(`the list of ${phase} is given up`, async () => {
      const now = await read()
      return now.last_error_code !== null && now
    })
    expect([run.phase, run.state]).toEqual([phase, 'running'])
    endless = null
    await world.platform.kernel.db.run(sql`
      update payments.reconciliation_runs set due_at = kernel.now() where state <> 'succeeded'`)
    await eventually('the comparison ends', async () => (await read()).state === 'succeeded')
  }
})

test('a payout that takes money from the bank is posted the other way', async () => {
  const accounts = await world.call('GET', '/v1/ledger/accounts?owner=platform', {
    token: operator.token,
  })
  const balances = Object.fromEntries(
    accounts.body.data.map((one: { type: string; balance_minor: number }) => [
      one.type,
      one.balance_minor,
    ]),
  )
  expect(balances).toEqual({ bank: -500, provider_clearing: 500 })
})
