/** Routes to log in, refresh, log out, and list sessions. */
import { Type } from 'typebox'
import { lacks } from '../../../kernel/access/permission-denied.ts'
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import { closed, Id, pageQuery, text } from '../../../kernel/http/shapes.ts'
import { accountInTenant } from '../accounts/find-account.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { MfaRequired, SessionTokens } from '../schemas.ts'
import { deliver, forget, hasCookies, refreshCookie } from './deliver-tokens.ts'
import { endSession } from './end-session.ts'
import { listSessions, SessionPage } from './list-sessions.ts'
import { LogIn, logIn } from './log-in.ts'
import { refresh } from './refresh-session.ts'
import { CurrentSession, readCurrentSession } from './read-current-session.ts'
import { revokeSessions } from './revoke-sessions.ts'

const revoke_any = 'identity.sessions.revoke_any'
const read_any = 'identity.sessions.read_any'

export function sessionRoutes(deps: Deps): readonly Route[] {
  return [
    logInRoute(deps),
    refreshRoute(deps),
    logOutRoute(deps),
    revokeAllRoute(deps),
    currentRoute(deps),
    ...listRoutes(),
  ]
}

function logInRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path: '/v1/sessions',
    name: 'logIn',
    summary: 'Log in',
    description: 'If a second factor is required, the reply is 202 with a challenge.',
    permission: 'public',
    body: LogIn,
    refuses: { scope: null, permissions: null, expires_in: null },
    transaction: 'own',
    sends: ['location'],
    replies: { 201: SessionTokens, 202: MfaRequired },
    fails: ['invalid_credentials', 'rate_limited', 'overloaded'],
    handle: async ({ body, request }) => {
      const result = await logIn(deps, body, request)
      if (result.kind === 'mfa') {
        const location = `/v1/mfa/challenges/${result.required.id}`
        return reply(202, result.required, { location })
      }
      const { delivered } = result
      const location = `/v1/sessions/${delivered.body.session_id}`
      return reply(201, delivered.body, { ...delivered.headers, location })
    },
  })
}

function refreshRoute(deps: Deps): Route {
  const { kernel } = deps
  return route({
    method: 'POST',
    path: '/v1/sessions/{session_id}/refresh',
    name: 'refreshSession',
    summary: 'Exchange a refresh token for new tokens',
    description:
      'A refresh token works once. Using an old one ends the session, because one of the two holders must have stolen it.',
    permission: 'public',
    body: closed({
      refresh_token: Type.Optional(text(200)),
      tenant_id: Type.Optional(Id),
    }),
    body_optional: true,
    // Every error has the same code, because the id and the token are one credential.
    absent: 'invalid_refresh_token',
    transaction: 'own',
    replies: { 200: SessionTokens },
    fails: ['invalid_refresh_token', 'permission_denied', 'rate_limited'],
    handle: async ({ body, params, request }) => {
      const { session_id } = params
      const given = (body as { refresh_token?: string; tenant_id?: string } | undefined) ?? {}
      const cookie = given.refresh_token ? null : refreshCookie(request.headers['cookie'])
      // The access token may have expired, so the pipeline may not have checked the CSRF token.
      if (cookie) kernel.csrf.demand(request.headers, session_id)
      const refresh_token = given.refresh_token ?? cookie ?? ''
      const asked = { session_id, refresh_token, tenant_id: given.tenant_id }
      const tokens = await refresh(deps, asked, request)
      const { body: answer, headers } = deliver(kernel, tokens, cookie ? 'cookie' : 'token')
      return reply(200, answer, headers)
    },
  })
}

function logOutRoute(deps: Deps): Route {
  return route({
    method: 'DELETE',
    path: '/v1/sessions/{session_id}',
    name: 'endSession',
    summary: 'End a session',
    description: 'The access token of the session is accepted even after the session has ended.',
    permission: 'public',
    takes: 'access_token',
    absent: 'session_not_found',
    transaction: 'own',
    replies: { 204: null },
    fails: ['session_not_found', 'authentication_required', 'invalid_token'],
    handle: async ({ params, principal, request }) => {
      await endSession(deps, params.session_id, principal, request)
      return reply(204, null, hasCookies(request.headers['cookie']) ? forget(deps.kernel) : {})
    },
  })
}

function revokeAllRoute(deps: Deps): Route {
  return route({
    method: 'DELETE',
    path: '/v1/accounts/{account_id}/sessions',
    name: 'endAccountSessions',
    summary: 'End all sessions of an account',
    description: 'Access tokens of these sessions stop working within a second.',
    permission: 'authenticated',
    asks_grants: true,
    absent: 'account_not_found',
    query: closed({ except_current: Type.Optional(Type.Boolean()) }),
    replies: { 204: null },
    fails: ['account_not_found', 'permission_denied'],
    handle: async ({ tx, params, principal, query, grants, request }) => {
      const { account_id } = params
      const mine = principal.kind === 'account' && principal.id === account_id
      if (!mine) {
        if (!(await grants()).has(revoke_any)) throw lacks(revoke_any)
        const account = await accountInTenant(tx, principal.tenant_id, account_id)
        if (!account) throw problem('account_not_found')
        tx.audit('identity.sessions.revoke_any', account_id)
      }
      const except = mine && query.except_current ? principal.session_id : null
      await revokeSessions(tx, deps, { account_id, except }, mine ? 'logout' : 'admin', {
        actor: principal.id,
        seen: request,
      })
      return reply(204, null)
    },
  })
}

function currentRoute(deps: Deps): Route {
  return route({
    method: 'GET',
    path: '/v1/sessions/current',
    name: 'getCurrentSession',
    summary: 'Get the session of the caller',
    description:
      'Returns the `csrf_token` to a page that was reloaded. If the access token has expired, the refresh cookie is enough; then refresh the session. Requests from pages of other sites are refused.',
    permission: 'public',
    takes: 'access_token',
    added: true,
    replies: { 200: CurrentSession },
    fails: ['authentication_required', 'invalid_token', 'csrf_failed'],
    handle: async ({ tx, principal, request }) =>
      reply(200, await readCurrentSession(tx, deps, principal, request.headers), {
        'cache-control': 'no-store',
      }),
  })
}

function listRoutes(): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/sessions',
      name: 'listSessions',
      summary: 'List my sessions',
      permission: 'authenticated',
      added: true,
      query: pageQuery({}),
      replies: { 200: SessionPage },
      handle: async ({ tx, principal, list }) => {
        const whose = { tenant_id: null, account_id: principal.id, current: principal.session_id }
        const { body, headers } = await listSessions(tx, list, whose)
        return reply(200, body, headers)
      },
    }),
    route({
      method: 'GET',
      path: '/v1/accounts/{account_id}/sessions',
      name: 'listAccountSessions',
      summary: 'List the sessions of an account',
      permission: 'authenticated',
      added: true,
      absent: 'account_not_found',
      query: pageQuery({}),
      replies: { 200: SessionPage },
      fails: ['account_not_found', 'permission_denied'],
      handle: async ({ tx, params, principal, list, grants }) => {
        const { account_id } = params
        const mine = principal.id === account_id
        if (!mine && !(await grants()).has(read_any)) throw lacks(read_any)
        const tenant_id = mine ? null : principal.tenant_id
        if (!mine && !(await accountInTenant(tx, principal.tenant_id, account_id))) {
          throw problem('account_not_found')
        }
        const whose = { tenant_id, account_id, current: principal.session_id }
        const { body, headers } = await listSessions(tx, list, whose)
        return reply(200, body, headers)
      },
    }),
  ]
}
