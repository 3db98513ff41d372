/** What is stored about customers who are people of the platform, or have the address of one. */
import { Type } from 'typebox'
import { sql, type PersonalAccount, type PersonalRows, type Sql, type Tx } from '#dodeca/kernel'
import { endCustomers } from './end-customers.ts'

const Found = Type.Object({ tenant_id: Type.String(), id: Type.String() })
const portion = 200

/** The account, or a person without one whose address is now known to be that of its owner. */
function isCustomer(account: PersonalAccount, t = sql`t`): Sql {
  const { tenant_id, address = '', principal_ids } = account
  return sql`(
    ${t}.account_id = any(${principal_ids}::uuid[])
    or ${t}.tenant_id = ${tenant_id} and ${t}.account_id is null
      and lower(${t}.email) = lower(${address}))`
}

/** With their methods. The providers delete theirs by later work. */
export async function eraseCustomers(tx: Tx, account: PersonalAccount): Promise<number> {
  const erased = await tx.many(
    Found,
    sql`
      -- any tenant: the customers of one person
      select t.tenant_id, t.id from payments.customers t
      where ${isCustomer(account)}
      order by t.id limit ${portion} for update`,
  )
  await endCustomers(tx, erased)
  const [tenants, ids] = [erased.map(one => one.tenant_id), erased.map(one => one.id)]
  const of = (column: Sql) => sql`
    (tenant_id, ${column}) in (select * from unnest(${tenants}::uuid[], ${ids}::uuid[]))`
  await tx.run(sql`
    -- any tenant: the condition has the tenant of each customer
    delete from payments.payment_methods where ${of(sql`customer_id`)}`)
  await tx.run(sql`
    -- any tenant: the condition has the tenant of each customer
    update payments.payment_intents set customer_id = null where ${of(sql`customer_id`)}`)
  await tx.run(sql`
    -- any tenant: the condition has the tenant of each customer
    delete from payments.customers where ${of(sql`id`)}`)
  return erased.length
}

export const customerRows: readonly PersonalRows[] = [
  {
    kind: 'customer',
    table: 'payments.customers',
    owner: isCustomer,
    view: ['id', 'account_id', 'email', 'name', 'locale', 'address', 'tax_id', 'created_at'],
  },
  {
    kind: 'payment_method',
    table: 'payments.payment_methods',
    owner: account => sql`
      (t.tenant_id, t.customer_id) in (
        select c.tenant_id, c.id from payments.customers c where ${isCustomer(account, sql`c`)})`,
    view: ['id', 'method', 'brand', 'last4', 'exp', 'state', 'created_at'],
  },
  eraseCustomers,
]
