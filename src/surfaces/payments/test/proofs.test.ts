/**
 * What proves the books can fail: data are broken as only the owner of the tables can break them, and the doctor says
 * so. What reconciliation finds besides, and what is kept about a person.
 */
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../../../test/world.ts'
import { newId, sql, type Sql } from '#dodeca/kernel'
import { examine, questions, type DoctorOptions } from '../../../runtime/doctor.ts'
import { items, openPaymentWorld, reconcile, type PaymentWorld } from './payment-world.ts'

let world: PaymentWorld
beforeAll(async () => {
  world = await openPaymentWorld({})
})
afterAll(() => world.close())

/** What the doctor finds wrong with payments. */
async function found(): Promise<string[]> {
  const { checks = [] } = world.platform.opened['payments'] ?? {}
  const own = new Set(checks.map(one => one.name))
  const asked = questions(checks).filter(one => own.has(one.name))
  // The questions of payments ask nothing but the database.
  const findings = await examine(asked, {} as DoctorOptions)
  return findings.filter(one => one.state === 'violation').map(one => one.check)
}

/** Without its triggers, which only the owner of the tables can take away. */
async function breaking(statement: Sql): Promise<void> {
  await world.platform.kernel.db.tx(async tx => {
    await tx.run(sql`alter table payments.ledger_entries disable trigger user`)
    await tx.run(statement)
    await tx.run(sql`alter table payments.ledger_entries enable trigger user`)
  })
}

describe('the doctor finds', () => {
  const amount = (by: number) => sql`
    update payments.ledger_entries set amount_minor = amount_minor + ${by}
    where line = 1 and transaction_id = (
      select min(id::text)::uuid from payments.ledger_transactions where purpose = 'capture')`
  const kept = (by: number) => sql`
    update payments.ledger_balances set credits_minor = credits_minor + ${by}
    where account_id = (
      select min(id::text)::uuid from payments.ledger_accounts where type = 'merchant_balance')`
  const captured = (by: number) => sql`
    update payments.payment_intents set amount_captured_minor = amount_captured_minor + ${by}
    where state = 'captured'`
  const refunded = (by: number) => sql`
    update payments.refunds set amount_minor = amount_minor + ${by}`
  const broken: readonly (readonly [string, (by: number) => Sql, string[]])[] = [
    [
      'an entry that was changed',
      amount,
      [
        'payments.captures',
        'payments.ledger_balances',
        'payments.ledger_transactions',
        'payments.ledger_trial_balance',
      ],
    ],
    ['a kept sum that was changed', kept, ['payments.ledger_balances']],
    ['a captured amount that was not posted', captured, ['payments.captures']],
    ['a refund that the payment does not count', refunded, ['payments.refunds']],
  ]

  test.each(broken)('%s', async (_name, change, names) => {
    const shop = await world.merchant()
    const { id } = await shop.captured(1000)
    await shop.ask('POST', '/v1/refunds', { intent_id: id, amount_minor: 100 })
    expect(await found()).toEqual([])
    await breaking(change(-1))
    expect((await found()).toSorted()).toEqual(names)
    await breaking(change(1))
    expect(await found()).toEqual([])
  })

  test('a guard of the ledger that was taken away', async () => {
    const table = sql`payments.ledger_entries`
    const guard = sql`ledger_entries_append_only`
    const { db } = world.platform.kernel
    await db.run(sql`alter table ${table} disable trigger ${guard}`)
    expect(await found()).toEqual(['payments.ledger_guards'])
    await db.run(sql`alter table ${table} enable trigger ${guard}`)
    expect(await found()).toEqual([])
  })

  test('an operation in doubt that nothing looks at', async () => {
    const shop = await world.merchant()
    const { id } = await shop.intent()
    const lost = newId()
    await world.platform.kernel.db.run(sql`
      insert into payments.payment_operations (
        tenant_id, id, intent_id, type, state, provider, amount_minor)
      values (${shop.tenant.id}, ${lost}, ${id}, 'authorize', 'pending_provider', 'stripe', 5000)`)
    expect(await found()).toEqual(['payments.operations'])
    await world.platform.kernel.db.run(sql`
      update payments.payment_operations set state = 'failed'
      where tenant_id = ${shop.tenant.id} and id = ${lost}`)
  })

  test('a ledger that has drifted from the balance of the provider, after two runs', async () => {
    const shop = await world.merchant()
    await shop.captured(1000)
    const drift = (by: number) => sql`
      update payments.ledger_balances set debits_minor = debits_minor + ${by}
      where account_id = (
        select id from payments.ledger_accounts
        where type = 'provider_clearing' and currency = 'EUR')
        and shard = (
          select min(b.shard) from payments.ledger_balances b
          join payments.ledger_accounts a on a.id = b.account_id
          where a.type = 'provider_clearing' and a.currency = 'EUR')`
    await breaking(drift(7))
    const { proof } = await reconcile(shop)
    expect(proof.EUR.clearing_minor - proof.EUR.provider_minor).toBe(7)
    expect(await items(shop, 'balance_drift')).toEqual([])
    await reconcile(shop)
    const [item] = await items(shop, 'balance_drift')
    expect(await found()).toEqual(['payments.ledger_balances', 'payments.balance'])
    await breaking(drift(-7))
    const note = 'A test had changed the sums.'
    await shop.ask('POST', `/v1/reconciliation-items/${item?.id}/resolve`, {
      resolution: 'resolved',
      note,
    })
    expect(await found()).toEqual([])
  })
})

