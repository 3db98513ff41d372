/** Routes to request a mailed login code. */
import { routesOf } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { requestProgress } from '../requests.ts'
import { Accepted, Progress } from '../schemas.ts'
import { RequestCode, requestLoginCode } from './request-code.ts'

const { open, get, post } = routesOf<Deps>({
  absent: 'request_not_found',
  added: true,
})

export const loginCodeRoutes = open({
  requestLoginCode: post(
    '/v1/login-codes',
    'Request a mailed login code',
    {
      description:
        'Send the `id` with the mailed code, or with the token of the mailed link, as `login_code` to `POST /v1/sessions`. The reply is the same whether or not the address has an account.',
      permission: 'public',
      transaction: 'own',
      body: RequestCode,
      replies: { 202: Accepted },
      location: '/v1/login-codes/{id}',
      fails: ['captcha_required', 'login_codes_off', 'tenant_not_found', 'rate_limited'],
    },
    async ({ body, request }, deps) => await requestLoginCode(deps, body, request),
  ),

  getLoginCode: get(
    '/v1/login-codes/{id}',
    'Get the status of a login code',
    { permission: 'public', reply: Progress },
    async ({ tx, params }) => {
      const progress = await requestProgress(tx, 'login_code', params.id)
      if (!progress) throw problem('request_not_found')
      return progress
    },
  ),
})
