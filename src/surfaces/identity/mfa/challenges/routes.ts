/**
 * Routes of challenges. They are public for the request pipeline, because a login token is not a
 * session. `holderOf` finds the holder.
 */
import { Type } from 'typebox'
import { closed, Id, reply, routesOf } from '#dodeca/kernel'
import type { Deps } from '../../deps.ts'
import { problem } from '../../errors.ts'
import { refusals } from '../../login-policy/policy.ts'
import { Delivery, DeviceName, SessionTokens } from '../../schemas.ts'
import { askChallenge } from './ask-challenge.ts'
import { challengeStatus } from './challenges.ts'
import { holderOf } from '../holder.ts'
import {
  Assertion,
  ChallengeStatus,
  Code,
  OpenedChallenge,
  RecoveryCode,
  SteppedUp,
} from '../schemas.ts'
import { verifyChallenge } from './verify-challenge.ts'

const AskChallenge = closed({
  method_id: Id,
  /**
   * A login token opens challenges for its login. An access token opens challenges for its session.
   */
  purpose: Type.Optional(Type.Literal('step_up')),
})

const Answer = Type.Object(
  {
    code: Type.Optional(Code),
    recovery_code: Type.Optional(RecoveryCode),
    assertion: Type.Optional(Assertion),
    device_name: Type.Optional(DeviceName),
    delivery: Type.Optional(Delivery),
  },
  {
    additionalProperties: false,
    oneOf: [{ required: ['code'] }, { required: ['recovery_code'] }, { required: ['assertion'] }],
  },
)

const bearers = ['authentication_required', 'invalid_token', 'permission_denied'] as const

const { open, create, get } = routesOf<Deps>()

export const challengeRoutes = open({
  verifyMfaChallenge: create(
    '/v1/mfa/challenges/{challenge_id}/verify',
    'Complete a challenge',
    {
      sends: ['location'],
      description:
        'A login then becomes a session (201), and so does a session with the scope `enrolment`, which ends; a step-up returns a new access token (200).',
      permission: 'public',
      takes: 'login_token',
      narrow: 'enrolment',
      absent: 'mfa_challenge_invalid',
      body: Answer,
      transaction: 'own',
      replies: { 200: SteppedUp, 201: SessionTokens },
      fails: [...bearers, 'mfa_verification_failed', 'rate_limited', ...refusals],
    },
    async ({ principal, params, body, request }, deps) => {
      const holder = holderOf(principal, request)
      const done = await verifyChallenge(deps, holder, params.challenge_id, body, request)
      if (done.kind === 'stepped_up') {
        return reply(200, done.stronger.body, done.stronger.headers)
      }
      const { body: tokens, headers } = done.delivered
      return reply(201, tokens, { ...headers, location: `/v1/sessions/${tokens.session_id}` })
    },
  ),

  createMfaChallenge: create(
    '/v1/mfa/challenges',
    'Open a challenge for a second factor',
    {
      description:
        'Send the login token of a login that waits for its second factor. To step up a session, send its access token.',
      permission: 'public',
      takes: 'login_token',
      narrow: 'enrolment',
      body: AskChallenge,
      reply: OpenedChallenge,
      fails: [...bearers, 'mfa_challenge_invalid', 'mfa_method_not_found'],
    },
    async ({ tx, principal, body, request }, deps) => {
      const holder = holderOf(principal, request)
      const opened = await askChallenge(tx, deps, holder, body.method_id)
      return reply(201, opened, { location: `/v1/mfa/challenges/${opened.id}` })
    },
  ),

  getMfaChallenge: get(
    '/v1/mfa/challenges/{challenge_id}',
    'Read the status of a challenge',
    {
      permission: 'public',
      takes: 'login_token',
      narrow: 'enrolment',
      added: true,
      absent: 'mfa_challenge_not_found',
      reply: ChallengeStatus,
      fails: bearers,
    },
    async ({ tx, principal, params, request }) => {
      const holder = holderOf(principal, request)
      const found = await challengeStatus(tx, holder, params.challenge_id)
      if (!found) throw problem('mfa_challenge_not_found')
      return found
    },
  ),
})
