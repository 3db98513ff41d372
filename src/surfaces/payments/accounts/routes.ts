/** Routes of the own payment accounts of a tenant, whose money goes to the tenant itself. */
import { page, routesOf, sql } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { AccountName } from '../schemas.ts'
import { closeIfIdle, closing_topic } from './close-accounts.ts'
import { accountColumns, announceAccount, findAccount } from './find-account.ts'
import { checkAccount, putAccount } from './put-account.ts'
import { AccountRow, AccountView, PutAccount, viewOf } from './schemas.ts'

const path = '/v1/payment-accounts'
const one = `${path}/{name}` as const
const absent = 'payment_account_not_found'

const { open, list, get, put, del } = routesOf<Deps>({
  absent,
  permission: 'payments.accounts.write',
  added: true,
  params: { name: AccountName },
})

export const accountRoutes = open({
  listPaymentAccounts: list(
    path,
    'List the own payment accounts of your tenant',
    { description: 'Keys and secrets are never shown.', item: AccountView },
    async ({ principal: { tenant_id }, list: scope }, { kernel }) =>
      await page(kernel.db, {
        scope,
        row: AccountRow,
        place: ['id'],
        view: row => viewOf(kernel, row),
        fetch: (after, n) => sql`
          select ${accountColumns} from payments.payment_accounts a
          where a.tenant_id = ${tenant_id}
            and (${after.id}::uuid is null or a.id > ${after.id}::uuid)
          order by a.id limit ${n}`,
      }),
  ),

  getPaymentAccount: get(
    one,
    'Get an own payment account',
    { reply: AccountView },
    async ({ tx, principal: { tenant_id }, params: { name } }, { kernel }) => {
      const found = await findAccount(tx, tenant_id, name)
      if (!found) throw problem(absent)
      return viewOf(kernel, found)
    },
  ),

  putPaymentAccount: put(
    one,
    'Add an own payment account, or give it new credentials',
    {
      description:
        'The provider is asked whose credentials these are. New credentials must be of the same account. Without `auth` or `webhook_secret` the kept ones stay. Enter `webhook_url` at the provider, then send the signing secret that the provider shows as `webhook_secret`. It requires a recent log-in.',
      body: PutAccount,
      reply: AccountView,
      fails: [
        'step_up_required',
        'provider_unsupported',
        'payment_account_refused',
        'payment_account_differs',
        'payment_account_taken',
        'payment_provider_unavailable',
        'quota_exceeded',
        'precondition_failed',
      ],
    },
    {
      prepare: async ({ principal, body }, deps) => await checkAccount(deps, principal, body),
      handle: async ({ tx, principal, params: { name }, body, prepared, request }, deps) => {
        const { 'if-match': if_match, 'if-none-match': if_none_match } = request.headers
        const conditions = { if_match, if_none_match }
        const row = await putAccount(tx, deps, { principal, name, body, conditions }, prepared)
        return viewOf(deps.kernel, row)
      },
    },
  ),

  deletePaymentAccount: del(
    one,
    'Close an own payment account',
    {
      description:
        'It authorizes nothing more, and payments that hold no money are cancelled. It is closed, and its credentials are deleted, when no payment, refund or dispute of it is open. It requires a recent log-in.',
      fails: ['step_up_required'],
    },
    async ({ tx, principal, params: { name } }, { identity }) => {
      await identity.requireStepUp(tx, principal)
      const { tenant_id } = principal
      const closing = await tx.maybe(
        AccountRow,
        sql`
          update payments.payment_accounts a
          set state = 'closing', version = a.version + 1, updated_at = kernel.now()
          where a.tenant_id = ${tenant_id} and a.name = ${name} and a.state = 'active'
          returning ${accountColumns}`,
      )
      if (!closing) return
      tx.audit('payments.accounts.delete', `payment_account:${closing.id}`)
      announceAccount(tx, tenant_id, closing)
      await closeIfIdle(tx, { tenant_id, ...closing })
      tx.wake(closing_topic)
    },
  ),
})
