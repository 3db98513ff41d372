/** Routes of saved payment methods, for whose they are and for their merchant. */
import { allowsSome, equal, exact, Id, oneOf, owner, routesOf } from '#dodeca/kernel'
import type { Principal, Reader } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { detachMethod, findMethod } from './detach-method.ts'
import { MethodRow, MethodView, viewOf } from './method-row.ts'

const path = '/v1/payment-methods'
const one = `${path}/{id}` as const
const absent = 'payment_method_not_found'
const reads = 'payments.customers.read'
const writes = 'payments.customers.write'

const { open, list, get, del } = routesOf<Deps>({
  absent,
  permission: 'authenticated',
  added: true,
})

export const methodRoutes = open({
  listPaymentMethods: list(path, 'List saved payment methods, newest first', {
    tool: 'read',
    description: `Your own. With \`${reads}\`: those of all customers.`,
    from: 'payments.payment_methods',
    row: MethodRow,
    item: MethodView,
    view: viewOf,
    time: 'id',
    of: owner('account_id', reads),
    filters: { customer_id: equal(Id), state: equal(oneOf('active', 'detached')) },
    find: [exact('last4')],
    shows: ['brand', 'last4'],
  }),

  getPaymentMethod: get(
    one,
    'Get a saved payment method',
    { tool: 'read', for_others: reads, reply: MethodView },
    async ({ tx, principal, grants, params: { id } }) =>
      viewOf(await requireMethod(tx, { principal, grants }, id, reads)),
  ),

  deletePaymentMethod: del(
    one,
    'Detach a saved payment method',
    {
      for_others: writes,
      description:
        'It is charged no more. The provider is asked to forget it afterwards, until that is certain.',
    },
    async ({ tx, principal, grants, params: { id } }) => {
      const found = await requireMethod(tx, { principal, grants }, id, writes)
      await detachMethod(tx, { tenant_id: principal.tenant_id, id })
      if (found.account_id === principal.id) return
      tx.audit('payments.methods.delete', `payment_method:${id}`)
    },
  ),
})

type Caller = {
  readonly principal: Principal
  readonly grants: () => Promise<ReadonlySet<string>>
}

async function requireMethod(
  reader: Reader,
  { principal: { id: account_id, tenant_id }, grants }: Caller,
  id: string,
  any: string,
): Promise<MethodRow> {
  const found = await findMethod(reader, { tenant_id, id })
  // The grants are only read for a method that is not the caller's.
  if (found && (found.account_id === account_id || allowsSome(await grants(), any))) return found
  throw problem(absent)
}
