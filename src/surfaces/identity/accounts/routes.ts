/** Registering, proving an address, and one's own account. */
import { Type } from 'typebox'
import { etag } from '../../../kernel/http/etag.ts'
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import { closed, Id, text } from '../../../kernel/http/shapes.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { Accepted, Email, OneTimeToken, Password, Progress, Slug } from '../schemas.ts'
import { askEmailChange, proveEmailChange } from './change-email.ts'
import { Me, readMe } from './me.ts'
import { exportRoute } from './personal.ts'
import { emailChangeProgress, registrationProgress, requestProgress } from './progress.ts'
import { register, Register, Registered } from './register.ts'
import { resendVerification } from './resend-verification.ts'
import { updateMe, UpdateMe } from './update-me.ts'
import { Verified, verifyAddress } from './verify-address.ts'

export function accountRoutes(deps: Deps): readonly Route[] {
  return [
    ...registrationRoutes(deps),
    verificationRoute(deps),
    ...resendRoutes(deps),
    ...meRoutes(deps),
    exportRoute(deps),
    ...emailChangeRoutes(deps),
  ]
}

function registrationRoutes(deps: Deps): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/accounts',
      name: 'registerAccount',
      summary: 'Register',
      sends: ['location'],
      description: 'The answer is the same whether or not the address has an account.',
      permission: 'public',
      transaction: 'own',
      body: Register,
      replies: { 202: Registered },
      fails: ['password_rejected', 'tenant_not_found', 'signup_closed', 'rate_limited'],
      handle: async ({ body, request }) => {
        const registered = await register(deps, body, request)
        return reply(202, registered, { location: `/v1/registrations/${registered.id}` })
      },
    }),
    route({
      method: 'GET',
      path: '/v1/registrations/{id}',
      name: 'getRegistration',
      summary: 'What became of a registration',
      permission: 'public',
      added: true,
      absent: 'registration_not_found',
      replies: { 200: Progress },
      handle: async ({ tx, params }) => {
        const progress = await registrationProgress(tx, params.id)
        if (!progress) throw problem('registration_not_found')
        return reply(200, progress)
      },
    }),
  ]
}

function verificationRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path: '/v1/email-verifications',
    name: 'verifyEmail',
    summary: 'Prove an address with a mailed token',
    description:
      'With the registration’s id or password; for a changed address with the owner’s credential.',
    permission: 'public',
    added: true,
    transaction: 'own',
    body: closed({
      token: OneTimeToken,
      registration_id: Type.Optional(Id),
      password: Type.Optional(Password),
    }),
    replies: { 201: Verified },
    fails: ['one_time_token_invalid', 'overloaded'],
    handle: async ({ body, principal, request }) => {
      const { token, registration_id, password } = body
      const knows = registration_id !== undefined || password !== undefined
      const verified =
        principal?.kind === 'account' && !knows
          ? await proveEmailChange(deps, principal, token, request)
          : await verifyAddress(deps, { token, registration_id, password }, request)
      return reply(201, verified)
    },
  })
}

function resendRoutes(deps: Deps): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/email-verification-requests',
      name: 'requestEmailVerification',
      summary: 'Send the proof of an address again',
      description: 'The reply is the same whether or not the address waits for a proof.',
      sends: ['location'],
      permission: 'public',
      added: true,
      transaction: 'own',
      body: closed({ email: Email, tenant: Type.Optional(Slug) }),
      replies: { 202: Accepted },
      fails: ['rate_limited'],
      handle: async ({ body, request }) => {
        const accepted = await resendVerification(deps, body, request)
        return reply(202, accepted, {
          location: `/v1/email-verification-requests/${accepted.id}`,
        })
      },
    }),
    route({
      method: 'GET',
      path: '/v1/email-verification-requests/{id}',
      name: 'getEmailVerificationRequest',
    summary: 'What became of a request',
      permission: 'public',
      added: true,
      absent: 'request_not_found',
      replies: { 200: Progress },
      handle: async ({ tx, params }) => {
        const progress = await requestProgress(tx, 'email_verification', params.id)
        if (!progress) throw problem('request_not_found')
        return reply(200, progress)
      },
    }),
  ]
}

function meRoutes(deps: Deps): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/me',
      name: 'getMe',
      summary: 'Who I am',
      sends: ['etag'],
      permission: 'authenticated',
      replies: { 200: Me },
      fails: ['account_not_found'],
      handle: async ({ tx, principal }) => {
        const { me, version } = await readMe(tx, deps, principal)
        return reply(200, me, { etag: etag(version) })
      },
    }),
    route({
      method: 'PATCH',
      path: '/v1/me',
      name: 'updateMe',
      summary: 'Change what I am called',
      sends: ['etag'],
      permission: 'authenticated',
      added: true,
      body: UpdateMe,
      replies: { 200: Me },
      fails: ['account_not_found', 'precondition_failed', 'permission_denied'],
      handle: async ({ tx, principal, body, request }) => {
        await updateMe(tx, principal, body, request.headers['if-match'])
        const { me, version } = await readMe(tx, deps, principal)
        return reply(200, me, { etag: etag(version) })
      },
    }),
  ]
}

function emailChangeRoutes(deps: Deps): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/email-changes',
      name: 'requestEmailChange',
      summary: 'Ask for another address',
      description: 'The address changes when the token that is mailed to it comes back.',
      sends: ['location'],
      permission: 'authenticated',
      added: true,
      transaction: 'own',
      body: closed({ email: Email, current_password: text(1024) }),
      replies: { 202: Accepted },
      fails: ['invalid_credentials', 'account_not_found', 'rate_limited', 'overloaded'],
      handle: async ({ body, principal }) => {
        const accepted = await askEmailChange(deps, principal, body)
        return reply(202, accepted, { location: `/v1/email-changes/${accepted.id}` })
      },
    }),
    route({
      method: 'GET',
      path: '/v1/email-changes/{id}',
      name: 'getEmailChange',
      summary: 'What became of a change of address',
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
