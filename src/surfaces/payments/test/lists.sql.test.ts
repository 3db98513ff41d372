/** What the lists of payments are asked for beyond pages, and whose rows they return. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPaymentWorld, reconcile, type Merchant, type PaymentWorld } from './payment-world.ts'

let world: PaymentWorld
beforeAll(async () => {
  world = await openPaymentWorld()
})
afterAll(() => world.close())

type Listed = Record<string, string> & { readonly id: string }
const listOf =
  (path: string) =>
  async (who: Merchant, query: string): Promise<readonly Listed[]> => {
    const { status, body, text } = await who.ask('GET', `${path}?${query}`)
    expect(status, text).toBe(200)
    return body.data
  }
const ids = (rows: readonly Listed[]) => rows.map(one => one.id)
const csv = async ({ token }: Merchant, path: string) => {
  const headers = { accept: 'text/csv' }
  const { status, text } = await world.call('GET', path, { token, headers })
  expect(status, text).toBe(200)
  return text.replace('\u{feff}', '').split('\r\n')
}

test('refunds are found by payment, state, range and the id of the provider', async () => {
  const [shop, stranger] = [await world.merchant(), await world.merchant()]
  const [one, other] = [await shop.captured(10_000), await shop.captured(5000)]
  const refund = async (intent_id: string, amount_minor: number) =>
    (await shop.ask('POST', '/v1/refunds', { intent_id, amount_minor })).body
  const first = await refund(one.id, 100)
  const second = await refund(one.id, 200)
  const third = await refund(other.id, 300)
  const refunds = listOf('/v1/refunds')
  expect(await refunds(shop, '')).toEqual([third, second, first])
  expect(ids(await refunds(shop, `intent_id=${one.id}`))).toEqual([second.id, first.id])
  expect(ids(await refunds(shop, 'state=succeeded'))).toHaveLength(3)
  expect(await refunds(shop, 'state=failed')).toEqual([])
  const range = `since=${second.created_at}&until=${third.created_at}`
  expect(ids(await refunds(shop, range))).toEqual([second.id])

  const { operations } = await shop.read(one.id)
  const made = operations.find((each: Listed) => each.id === first.operation_id)
  expect(made.provider_operation_id).toMatch(/^re_/)
  for (const find of [made.provider_operation_id, first.id]) {
    expect(ids(await refunds(shop, `find=${find}`))).toEqual([first.id])
    expect(await refunds(stranger, `find=${find}`)).toEqual([])
  }
  expect(await refunds(stranger, `intent_id=${one.id}`)).toEqual([])

  const [header, line] = await csv(shop, `/v1/refunds?intent_id=${other.id}`)
  expect(header).toBe(
    'id,intent_id,operation_id,amount_minor,amount,currency,state,reason,failure_code,created_at',
  )
  expect(line).toContain(',300,3.00,EUR,succeeded,')
})

test('settlements are found by payment, range and the id of the provider', async () => {
  const [shop, stranger] = [await world.merchant(), await world.merchant()]
  const [one] = [await shop.captured(10_000), await shop.captured(7000)]
  await reconcile(shop)
  const settlements = listOf('/v1/settlements')
  const [settled, ...rest] = await settlements(shop, `intent_id=${one.id}`)
  expect([settled?.['kind'], rest]).toEqual(['charge', []])
  const { id, balance_transaction_id, created_at } = settled ?? { id: '' }
  expect(await settlements(shop, `find=${balance_transaction_id}`)).toEqual([settled])
  expect(await settlements(stranger, `find=${balance_transaction_id}`)).toEqual([])
  expect(await settlements(stranger, `intent_id=${one.id}`)).toEqual([])
  expect(ids(await settlements(shop, `since=${created_at}`))).toContain(id)
  expect(ids(await settlements(shop, `until=${created_at}`))).not.toContain(id)

  const [header, line] = await csv(shop, `/v1/settlements?intent_id=${one.id}`)
  expect(header).toBe(
    'id,balance_transaction_id,kind,intent_id,amount_minor,amount,fee_minor,fee,net_minor,net,currency,exchange_rate,available_on,payout_id,created_at',
  )
  expect(line).toContain(',10000,100.00,')
})

test('transactions of the ledger are found by range and what the provider calls them', async () => {
  const [shop, stranger] = [await world.merchant(), await world.merchant()]
  const payment = await shop.captured(3000)
  const transactions = listOf('/v1/ledger/transactions')
  const own = `intent_id=${payment.id}`
  const all = await transactions(shop, own)
  const capture = all.find(one => one['purpose'] === 'capture')
  const { id, operation_id, effective_at, why } = capture as unknown as Listed & {
    why: { external_ref: string }
  }
  expect(await transactions(shop, `find=${id}`)).toEqual([capture])
  expect(ids(await transactions(shop, `operation_id=${operation_id}`))).toContain(id)
  expect(ids(await transactions(shop, `external_ref=${why.external_ref}`))).toContain(id)
  expect(ids(await transactions(shop, `${own}&since=${effective_at}`))).toContain(id)
  expect(ids(await transactions(shop, `${own}&until=${effective_at}`))).not.toContain(id)
  for (const query of [own, `find=${id}`, `external_ref=${why.external_ref}`]) {
    expect(await transactions(stranger, query)).toEqual([])
  }

  const [header, ...lines] = await csv(shop, `/v1/ledger/transactions?${own}`)
  expect(header).toContain('id,operation_id,intent_id,purpose,description,effective_at,')
  expect(header).toContain(',entries,why.external_ref,')
  expect(lines.filter(line => line !== '')).toHaveLength(all.length)
})

test('transactions of the platform need the permission for its books', async () => {
  const finance = await world.member()
  await world.allow(finance, 'payments.ledger.read')
  for (const accept of ['application/json', 'text/csv']) {
    const { status, body } = await world.call('GET', '/v1/ledger/transactions?owner=platform', {
      token: finance.token,
      headers: { accept },
    })
    expect([status, body.permission]).toEqual([403, 'payments.reconciliations.read'])
  }
})
