/** Corrections of the books: reversing entries by request, and sums that are counted again. */
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newKey } from '../../../../test/world.ts'
import { directClient } from '../../../kernel/database/direct.ts'
import { newId, sql, violates } from '#dodeca/kernel'
import { post, transfer } from '../ledger/post-transaction.ts'
import { openPaymentWorld, type Merchant, type PaymentWorld } from './payment-world.ts'

let world: PaymentWorld
let operator: Merchant
beforeAll(async () => {
  world = await openPaymentWorld()
  operator = await world.merchant()
  await world.allow(operator, 'payments.ledger.reverse', 'kernel.audit_events.read')
})
afterAll(() => world.close())

const posted = async (shop: Merchant, purpose: string) => {
  const { id } = await shop.captured(5000)
  const { body } = await shop.ask('GET', `/v1/ledger/transactions?intent_id=${id}`)
  return body.data.find((one: { purpose: string }) => one.purpose === purpose)
}
const why = { reason: 'Posted twice.' }
const reverse = (id: string, body: object = why, key?: string) =>
  operator.ask('POST', `/v1/ledger/transactions/${id}/reverse`, body, key)
type Entry = { account_id: string; direction: string; amount_minor: number }
const sides = (one: { entries: Entry[] }) =>
  one.entries.map(({ account_id, direction, amount_minor }) => [
    account_id,
    direction,
    amount_minor,
  ])

describe('a transaction of the ledger', () => {
  test('is reversed by an operator: the same entries on the other sides, linked and audited', async () => {
    const shop = await world.merchant()
    const fee = await posted(shop, 'fee')
    const before = await world.balances(shop)
    const key = newKey()
    const made = await reverse(fee.id, undefined, key)
    expect(made.status, made.text).toBe(201)
    expect(made.headers.get('location')).toBe(`/v1/ledger/transactions/${made.body.id}`)
    expect(made.body).toMatchObject({
      purpose: 'reversal',
      reverses_id: fee.id,
      intent_id: fee.intent_id,
      why: { request_id: expect.any(String) },
    })
    const turned = { debit: 'credit', credit: 'debit' } as Record<string, string>
    expect(sides(made.body)).toEqual(
      sides(fee).map(([account, side, amount]) => [account, turned[side as string], amount]),
    )
    const amount = fee.entries[0].amount_minor
    expect(await world.balances(shop)).toEqual({
      ...before,
      merchant_balance: (before['merchant_balance'] ?? 0) + amount,
    })
    // The merchant sees the correction among the transactions of the payment.
    const seen = await shop.ask('GET', `/v1/ledger/transactions/${made.body.id}`)
    expect(seen.body.reverses_id).toBe(fee.id)
    const again = await reverse(fee.id, undefined, key)
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
    const { body: audit } = await operator.ask('GET', '/v1/audit-events?limit=100')
    expect(audit.data).toContainEqual(
      expect.objectContaining({
        action: 'payments.ledger.reverse',
        target: `ledger_transaction:${fee.id}`,
        reason: 'Posted twice.',
      }),
    )
    await world.sound()
  })

  test('is reversed once, however many ask at the same time; its reversal can be reversed', async () => {
    const shop = await world.merchant()
    const capture = await posted(shop, 'capture')
    const before = await world.balances(shop)
    const answers = await Promise.all(Array.from({ length: 8 }, () => reverse(capture.id)))
    const codes = answers.map(one => one.body.code ?? one.status)
    expect(codes.filter(code => code === 201)).toHaveLength(1)
    expect(codes.filter(code => code === 'already_reversed')).toHaveLength(7)
    const made = answers.find(one => one.status === 201)
    expect((await reverse(made?.body.id)).status).toBe(201)
    expect(await world.balances(shop)).toEqual(before)
    await world.sound()
  })

  test('is reversed once, whatever the code does', async () => {
    const shop = await world.merchant()
    const capture = await posted(shop, 'capture')
    expect((await reverse(capture.id)).status).toBe(201)
    const error = await world.platform.kernel.db
      .run(
        sql`
          insert into payments.ledger_transactions
            (id, tenant_id, purpose, description, reverses_id)
          values (${newId()}, ${shop.tenant.id}, 'reversal', 'a test', ${capture.id})`,
      )
      .then(
        () => expect.unreachable('it was accepted'),
        (cause: unknown) => cause,
      )
    expect(violates(error, 'ledger_transactions_reversal')).toBe(true)
  })

  test('is not reversed without the permission, a reason, or a key', async () => {
    const shop = await world.merchant()
    const capture = await posted(shop, 'capture')
    const path = `/v1/ledger/transactions/${capture.id}/reverse`
    const finance = await world.member(shop.tenant)
    await world.give(finance, 'payments_finance')
    const asked = await world.call('POST', path, { token: finance.token, key: newKey(), body: why })
    expect([asked.status, asked.body.code]).toEqual([403, 'permission_denied'])
    expect((await reverse(capture.id, {})).status).toBe(422)
    expect((await reverse(capture.id, { reason: '4242 4242 4242 4242' })).body.code).toBe(
      'card_data_refused',
    )
    const { token } = operator
    const unkeyed = await world.call('POST', path, { token, body: why })
    expect(unkeyed.body.code).toBe('idempotency_key_missing')
    const absent = await reverse(newId())
    expect([absent.status, absent.body.code]).toEqual([404, 'ledger_transaction_not_found'])
    expect(
      (await shop.ask('GET', `/v1/ledger/transactions?intent_id=${capture.intent_id}`)).body.data,
    ).toHaveLength(2)
  })
})

