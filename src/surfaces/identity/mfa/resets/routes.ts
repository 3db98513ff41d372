/** Routes about resets of a person's second factors by an administrator. */
import { closed, reply, routesOf, sql } from '#dodeca/kernel'
import { accountInTenant } from '../../accounts/find-account.ts'
import type { Deps } from '../../deps.ts'
import { problem } from '../../errors.ts'
import { OneTimeToken } from '../../schemas.ts'
import { stopReset, withdrawReset } from './end-reset.ts'
import { FactorReset, Reason, resetOf, resets_factors } from './factor-reset.ts'
import { requestReset } from './request-reset.ts'

const { open, get, list, post, del } = routesOf<Deps>({
  absent: 'account_not_found',
  permission: resets_factors,
  added: true,
})

export const resetRoutes = open({
  requestFactorReset: post(
    '/v1/accounts/{account_id}/factor-resets',
    'Reset the second factors of a person who lost them',
    {
      sends: ['location'],
      description:
        'Removes all second factors and recovery codes, and ends the sessions, after `IDENTITY_FACTOR_RESET_DELAY_SECONDS` (a day). The owner gets a mail now and can stop it with its link, or by logging in with a factor. You must still have the permission when the time comes.',
      idempotency: 'optional',
      // The reason is about the person, and an erasure must find it.
      record: 'reference',
      body: closed({ reason: Reason }),
      replies: { 202: FactorReset },
      fails: ['already_exists', 'invalid_transition', 'permission_denied', 'step_up_required'],
    },
    {
      handle: async ({ tx, params, body, principal, grants, request }, deps) => {
        const held = await grants()
        const asked = { ...params, ...body, principal, grants: held, seen: request }
        return accepted(await requestReset(tx, deps, asked))
      },
      again: async ({ tx, principal: { tenant_id }, resource_ref }) => {
        const id = resource_ref.slice(resource_ref.lastIndexOf('/') + 1)
        return accepted(await resetOf(tx, tenant_id, id))
      },
    },
  ),

  listFactorResets: list(
    '/v1/accounts/{account_id}/factor-resets',
    'List the resets of the second factors of an account, newest first',
    {
      from: 'identity.factor_resets',
      row: FactorReset,
      time: 'id',
      find: [],
      within: async ({ tx, params: { account_id }, principal: { tenant_id } }) => {
        if (!(await accountInTenant(tx, tenant_id, account_id))) throw problem('account_not_found')
        return { is: sql`t.account_id = ${account_id}` }
      },
    },
  ),

  getFactorReset: get(
    '/v1/factor-resets/{factor_reset_id}',
    'Get a reset of second factors',
    { absent: 'factor_reset_not_found', reply: FactorReset },
    async ({ tx, params, principal: { tenant_id } }) =>
      await resetOf(tx, tenant_id, params.factor_reset_id),
  ),

  withdrawFactorReset: del(
    '/v1/factor-resets/{factor_reset_id}',
    'Withdraw a reset of second factors that waits',
    { absent: 'factor_reset_not_found', fails: ['invalid_transition'] },
    async ({ tx, params, principal, request }) => {
      await withdrawReset(tx, params.factor_reset_id, principal, request)
    },
  ),

  stopFactorReset: post(
    '/v1/factor-resets/stop',
    'Keep my second factors: stop their reset',
    {
      permission: 'public',
      description: 'With the token of the mail that announced the reset.',
      transaction: 'own',
      body: closed({ token: OneTimeToken }),
      replies: { 204: null },
      fails: ['one_time_token_invalid'],
    },
    async ({ body: { token }, request }, deps) => {
      await stopReset(deps, token, request)
      return reply(204, null)
    },
  ),
})

function accepted(reset: FactorReset) {
  return reply(202, reset, { location: `/v1/factor-resets/${reset.id}` })
}