describe('reconciliation', () => {
  const made = async (metadata: Record<string, string>, take: boolean) => {
    const { id } = await world.atProvider('payment_intents', {
      amount: '4200',
      currency: 'eur',
      capture_method: 'manual',
      ...Object.fromEntries(
        Object.entries(metadata).map(([name, value]) => [`metadata[${name}]`, value]),
      ),
    })
    await world.atProvider(`payment_intents/${id}/confirm`, { payment_method: 'pm_card_visa' })
    if (take) await world.atProvider(`payment_intents/${id}/capture`)
    return id as string
  }

  test('cancels a second hold of a payment, and reports a second charge', async () => {
    const shop = await world.merchant()
    const { id: intent_id } = await shop.captured()
    const ours = { intent_id, tenant_id: shop.tenant.id }
    const [held, taken, others] = [
      await made(ours, false),
      await made(ours, true),
      await made({ intent_id: newId(), tenant_id: newId() }, false),
    ]
    await world.control('clock', { advance_s: 7200 })
    await shop.captured()
    await reconcile(shop)
    const orphans = await items(shop, 'orphan_authorization')
    expect(orphans.find(one => one.external_ref === held)?.state).toBe('auto_resolved')
    expect(orphans.find(one => one.external_ref === others)?.state).toBe('open')
    const twice = await items(shop, 'duplicate_effect')
    expect(twice.map(one => [one.external_ref, one.local_ref])).toEqual([[taken, intent_id]])
    expect((await world.effects(held)).map(one => one.kind)).toEqual(['authorize', 'cancel'])
    expect((await world.effects(others)).map(one => one.kind)).toEqual(['authorize'])
  })

  test('reports what only we know', async () => {
    const shop = await world.merchant()
    const { id } = await shop.captured()
    await world.platform.kernel.db.run(sql`
      update payments.payment_intents
      set provider_handle = ${`pi_gone_${id}`}, provider_handle_at = now() - interval '2 hours'
      where tenant_id = ${shop.tenant.id} and id = ${id}`)
    await reconcile(shop)
    const missing = await items(shop, 'missing_external')
    expect(missing.map(one => one.local_ref)).toContain(id)
  })

  test('applies what was done in the dashboard of the provider', async () => {
    const shop = await world.merchant()
    await world.control('config', { webhook_url: null })
    const { id } = await shop.authorized(3000)
    const { handle } = await world.platform.kernel.db.one(
      Type.Object({ handle: Type.String() }),
      sql`
        select provider_handle as handle from payments.payment_intents
        where tenant_id = ${shop.tenant.id} and id = ${id}`,
    )
    await world.atProvider(`payment_intents/${handle}/capture`, { amount_to_capture: '2000' })
    await reconcile(shop)
    const seen = await shop.read(id)
    expect([seen.state, seen.amount_captured_minor]).toEqual(['captured', 2000])
    expect(await found()).toEqual([])
  })
})

describe('a person', () => {
  test('gets the payments that they made, and is erased from them', async () => {
    const shop = await world.merchant()
    const other = await world.merchant()
    const { id } = await shop.intent({ order_ref: 'shoes', metadata: { buyer: 'Ada Lovelace' } })
    const card = { payment_method: 'pm_card_visa', return_url: 'https://ada.example/back' }
    await shop.ask('POST', `/v1/payment-intents/${id}/authorize`, card)
    await shop.ask('POST', `/v1/payment-intents/${id}/capture`, {})
    const note = 'Ada sent them back.'
    await shop.ask('POST', '/v1/refunds', { intent_id: id, amount_minor: 100, note })
    const { id: theirs } = await other.intent({ metadata: { buyer: 'Grace Hopper' } })

    const exported = await world.call('GET', '/v1/me/export', { token: shop.token })
    const lines = exported.text
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as { surface?: string; kind?: string; data?: object })
    const own = lines.filter(({ surface }) => surface === 'payments')
    expect(own.map(({ kind }) => kind)).toEqual(['payment', 'refund'])
    expect(own[0]?.data).toMatchObject({ id, metadata: { buyer: 'Ada Lovelace' } })
    expect(own[1]?.data).toMatchObject({ intent_id: id, note })

    const before = await world.balances(shop)
    const erased = await world.call('DELETE', `/v1/accounts/${shop.id}`, { token: shop.token })
    expect(erased.status).toBe(204)
    const rows = () =>
      world.platform.kernel.db.many(
        Type.Object({ text: Type.String() }),
        sql`
          select row_to_json(i)::text || coalesce(r.note, '') || coalesce(o.payment_method, '')
            || coalesce(o.return_url, '') as text
          from payments.payment_intents i
          join payments.payment_operations o
            on o.tenant_id = i.tenant_id and o.intent_id = i.id and o.type <> 'create'
          left join payments.refunds r on r.tenant_id = i.tenant_id and r.intent_id = i.id
          where i.tenant_id = ${shop.tenant.id}`,
      )
    await eventually('nothing tells of them', async () => {
      return !/Ada|ada\.example|pm_card/.test(JSON.stringify(await rows()))
    })
    const { db } = world.platform.kernel
    const kept = await db.one(
      Type.Object({ captured: Type.Integer(), entries: Type.Integer() }),
      sql`
        select (select amount_captured_minor from payments.payment_intents
            where tenant_id = ${shop.tenant.id} and id = ${id}) as captured,
          (select count(*)::int from payments.ledger_entries e
            join payments.ledger_accounts a on a.id = e.account_id
            where a.owner_id = ${shop.tenant.id}) as entries`,
    )
    expect(kept.captured).toBe(5000)
    expect(kept.entries).toBeGreaterThan(2)
    expect(before['merchant_balance']).toBeGreaterThan(0)
    expect((await other.read(theirs)).metadata).toEqual({ buyer: 'Grace Hopper' })
    expect(await found()).toEqual([])
  })
})
