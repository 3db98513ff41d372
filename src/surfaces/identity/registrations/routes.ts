/** Routes about registrations and the verification of their addresses. */
import { Type } from 'typebox'
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import { closed, Id } from '../../../kernel/http/shapes.ts'
import type { Deps } from '../deps.ts'
import { proveEmailChange } from '../email-changes/prove-email-change.ts'
import { problem } from '../errors.ts'
import { Accepted, Email, OneTimeToken, Password, Progress, Slug } from '../schemas.ts'
import { registrationProgress, requestProgress } from '../requests.ts'
import { register, Register, Registered } from './register.ts'
import { resendVerification } from './resend-verification.ts'
import { Verified, verifyAddress } from './verify-address.ts'

export function registrationRoutes(deps: Deps): readonly Route[] {
  return [...registerRoutes(deps), verificationRoute(deps), ...resendRoutes(deps)]
}

function registerRoutes(deps: Deps): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/accounts',
      name: 'registerAccount',
      summary: 'Register',
      sends: ['location'],
      description: 'The reply is the same whether or not the address has an account.',
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
      summary: 'Get the status of a registration',
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
    summary: 'Verify an address with a mailed token',
    description:
      'Send the id or the password of the registration. For a changed address, send the credential of its owner.',
    permission: 'public',
    added: true,
    transaction: 'own',
    body: closed({
      token: OneTimeToken,
      registration_id: Type.Optional(Id),
      password: Type.Optional(Password),
    }),
    replies: { 201: Verified },
    fails: [
      'one_time_token_invalid',
      'email_taken',
      'last_operator',
      // Not any more. A published code stays in the document.
      'last_administrator',
      'overloaded',
    ],
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
      summary: 'Send the verification of an address again',
      description: 'The reply is the same whether or not a verification of the address is pending.',
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
      summary: 'Get the status of a request',
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
