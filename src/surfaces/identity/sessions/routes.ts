/** Routes to log in, refresh, log out, and list sessions. */
import { Type } from 'typebox'
import { closed, Id, lacks, reply, routesOf, text } from '#dodeca/kernel'
import { accountInTenant } from '../accounts/find-account.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { refusals } from '../login-policy/policy.ts'
import { requireSession } from '../mfa/holder.ts'
import { MfaRequired, SessionTokens } from '../schemas.ts'
import { requireRank } from '../roles/require-rank.ts'
import { deliver, forget, hasCookies, refreshCookie } from './deliver-tokens.ts'
import { endSession } from './end-session.ts'
import { session_list, sessionsOf } from './list-sessions.ts'
import { AskTabToken, issueTabToken, TabToken } from './issue-tab-token.ts'
import { LogIn, logIn } from './log-in.ts'
import { AskLoginOptions, loginOptions, LoginOptions } from './login-options.ts'
import { refresh } from './refresh-session.ts'
import { CurrentSession, readCurrentSession } from './read-current-session.ts'
import { revokeSessions } from './revoke-sessions.ts'

const revoke_any = 'identity.sessions.revoke_any'
const read_any = 'identity.sessions.read_any'

const { open, get, list, create, post, del } = routesOf<Deps>({
  absent: 'account_not_found',
  permission: 'authenticated',
})

