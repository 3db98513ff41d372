/** Routes about registrations and the verification of their addresses. */
import { Type } from 'typebox'
import { closed, Id, reply, routesOf } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { proveEmailChange } from '../email-changes/prove-email-change.ts'
import { problem } from '../errors.ts'
import { Accepted, Email, OneTimeToken, Password, Progress, Slug } from '../schemas.ts'
import { registrationProgress, requestProgress } from '../requests.ts'
import { register, Register, Registered } from './register.ts'
import { resendVerification } from './resend-verification.ts'
import { Verified, verifyAddress } from './verify-address.ts'

const { open, get, create, post } = routesOf<Deps>({
  absent: 'registration_not_found',
  added: true,
})

export const registrationRoutes = open({
  registerAccount: post(
    '/v1/accounts',
    'Register',
    {
      description: 'The reply is the same whether or not the address has an account.',
      permission: 'public',
      transaction: 'own',
      body: Register,
      replies: { 202: Registered },
      location: '/v1/registrations/{id}',
      fails: [
        'captcha_required',
        'password_rejected',
        'tenant_not_found',
        'signup_closed',
        'rate_limited',
      ],
      added: false,
    },
    async ({ body, request }, deps) => await register(deps, body, request),
  ),

  getRegistration: get(
    '/v1/registrations/{id}',
    'Get the status of a registration',
    { permission: 'public', reply: Progress },
    async ({ tx, params }) => {
      const progress = await registrationProgress(tx, params.id)
      if (!progress) throw problem('registration_not_found')
      return progress
    },
  ),

  verifyEmail: create(
    '/v1/email-verifications',
    'Verify an address with a mailed token',
    {
      narrow: 'anonymous',
      description:
        'Send the id or the password of the registration. For a changed address, send the credential of its owner. An anonymous account becomes a person: its session ends, and `session` has a full one.',
      permission: 'public',
      transaction: 'own',
      body: closed({
        token: OneTimeToken,
        registration_id: Type.Optional(Id),
        password: Type.Optional(Password),
      }),
      reply: Verified,
      fails: [
        'one_time_token_invalid',
        'email_taken',
        'signup_closed',
        'last_operator',
        // Not any more. A published code stays in the document.
        'last_administrator',
        'overloaded',
      ],
    },
    async ({ body, principal, request }, deps) => {
      const { token, registration_id, password } = body
      const knows = registration_id !== undefined || password !== undefined
      if (principal?.kind !== 'account' || knows) {
        return await verifyAddress(deps, { token, registration_id, password }, request)
      }
      const in_cookies = request.headers['authorization'] === undefined
      const proof = { token, delivery: in_cookies ? 'cookie' : 'token' } as const
      const { begun, ...moved } = await proveEmailChange(deps, principal, proof, request)
      return begun ? reply(201, { ...moved, session: begun.body }, begun.headers) : moved
    },
  ),

  requestEmailVerification: post(
    '/v1/email-verification-requests',
    'Send the verification of an address again',
    {
      description: 'The reply is the same whether or not a verification of the address is pending.',
      permission: 'public',
      transaction: 'own',
      body: closed({ email: Email, tenant: Type.Optional(Slug) }),
      replies: { 202: Accepted },
      location: '/v1/email-verification-requests/{id}',
      fails: ['rate_limited'],
    },
    async ({ body, request }, deps) => await resendVerification(deps, body, request),
  ),

  getEmailVerificationRequest: get(
    '/v1/email-verification-requests/{id}',
    'Get the status of a request',
    { permission: 'public', absent: 'request_not_found', reply: Progress },
    async ({ tx, params }) => {
      const progress = await requestProgress(tx, 'email_verification', params.id)
      if (!progress) throw problem('request_not_found')
      return progress
    },
  ),
})