describe('the sums of the ledger', () => {
  const rebuild = async () => {
    const projection = world.platform.opened['payments']?.projections?.find(
      one => one.name === 'payments.ledger_balances',
    )
    await projection?.rebuild(() => {}, new AbortController().signal)
    return projection
  }
  const faults = async () =>
    await world.platform.opened['payments']?.checks
      ?.find(one => one.name === 'payments.ledger_balances')
      ?.run()

  test('are found wrong by doctor, and rebuilt from the entries', async () => {
    const shop = await world.merchant()
    await shop.captured(5000)
    const before = await world.balances(shop)
    const client = directClient(world.database_url, 'test')
    await client.connect()
    await client.query(`
      update payments.ledger_balances set debits_minor = debits_minor + 7
      where account_id in (select id from payments.ledger_accounts where type = 'provider_clearing')`)
    await client.query(
      `delete from payments.ledger_balances
      where account_id in (select id from payments.ledger_accounts where owner_id = $1)`,
      [shop.tenant.id],
    )
    await client.end()
    expect((await faults())?.length).toBeGreaterThan(1)
    expect(await rebuild()).toBeDefined()
    expect(await faults()).toEqual([])
    expect(await world.balances(shop)).toEqual(before)
  })

  test('are right when they are rebuilt twice at once, while postings go on', async () => {
    const { db } = world.platform.kernel
    const tenant_id = newId()
    const legs = transfer('provider_clearing', 'merchant_balance', 100)
    const posting = () =>
      db.tx(async tx => {
        const purpose = 'capture'
        const more = { operation_id: newId(), currency: 'NOK', description: 'test' }
        await post(tx, { tenant_id, payment_account_id: null, purpose, legs, ...more })
      })
    await posting()
    await db.run(sql`
      update payments.ledger_balances b set credits_minor = 0
      from payments.ledger_accounts a where a.id = b.account_id and a.owner_id = ${tenant_id}`)
    await Promise.all([rebuild(), ...Array.from({ length: 40 }, posting), rebuild()])
    const sums = await db.many(
      Type.Object({ credits_minor: Type.Integer() }),
      sql`
        select sum(b.credits_minor)::bigint as credits_minor from payments.ledger_balances b
        join payments.ledger_accounts a on a.id = b.account_id
        where a.owner_id = ${tenant_id} and a.type = 'merchant_balance'`,
    )
    expect(sums).toEqual([{ credits_minor: 41 * 100 }])
    expect(await faults()).toEqual([])
  })
})
