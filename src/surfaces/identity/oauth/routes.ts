/**
 * The routes of OAuth and OpenID. Applications call them, with forms and errors as their standards
 * say. Pages of every origin may call them, but never with the cookies of a person.
 */
import { reply, routesOf } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { serverMetadata } from './discovery.ts'
import { giveTokens } from './give-tokens.ts'
import { introspectToken } from './introspect-token.ts'
import { answering, refused } from './oauth-error.ts'
import { clientOf, credentialsIn, parameter, readOAuthForm } from './read-form.ts'
import { readUserInfo } from './read-userinfo.ts'
import { revokeToken } from './revoke-token.ts'
import {
  Introspected,
  ServerMetadata,
  TokenHint,
  TokenRequest,
  Tokens,
  UserInfo,
} from './schemas.ts'

const { open, get, post } = routesOf<Deps>({ added: true })

const form_type = 'application/x-www-form-urlencoded'
const metadata_seconds = 300

/** One application has many people behind one address: only what is refused counts. */
const called = {
  permission: 'public',
  takes: 'client',
  consumes: 'raw',
  transaction: 'own',
  counts_refused: true,
} as const

const metadata = {
  description: 'For OAuth and OpenID libraries: they read everything else from it.',
  permission: 'public',
  always: true,
  any_origin: true,
  headers: { 'cache-control': `public, max-age=${metadata_seconds}` },
  reply: ServerMetadata,
} as const

export const oauthRoutes = open({
  createOAuthTokens: post(
    '/v1/oauth/token',
    'Get tokens for an application',
    {
      ...called,
      description:
        'The token endpoint (RFC 6749). A code works once, for 60 seconds and with the verifier of its S256 challenge; using it twice ends the access. A refresh token works once, too.',
      any_origin: true,
      media: { [form_type]: TokenRequest },
      replies: { 200: Tokens, ...refused },
    },
    async ({ request }, deps) =>
      await answering(async () =>
        reply(200, await giveTokens(deps, readOAuthForm(request), request)),
      ),
  ),

  revokeOAuthToken: post(
    '/v1/oauth/revoke',
    'End the access of an application',
    {
      ...called,
      description:
        'RFC 7009. The access ends with all its tokens, whichever is sent. The reply is the same for a token that is not valid.',
      any_origin: true,
      media: { [form_type]: TokenHint },
      replies: { 200: null, ...refused },
    },
    async ({ db, request }, deps) =>
      await answering(async () => {
        const form = readOAuthForm(request)
        const client = await clientOf(db, deps, form, request)
        await revokeToken(deps, client, parameter(form, 'token'), request)
        return reply(200, null)
      }),
  ),

  introspectOAuthToken: post(
    '/v1/oauth/introspect',
    'Ask whether a token is active',
    {
      ...called,
      description:
        'RFC 7662. For clients with a secret: an application asks about its own tokens, an API about those that are for it.',
      media: { [form_type]: TokenHint },
      replies: { 200: Introspected, ...refused },
    },
    async ({ request }, deps) =>
      await answering(async () => {
        const form = readOAuthForm(request)
        const asker = credentialsIn(form, request.headers['authorization'])
        return reply(200, await introspectToken(deps, asker, parameter(form, 'token')))
      }),
  ),

  getUserInfo: get(
    '/v1/oauth/userinfo',
    'Get what an application may know of the person',
    {
      description:
        'OpenID Connect. `profile` in the scope adds the name and the language, `email` the address.',
      permission: 'authenticated',
      narrow: 'openid',
      any_origin: true,
      reply: UserInfo,
      fails: ['account_not_found', 'permission_denied'],
    },
    async ({ tx, principal }) => await readUserInfo(tx, principal),
  ),

  getOpenIdConfiguration: get(
    '/.well-known/openid-configuration',
    'Get the metadata of the OpenID provider',
    metadata,
    (_context, deps) => serverMetadata(deps),
  ),

  getAuthorizationServer: get(
    '/.well-known/oauth-authorization-server',
    'Get the metadata of the authorization server',
    metadata,
    (_context, deps) => serverMetadata(deps),
  ),
})
