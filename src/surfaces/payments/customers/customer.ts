/**
 * A customer: who pays a tenant, again and again. Who writes customers cannot say whose account one
 * is. Only an account itself gets a customer with its `account_id`, when it saves a payment method.
 */
import { Type } from 'typebox'
import {
  begins,
  closed,
  defaulted,
  Id,
  named,
  nullable,
  record,
  resource,
  shown,
  sql,
  text,
} from '#dodeca/kernel'
import type { Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { endCustomers } from './end-customers.ts'

const readers = ['merchant_service', 'support_viewer', 'payments_finance', 'refund_operator']

const Email = Type.String({ pattern: '^[^@\\s]+@[^@\\s]+$', minLength: 3, maxLength: 254 })
const Locale = Type.String({
  pattern: '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$',
  minLength: 2,
  maxLength: 35,
})
const Address = closed(
  {
    line1: text(200),
    line2: Type.Optional(text(200)),
    city: text(100),
    region: Type.Optional(text(100)),
    postal_code: text(20),
    country: Type.String({ pattern: '^[A-Z]{2}$', minLength: 2, maxLength: 2 }),
  },
  { title: 'CustomerAddress' },
)

const customer = record('payments.customers', {
  noun: 'customer',
  tombstone: true,
  fields: {
    account_id: shown(nullable(Id)),
    email: defaulted(nullable(Email), null),
    name: defaulted(nullable(text(200)), null),
    locale: defaulted(nullable(Locale), null),
    address: defaulted(nullable(Address), null),
    tax_id: defaulted(nullable(text(50)), null),
  },
})

export const customers = resource(customer, {
  path: '/v1/customers',
  one: 'customer',
  many: 'customers',
  of: 'tenant',
  roles: { read: readers, write: ['merchant_service'] },
  most: 1_000_000,
  kept_days: 30,
  filters: ['account_id'],
  find: [begins('email'), ...named('name')],
  data: ['account_id'],
  remove: async (tx, scope, { id, if_match }, _deps: Pick<Deps, 'kernel'>) => {
    const nothing = sql`null`
    const set = { email: nothing, name: nothing, locale: nothing, address: nothing }
    const removed = await customer.remove(tx, scope, id, {
      if_match,
      set: { ...set, tax_id: nothing, account_id: nothing },
    })
    if (removed) await endCustomers(tx, [{ tenant_id: scope.tenant_id, id }])
    return removed
  },
})

type Own = { readonly tenant_id: string; readonly account_id: string }

/** The customer of an account, made by the account itself. There is one, whoever comes first. */
export async function ownCustomer(
  tx: Tx,
  deps: Pick<Deps, 'kernel'>,
  { tenant_id, account_id }: Own,
): Promise<string> {
  const lock = `payments.customers:${tenant_id}:${account_id}`
  const [, found] = await Promise.all([
    tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`),
    tx.maybe(
      Type.Object({ id: Id }),
      sql`
        select id from payments.customers
        where tenant_id = ${tenant_id} and account_id = ${account_id} and deleted_at is null`,
    ),
  ])
  return (found ?? (await customers.make(tx, { tenant_id }, { account_id }, deps))).id
}
