/** What the database itself refuses, whatever the code does. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId, nil_id, sql, SqlState, violates } from '#dodeca/kernel'
import { openPaymentWorld, type PaymentWorld } from './payment-world.ts'

let world: PaymentWorld
beforeAll(async () => {
  world = await openPaymentWorld()
})
afterAll(() => world.close())

describe.concurrent('the database refuses', () => {
  const db = () => world.platform.kernel.db
  const legs = (directions: string[], amounts: number[]) => sql`
    select payments.post_ledger(
      ${newId()}, ${nil_id}, null, null, 'test', ${newId()}, null, null, 'a test', 'EUR',
      ${directions.map(() => nil_id)}::uuid[],
      ${directions.map((_one, at) => (at === 0 ? 'bank' : 'suspense'))}::text[],
      ${directions}::text[], ${amounts}::bigint[])`
  const refusal = (work: Promise<unknown>) =>
    work.then(
      () => expect.unreachable('it was accepted'),
      (error: unknown) => error,
    )

  test.each([
    ['an unbalanced posting', ['debit', 'credit'], [100, 99], 'ledger_balanced'],
    ['a posting of one entry', ['debit'], [100], 'ledger_balanced'],
    ['a negative amount', ['debit', 'credit'], [-5, -5], 'ledger_entries_amount_minor_check'],
    ['an amount of nothing', ['debit', 'credit'], [0, 0], 'ledger_entries_amount_minor_check'],
  ] as const)('%s', async (_name, directions, amounts, constraint) => {
    const error = await refusal(db().run(legs([...directions], [...amounts])))
    expect(violates(error, constraint)).toBe(true)
  })

  test('entries of two currencies that balance only together', async () => {
    const error = await refusal(
      db().tx(async tx => {
        await tx.run(legs(['debit', 'credit'], [5, 5]))
        await tx.run(sql`
          insert into payments.ledger_accounts (owner_type, owner_id, currency, type)
          values ('platform', ${nil_id}, 'SEK', 'bank') on conflict do nothing`)
        const id = newId()
        await tx.run(sql`
          insert into payments.ledger_transactions (id, tenant_id, purpose, description)
          values (${id}, ${nil_id}, 'mixed', 'mixed')`)
        await tx.run(sql`
          insert into payments.ledger_entries
            (transaction_id, line, account_id, currency, direction, amount_minor)
          select ${id}, row_number() over (), id, currency,
            case currency when 'EUR' then 'debit' else 'credit' end, 5
          from payments.ledger_accounts
          where owner_id = ${nil_id} and type = 'bank' and currency in ('EUR', 'SEK')`)
      }),
    )
    expect(violates(error, 'ledger_balanced')).toBe(true)
  })

  test('changing, deleting or adding to what was posted', async () => {
    const shop = await world.merchant()
    await shop.captured()
    for (const statement of [
      sql`update payments.ledger_entries set amount_minor = amount_minor + 1`,
      sql`delete from payments.ledger_entries`,
      sql`truncate payments.ledger_entries`,
      sql`update payments.ledger_transactions set description = 'changed'`,
      sql`delete from payments.ledger_transactions`,
    ]) {
      const error = await refusal(db().run(statement))
      expect(error).toBeInstanceOf(SqlState)
      expect(String(error)).toMatch(/append-only|cannot truncate/)
    }
    const error = await refusal(
      db().run(sql`
        insert into payments.ledger_entries
          (transaction_id, line, account_id, currency, direction, amount_minor)
        select transaction_id, 9, account_id, currency, direction, amount_minor
        from payments.ledger_entries limit 1`),
    )
    expect(violates(error, 'ledger_entries_of_one_commit')).toBe(true)
  })

  test('a refund beyond the capture, whatever the code says', async () => {
    const shop = await world.merchant()
    const { id } = await shop.captured(100)
    const error = await refusal(
      db().run(sql`
        update payments.payment_intents set amount_refund_pending_minor = 101
        where tenant_id = ${shop.tenant.id} and id = ${id}`),
    )
    expect(violates(error, 'payment_intents_amounts')).toBe(true)
  })
})
