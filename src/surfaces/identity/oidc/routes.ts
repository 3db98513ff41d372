/** Logging in at an identity provider, and the caller's own identities. */
import { page, reply, routesOf, sql } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { Authorization, beginAuthorization, BeginAuthorization } from './begin-authorization.ts'
import { finishAuthorization, Returned } from './finish-authorization.ts'
import { LinkIdentity, linkIdentity } from './use-ticket.ts'
import { ProviderName } from './providers.ts'
import { ExternalIdentity, identityColumns } from './store-identity.ts'
import { unlinkIdentity } from './unlink-identity.ts'

const { open, get, list, create, del } = routesOf<Deps>({
  absent: 'oidc_provider_not_found',
  permission: 'authenticated',
  added: true,
  params: { provider: ProviderName },
})

export const oidcRoutes = open({
  beginOidcLogin: create(
    '/v1/oidc/{provider}/authorizations',
    'Begin a login at an identity provider',
    {
      description:
        'Send the same browser to `authorization_url`; it returns to `redirect_uri` with `ticket` or `error`. With `purpose: "link"` the ticket links the identity to the account of the caller.',
      permission: 'public',
      takes: 'optional',
      body: BeginAuthorization,
      transaction: 'own',
      reply: Authorization,
      fails: ['redirect_uri_not_allowed', 'tenant_not_found', 'step_up_required'],
    },
    async ({ params, body, principal, request }, deps) => {
      const asked = { provider: params.provider, body, principal, request }
      const begun = await beginAuthorization(deps, deps.oidc, asked)
      return reply(201, begun.body, { 'set-cookie': begun.cookie })
    },
  ),

  completeOidcLogin: get(
    '/v1/oidc/{provider}/callback',
    'Return from an identity provider',
    {
      description:
        'The identity provider redirects the browser to this address. Programs do not call it.',
      permission: 'public',
      foreign_query: true,
      query: Returned,
      transaction: 'own',
      replies: { 303: null },
      fails: ['oidc_state_invalid'],
    },
    async ({ params, query, request }, deps) => {
      const back = { provider: params.provider, returned: query, request }
      return reply(303, null, await finishAuthorization(deps, deps.oidc, back))
    },
  ),

  listExternalIdentities: list(
    '/v1/me/external-identities',
    'List the identities with which I can log in',
    { item: ExternalIdentity },
    async ({ tx, principal, list }) =>
      await page(tx, {
        scope: list,
        row: ExternalIdentity,
        place: ['id'],
        fetch: (after, n) => sql`
          select ${identityColumns} from identity.external_identities
          where account_id = ${principal.id} and unlinked_at is null
            and (${after.id}::uuid is null or id < ${after.id}::uuid)
          order by id desc limit ${n}`,
      }),
  ),

  linkExternalIdentity: create(
    '/v1/me/external-identities',
    'Link an identity to my account',
    {
      sends: [],
      idempotency: 'optional',
      body: LinkIdentity,
      reply: ExternalIdentity,
      fails: ['oidc_ticket_invalid', 'external_identity_taken'],
    },
    async ({ tx, principal, body, request }) => await linkIdentity(tx, principal, body, request),
  ),

  unlinkExternalIdentity: del(
    '/v1/me/external-identities/{external_identity_id}',
    'Unlink an identity from my account',
    { absent: 'external_identity_not_found', fails: ['last_credential', 'step_up_required'] },
    async ({ tx, principal, params, request }, deps) => {
      await unlinkIdentity(tx, deps, principal, params.external_identity_id, request)
    },
  ),
})
