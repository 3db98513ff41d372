/** Routes to reset a forgotten password and to change a known one. */
import { closed, routesOf, text } from '#dodeca/kernel'
import { requestProgress } from '../requests.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { Accepted, OneTimeToken, Password, Progress } from '../schemas.ts'
import { changePassword } from './change-password.ts'
import { RequestReset, requestReset } from './request-reset.ts'
import { resetPassword } from './reset-password.ts'

const { open, get, post } = routesOf<Deps>({
  absent: 'request_not_found',
  permission: 'authenticated',
})

export const passwordRoutes = open({
  requestPasswordReset: post(
    '/v1/password-reset-requests',
    'Request a mail that resets a password',
    {
      description: 'The reply is the same whether or not the address has an account.',
      permission: 'public',
      transaction: 'own',
      body: RequestReset,
      replies: { 202: Accepted },
      location: '/v1/password-reset-requests/{id}',
      fails: ['captcha_required', 'rate_limited'],
    },
    async ({ body, request }, deps) => await requestReset(deps, body, request),
  ),

  getPasswordResetRequest: get(
    '/v1/password-reset-requests/{id}',
    'Get the status of a request',
    { permission: 'public', added: true, reply: Progress },
    async ({ tx, params }) => {
      const progress = await requestProgress(tx, 'password_reset', params.id)
      if (!progress) throw problem('request_not_found')
      return progress
    },
  ),

  resetPassword: post(
    '/v1/password-resets',
    'Set a password with a token from a mail',
    {
      description: 'All sessions end.',
      permission: 'public',
      transaction: 'own',
      body: closed({ token: OneTimeToken, new_password: Password }),
      fails: ['password_rejected', 'one_time_token_invalid', 'overloaded'],
    },
    async ({ body, request }, deps) => {
      await resetPassword(deps, body, request)
    },
  ),

  changePassword: post(
    '/v1/password-changes',
    'Change my password',
    {
      description: 'All other sessions end.',
      added: true,
      transaction: 'own',
      body: closed({ current_password: text(1024), new_password: Password }),
      fails: [
        'invalid_credentials',
        'password_rejected',
        'permission_denied',
        'account_not_found',
        'overloaded',
      ],
    },
    async ({ body, principal, request }, deps) => {
      await changePassword(deps, principal, body, request)
    },
  ),
})
