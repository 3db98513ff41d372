/**
 * Routes about the caller's own second factors. While a factor is active, changing factors requires
 * step-up.
 */
import { Type } from 'typebox'
import { reply, routesOf } from '#dodeca/kernel'
import type { Deps } from '../../deps.ts'
import { refusals } from '../../login-policy/policy.ts'
import { Activate, Activated, activateMethod } from './activate-method.ts'
import { Enrol, Enrolled, enrolMethod } from './enrol-method.ts'
import { requireSession } from '../holder.ts'
import { listMethods } from './find-methods.ts'
import { removeMethod } from './remove-method.ts'
import { renewRecoveryCodes } from './recovery-codes.ts'
import { Method, RecoveryCodes } from '../schemas.ts'

const guarded = ['permission_denied', 'session_bound', 'step_up_required'] as const

const { open, list, create, post, del } = routesOf<Deps>({
  absent: 'mfa_method_not_found',
  permission: 'authenticated',
  added: true,
})

export const methodRoutes = open({
  listMfaMethods: list(
    '/v1/mfa/methods',
    'List my second factors',
    { narrow: 'enrolment', item: Method, fails: ['permission_denied'] },
    async ({ tx, principal, list }, { kernel }) =>
      await listMethods(tx, kernel, list, requireSession(principal).id),
  ),

  enrolMfaMethod: create(
    '/v1/mfa/methods',
    'Begin a second factor or a passkey',
    {
      narrow: 'enrolment',
      sends: [],
      description:
        'The secret is shown only this once. The factor is not accepted until it is activated. A `passkey` also logs in alone, so it requires a recent login.',
      body: Enrol,
      reply: Enrolled,
      fails: [...guarded, 'quota_exceeded'],
    },
    async ({ tx, principal, body }, deps) =>
      await enrolMethod(tx, deps, requireSession(principal), body),
  ),

  activateMfaMethod: post(
    '/v1/mfa/methods/{method_id}/activate',
    'Activate a second factor',
    {
      narrow: 'enrolment',
      description:
        'The first factor comes with ten recovery codes. They are shown only in this reply. A session with the scope `enrolment` ends, and the reply has a full one.',
      body: Activate,
      transaction: 'own',
      reply: Activated,
      fails: [
        ...guarded,
        'mfa_verification_failed',
        'invalid_transition',
        'already_exists',
        'rate_limited',
        ...refusals,
      ],
    },
    async ({ principal, params, body, request }, deps) => {
      const session = requireSession(principal)
      const done = await activateMethod(deps, session, params.method_id, body, request)
      return reply(200, done.activated, done.headers)
    },
  ),

  removeMfaMethod: del(
    '/v1/mfa/methods/{method_id}',
    'Remove a second factor',
    { narrow: 'enrolment', fails: [...guarded, 'last_credential'] },
    async ({ tx, principal, params, request }, deps) => {
      await removeMethod(tx, deps, requireSession(principal), params.method_id, request)
    },
  ),

  replaceRecoveryCodes: create(
    '/v1/mfa/recovery-codes',
    'Replace my recovery codes',
    {
      narrow: 'enrolment',
      description: 'Codes of an earlier set are no longer valid.',
      reply: Type.Object({ recovery_codes: RecoveryCodes }, { title: 'MfaRecoveryCodes' }),
      fails: [...guarded, 'mfa_method_not_found'],
    },
    async ({ tx, principal, request }, deps) => {
      const session = requireSession(principal)
      return { recovery_codes: await renewRecoveryCodes(tx, deps, session, request) }
    },
  ),
})
