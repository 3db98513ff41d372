/** Logging in at an identity provider, and the caller's own identities. */
import { sql } from '../../../kernel/database/sql.ts'
import { page } from '../../../kernel/http/page.ts'
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import { page as pageOf, pageQuery } from '../../../kernel/http/shapes.ts'
import type { Deps } from '../deps.ts'
import { Authorization, beginAuthorization, BeginAuthorization } from './begin-authorization.ts'
import { finishAuthorization, Returned } from './finish-authorization.ts'
import { LinkIdentity, linkIdentity } from './use-ticket.ts'
import { ProviderName } from './providers.ts'
import type { Oidc } from './relying-party.ts'
import { ExternalIdentity, identityColumns } from './store-identity.ts'
import { unlinkIdentity } from './unlink-identity.ts'

export function oidcRoutes(deps: Deps): readonly Route[] {
  const { oidc } = deps
  return [beginRoute(deps, oidc), callbackRoute(deps, oidc), ...identityRoutes(deps, oidc)]
}

function beginRoute(deps: Deps, oidc: Oidc): Route {
  return route({
    method: 'POST',
    path: '/v1/oidc/{provider}/authorizations',
    name: 'beginOidcLogin',
    summary: 'Begin a login at an identity provider',
    description:
      'Send the same browser to `authorization_url`; it returns to `redirect_uri` with `ticket` or `error`. With `purpose: "link"` the ticket links the identity to the account of the caller.',
    permission: 'public',
    takes: 'optional',
    added: true,
    params: { provider: ProviderName },
    absent: 'oidc_provider_not_found',
    body: BeginAuthorization,
    transaction: 'own',
    replies: { 201: Authorization },
    fails: [
      'oidc_provider_not_found',
      'redirect_uri_not_allowed',
      'tenant_not_found',
      'step_up_required',
    ],
    handle: async ({ params, body, principal, request }) => {
      const asked = { provider: params.provider, body, principal, request }
      const begun = await beginAuthorization(deps, oidc, asked)
      return reply(201, begun.body, { 'set-cookie': begun.cookie })
    },
  })
}

function callbackRoute(deps: Deps, oidc: Oidc): Route {
  return route({
    method: 'GET',
    path: '/v1/oidc/{provider}/callback',
    name: 'completeOidcLogin',
    summary: 'Return from an identity provider',
    description:
      'The identity provider redirects the browser to this address. Programs do not call it.',
    permission: 'public',
    added: true,
    params: { provider: ProviderName },
    absent: 'oidc_provider_not_found',
    query: Returned,
    transaction: 'own',
    replies: { 303: null },
    fails: ['oidc_provider_not_found', 'oidc_state_invalid'],
    handle: async ({ params, query, request }) => {
      const back = { provider: params.provider, returned: query, request }
      return reply(303, null, await finishAuthorization(deps, oidc, back))
    },
  })
}

function identityRoutes(deps: Deps, oidc: Oidc): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/me/external-identities',
      name: 'listExternalIdentities',
      summary: 'List the identities with which I can log in',
      permission: 'authenticated',
      added: true,
      query: pageQuery({}),
      replies: { 200: pageOf(ExternalIdentity) },
      handle: async ({ tx, principal, list }) => {
        const { body, headers } = await page(tx, {
          scope: list,
          row: ExternalIdentity,
          place: ['id'],
          fetch: (after, n) => sql`
            select ${identityColumns} from identity.external_identities
            where account_id = ${principal.id} and unlinked_at is null
              and (${after.id}::uuid is null or id < ${after.id}::uuid)
            order by id desc limit ${n}`,
        })
        return reply(200, body, headers)
      },
    }),
    route({
      method: 'POST',
      path: '/v1/me/external-identities',
      name: 'linkExternalIdentity',
      idempotency: 'optional',
      summary: 'Link an identity to my account',
      permission: 'authenticated',
      added: true,
      body: LinkIdentity,
      replies: { 201: ExternalIdentity },
      fails: ['oidc_ticket_invalid', 'external_identity_taken'],
      handle: async ({ tx, principal, body, request }) =>
        reply(201, await linkIdentity(tx, principal, body, request)),
    }),
    route({
      method: 'DELETE',
      path: '/v1/me/external-identities/{external_identity_id}',
      name: 'unlinkExternalIdentity',
      summary: 'Unlink an identity from my account',
      permission: 'authenticated',
      added: true,
      absent: 'external_identity_not_found',
      replies: { 204: null },
      fails: ['external_identity_not_found', 'last_credential', 'step_up_required'],
      handle: async ({ tx, principal, params, request }) => {
        await unlinkIdentity(tx, deps, oidc, principal, params.external_identity_id, request)
        return reply(204, null)
      },
    }),
  ]
}
