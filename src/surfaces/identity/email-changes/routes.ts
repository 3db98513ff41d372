/** Routes about changes of an account's address. */
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import { closed, text } from '../../../kernel/http/shapes.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { emailChangeProgress } from '../requests.ts'
import { Accepted, Email, Progress } from '../schemas.ts'
import { askEmailChange } from './change-email.ts'

export function emailChangeRoutes(deps: Deps): readonly Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/email-changes',
      name: 'requestEmailChange',
      summary: 'Request a change of address',
      description: 'The address changes when you send the token that is mailed to it.',
      sends: ['location'],
      permission: 'authenticated',
      added: true,
      transaction: 'own',
      body: closed({ email: Email, current_password: text(1024) }),
      replies: { 202: Accepted },
      fails: [
        'invalid_credentials',
        'permission_denied',
        'account_not_found',
        'rate_limited',
        'overloaded',
      ],
      handle: async ({ body, principal }) => {
        const accepted = await askEmailChange(deps, principal, body)
        return reply(202, accepted, { location: `/v1/email-changes/${accepted.id}` })
      },
    }),
    route({
      method: 'GET',
      path: '/v1/email-changes/{id}',
      name: 'getEmailChange',
      summary: 'Get the status of a change of address',
      permission: 'authenticated',
      added: true,
      absent: 'email_change_not_found',
      replies: { 200: Progress },
      handle: async ({ tx, params, principal }) => {
        const progress = await emailChangeProgress(tx, principal.id, params.id)
        if (!progress) throw problem('email_change_not_found')
        return reply(200, progress)
      },
    }),
  ]
}