export const sessionRoutes = open({
  logIn: create(
    '/v1/sessions',
    'Log in',
    {
      description:
        'With an address and a password, a passkey, a mailed code or a ticket from an identity provider. After 401 `address_proof_required` request a code for the same address, and send the ticket and the code together. If a second factor is required, the reply is 202 with a challenge. If the tenant requires one and the account has none, the session has the scope `enrolment`: add a factor with it, which begins a full session. With `anonymous` a visitor who says nothing about themselves gets an account, and a session that does only what a guest needs.',
      permission: 'public',
      body: LogIn,
      transaction: 'own',
      replies: { 201: SessionTokens, 202: MfaRequired },
      fails: [
        'address_proof_required',
        'external_identity_taken',
        'permission_denied',
        'invalid_credentials',
        'anonymous_off',
        'captcha_required',
        'signup_closed',
        'tenant_not_found',
        'rate_limited',
        'overloaded',
        ...refusals,
      ],
    },
    async ({ body, request }, deps) => {
      const result = await logIn(deps, body, request)
      if (result.kind === 'mfa') {
        const location = `/v1/mfa/challenges/${result.required.id}`
        return reply(202, result.required, { location })
      }
      const { delivered } = result
      const location = `/v1/sessions/${delivered.body.session_id}`
      return reply(201, delivered.body, { ...delivered.headers, location })
    },
  ),

  getLoginOptions: post(
    '/v1/login-options',
    'List the ways to log in',
    {
      description: 'By tenant, and never by account: the reply tells nothing about the address.',
      permission: 'public',
      added: true,
      body: AskLoginOptions,
      reply: LoginOptions,
      fails: ['tenant_not_found'],
    },
    async ({ tx, body, request }, deps) => await loginOptions(tx, deps, body, request),
  ),

  refreshSession: post(
    '/v1/sessions/{session_id}/refresh',
    'Exchange a refresh token for new tokens',
    {
      description:
        'A refresh token works once. Using an old one ends the session, because one of the two holders must have stolen it.',
      permission: 'public',
      body: closed({ refresh_token: Type.Optional(text(200)), tenant_id: Type.Optional(Id) }),
      body_optional: true,
      // Every error has the same code, because the id and the token are one credential.
      absent: 'invalid_refresh_token',
      transaction: 'own',
      reply: SessionTokens,
      fails: ['permission_denied', 'session_bound', 'rate_limited', ...refusals],
    },
    async ({ body, params, request }, deps) => {
      const { session_id } = params
      const given = (body as typeof body | undefined) ?? {} // the body is optional
      const cookie = given.refresh_token ? null : refreshCookie(request.headers['cookie'])
      // The access token may have expired, so the pipeline may not have checked the CSRF token.
      if (cookie) deps.kernel.csrf.demand(request.headers, session_id)
      const refresh_token = given.refresh_token ?? cookie ?? ''
      const asked = { session_id, refresh_token, tenant_id: given.tenant_id }
      const tokens = await refresh(deps, asked, request)
      const { body: answer, headers } = deliver(deps.kernel, tokens, cookie ? 'cookie' : 'token')
      return reply(200, answer, headers)
    },
  ),

  endSession: del(
    '/v1/sessions/{session_id}',
    'End a session',
    {
      for_others: revoke_any,
      description: 'The access token of the session is accepted even after the session has ended.',
      permission: 'public',
      takes: 'access_token',
      narrow: 'any',
      absent: 'session_not_found',
      transaction: 'own',
      replies: { 204: null },
      fails: ['authentication_required', 'invalid_token', 'permission_denied'],
    },
    async ({ params, principal, request }, deps) => {
      await endSession(deps, params.session_id, principal, request)
      return reply(204, null, hasCookies(request.headers['cookie']) ? forget(deps.kernel) : {})
    },
  ),

  endAccountSessions: del(
    '/v1/accounts/{account_id}/sessions',
    'End all sessions of an account',
    {
      for_others: revoke_any,
      description: 'Access tokens of these sessions stop working within a second.',
      asks_grants: true,
      query: closed({ except_current: Type.Optional(Type.Boolean()) }),
      fails: ['permission_denied'],
    },
    async ({ tx, params, principal, query, grants, request }, deps) => {
      const { account_id } = params
      const mine = principal.kind === 'account' && principal.id === account_id
      if (!mine) {
        if (!(await grants()).has(revoke_any)) throw lacks(revoke_any)
        const account = await accountInTenant(tx, principal.tenant_id, account_id)
        if (!account) throw problem('account_not_found')
        await requireRank(tx, { account_id, principal, grants: await grants() })
        tx.audit('identity.sessions.revoke_any', account_id)
      }
      const except = mine && query.except_current ? principal.session_id : null
      await revokeSessions(tx, deps, { account_id, except }, mine ? 'logout' : 'admin', {
        actor: principal.id,
        seen: request,
      })
    },
  ),

  getCurrentSession: get(
    '/v1/sessions/current',
    'Get the session of the caller',
    {
      description:
        'Returns the `csrf_token` to a page that was reloaded. If the access token has expired, the refresh cookie is enough; then refresh the session. Requests from pages of other sites are refused.',
      permission: 'public',
      takes: 'access_token',
      narrow: 'any',
      added: true,
      reply: CurrentSession,
      fails: ['authentication_required', 'invalid_token', 'csrf_failed'],
    },
    async ({ tx, principal, request }, deps) =>
      reply(200, await readCurrentSession(tx, deps, principal, request.headers), {
        'cache-control': 'no-store',
      }),
  ),

  createAccessToken: create(
    '/v1/sessions/current/access-tokens',
    'Create an access token for one tab',
    {
      description:
        'The token works in another organization of yours. The session stays where it is; to turn the session, send `tenant_id` when you refresh it.',
      added: true,
      absent: 'tenant_not_found',
      sends: [],
      body: AskTabToken,
      reply: TabToken,
      fails: ['permission_denied', 'session_bound', 'tenant_not_found', ...refusals],
    },
    async ({ tx, body, principal }, deps) =>
      await issueTabToken(tx, deps, requireSession(principal), body.tenant_id),
  ),

  listSessions: list('/v1/sessions', 'List my sessions', {
    ...session_list,
    within: ({ principal }) => sessionsOf(principal.id, principal),
  }),

  listAccountSessions: list(
    '/v1/accounts/{account_id}/sessions',
    'List the sessions of an account',
    {
      for_others: read_any,
      ...session_list,
      fails: ['permission_denied'],
      within: async ({ tx, params: { account_id }, principal, grants }) => {
        const sessions = sessionsOf(account_id, principal)
        if (principal.id === account_id) return sessions
        if (!(await grants()).has(read_any)) throw lacks(read_any)
        if (!(await accountInTenant(tx, principal.tenant_id, account_id))) {
          throw problem('account_not_found')
        }
        return { ...sessions, needs: read_any }
      },
    },
  ),
})
