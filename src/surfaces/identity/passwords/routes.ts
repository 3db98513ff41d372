/** Routes to reset a forgotten password and to change a known one. */
import { Type } from 'typebox'
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import { closed, text } from '../../../kernel/http/shapes.ts'
import { requestProgress } from '../requests.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { Accepted, Email, OneTimeToken, Password, Progress, Slug } from '../schemas.ts'
import { changePassword } from './change-password.ts'
import { requestReset } from './request-reset.ts'
import { resetPassword } from './reset-password.ts'

export function passwordRoutes(deps: Deps): readonly Route[] {
  return [...requestRoutes(deps), ...changeRoutes(deps)]
}

function requestRoutes(deps: Deps): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/password-reset-requests',
      name: 'requestPasswordReset',
      summary: 'Request a mail that resets a password',
      sends: ['location'],
      description: 'The reply is the same whether or not the address has an account.',
      permission: 'public',
      transaction: 'own',
      body: closed({ email: Email, tenant: Type.Optional(Slug) }),
      replies: { 202: Accepted },
      fails: ['rate_limited'],
      handle: async ({ body, request }) => {
        const accepted = await requestReset(deps, body, request)
        return reply(202, accepted, { location: `/v1/password-reset-requests/${accepted.id}` })
      },
    }),
    route({
      method: 'GET',
      path: '/v1/password-reset-requests/{id}',
      name: 'getPasswordResetRequest',
      summary: 'Get the status of a request',
      permission: 'public',
      added: true,
      absent: 'request_not_found',
      replies: { 200: Progress },
      handle: async ({ tx, params }) => {
        const progress = await requestProgress(tx, 'password_reset', params.id)
        if (!progress) throw problem('request_not_found')
        return reply(200, progress)
      },
    }),
  ]
}

function changeRoutes(deps: Deps): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/password-resets',
      name: 'resetPassword',
      summary: 'Set a password with a token from a mail',
      description: 'All sessions end.',
      permission: 'public',
      transaction: 'own',
      body: closed({ token: OneTimeToken, new_password: Password }),
      replies: { 204: null },
      fails: ['password_rejected', 'one_time_token_invalid', 'overloaded'],
      handle: async ({ body, request }) => {
        await resetPassword(deps, body, request)
        return reply(204, null)
      },
    }),
    route({
      method: 'POST',
      path: '/v1/password-changes',
      name: 'changePassword',
      summary: 'Change my password',
      description: 'All other sessions end.',
      permission: 'authenticated',
      added: true,
      transaction: 'own',
      body: closed({ current_password: text(1024), new_password: Password }),
      replies: { 204: null },
      fails: [
        'invalid_credentials',
        'password_rejected',
        'permission_denied',
        'account_not_found',
        'overloaded',
      ],
      handle: async ({ body, principal, request }) => {
        await changePassword(deps, principal, body, request)
        return reply(204, null)
      },
    }),
  ]
}
