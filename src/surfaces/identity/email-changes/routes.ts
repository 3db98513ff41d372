/** Routes about changes of an account's address. */
import { reply, routesOf } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { emailChangeProgress } from '../requests.ts'
import { Accepted, Progress } from '../schemas.ts'
import { askEmailChange, ChangeEmail } from './change-email.ts'

const { open, get, post } = routesOf<Deps>({ permission: 'authenticated', added: true })

export const emailChangeRoutes = open({
  requestEmailChange: post(
    '/v1/email-changes',
    'Request a change of address',
    {
      sends: ['location'],
      narrow: 'anonymous',
      description:
        'The address changes when you send the token that is mailed to it. An anonymous account sends no password, and becomes a person with its first address.',
      transaction: 'own',
      body: ChangeEmail,
      replies: { 202: Accepted },
      fails: [
        'captcha_required',
        'signup_closed',
        'invalid_credentials',
        'permission_denied',
        'account_not_found',
        'rate_limited',
        'overloaded',
      ],
    },
    async ({ body, principal, request }, deps) => {
      const accepted = await askEmailChange(deps, principal, body, request)
      return reply(202, accepted, { location: `/v1/email-changes/${accepted.id}` })
    },
  ),

  getEmailChange: get(
    '/v1/email-changes/{id}',
    'Get the status of a change of address',
    { narrow: 'anonymous', absent: 'email_change_not_found', reply: Progress },
    async ({ tx, params, principal }) => {
      const progress = await emailChangeProgress(tx, principal.id, params.id)
      if (!progress) throw problem('email_change_not_found')
      return progress
    },
  ),
})
