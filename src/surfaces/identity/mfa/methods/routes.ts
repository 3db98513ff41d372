/**
 * Routes about the caller's own second factors. While a factor is active, changing factors requires
 * step-up.
 */
import { Type } from 'typebox'
import { reply, route, type Route } from '../../../../kernel/http/route.ts'
import { pageQuery } from '../../../../kernel/http/shapes.ts'
import type { Deps } from '../../deps.ts'
import { Activate, Activated, activateMethod } from './activate-method.ts'
import { Enrol, Enrolled, enrolMethod } from './enrol-method.ts'
import { requireSession } from '../holder.ts'
import { listMethods } from './find-methods.ts'
import { removeMethod } from './remove-method.ts'
import { renewRecoveryCodes } from './recovery-codes.ts'
import { MethodPage, RecoveryCodes } from '../schemas.ts'

const mine = { permission: 'authenticated', added: true } as const
const guarded = ['permission_denied', 'step_up_required'] as const

export function methodRoutes(deps: Deps): readonly Route[] {
  return [
    route({
      ...mine,
      method: 'GET',
      path: '/v1/mfa/methods',
      name: 'listMfaMethods',
      summary: 'List my second factors',
      query: pageQuery({}),
      replies: { 200: MethodPage },
      fails: ['permission_denied'],
      handle: async ({ tx, principal, list }) => {
        const { id } = requireSession(principal)
        const { body, headers } = await listMethods(tx, deps.kernel, list, id)
        return reply(200, body, headers)
      },
    }),
    route({
      ...mine,
      method: 'POST',
      path: '/v1/mfa/methods',
      name: 'enrolMfaMethod',
      summary: 'Begin a second factor',
      description:
        'The secret is shown only this once. The factor is not accepted until it is activated.',
      body: Enrol,
      replies: { 201: Enrolled },
      fails: [...guarded, 'quota_exceeded'],
      handle: async ({ tx, principal, body }) =>
        reply(201, await enrolMethod(tx, deps, requireSession(principal), body)),
    }),
    ...changes(deps),
  ]
}

function changes(deps: Deps): Route[] {
  return [
    route({
      ...mine,
      method: 'POST',
      path: '/v1/mfa/methods/{method_id}/activate',
      name: 'activateMfaMethod',
      summary: 'Activate a second factor',
      description:
        'The first factor comes with ten recovery codes. They are shown only in this reply.',
      absent: 'mfa_method_not_found',
      body: Activate,
      transaction: 'own',
      replies: { 200: Activated },
      fails: [
        ...guarded,
        'mfa_method_not_found',
        'mfa_verification_failed',
        'invalid_transition',
        'already_exists',
        'rate_limited',
      ],
      handle: async ({ principal, params, body, request }) => {
        const session = requireSession(principal)
        return reply(200, await activateMethod(deps, session, params.method_id, body, request))
      },
    }),
    route({
      ...mine,
      method: 'DELETE',
      path: '/v1/mfa/methods/{method_id}',
      name: 'removeMfaMethod',
      summary: 'Remove a second factor',
      absent: 'mfa_method_not_found',
      replies: { 204: null },
      fails: [...guarded, 'mfa_method_not_found'],
      handle: async ({ tx, principal, params, request }) => {
        await removeMethod(tx, deps, requireSession(principal), params.method_id, request)
        return reply(204, null)
      },
    }),
    route({
      ...mine,
      method: 'POST',
      path: '/v1/mfa/recovery-codes',
      name: 'replaceRecoveryCodes',
      summary: 'Replace my recovery codes',
      description: 'Codes of an earlier set are no longer valid.',
      replies: {
        201: Type.Object({ recovery_codes: RecoveryCodes }, { title: 'MfaRecoveryCodes' }),
      },
      fails: [...guarded, 'mfa_method_not_found'],
      handle: async ({ tx, principal, request }) => {
        const session = requireSession(principal)
        const recovery_codes = await renewRecoveryCodes(tx, deps, session, request)
        return reply(201, { recovery_codes })
      },
    }),
  ]
}
